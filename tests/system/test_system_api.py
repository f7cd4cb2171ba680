"""The engine as a library: the blocking and the asynchronous form, with a script for a model."""

import asyncio
import os
import re
import signal
import threading
from dataclasses import replace

import orjson
import psutil
import pytest

from factgraph import CheckerClosed, Claim, Document, FactChecker, Label
from knowledge_store.pages.documents import DocumentsError
from system.averitec.claims import ClaimsError
from system.graph.records import Calibration, Verdict
from system.graph.thoughts import Evidence, Thought
from system.settings import SettingsError
from tests.helpers.bridge import CLAIM, PAGES, Answers, engine_of
from tests.helpers.by_words import reading_engine

TEXTS = dict(PAGES)
STORE = b"\n".join(orjson.dumps({"url": url, "url2text": [text]}) for url, text in PAGES)


def checker_of(script, **changes):
    """A checker whose model is a script."""
    return FactChecker(engine=engine_of(script, **changes))


@pytest.fixture
def checker():
    with checker_of(Answers()) as checker:
        yield checker


def refused(error, message, use, *arguments, **options):
    """Assert that a call is an error in the words of the library, which name no option of the command line."""
    with pytest.raises(error, match=message) as raised:
        list(use(*arguments, **options))
    assert not re.search(r"--|command|^:|pydantic", str(raised.value))


def test_documents_are_judged_by_their_sentences():
    fitted_to_others = Calibration(confidences=(0.0, 1.0), probabilities=(0.0, 0.0))
    with FactChecker(engine=replace(reading_engine(), calibration=fitted_to_others)) as checker:
        claim = "The Aster bridge opened in 1931."
        verdict = checker.check(claim, {"a.md": "The Aster bridge opened in 1932."}).verdict
    assert verdict.label is Label.REFUTED and verdict.confidence > 0.5
    assert verdict.justification == "a.md contradicts it: “The Aster bridge opened in 1932.”"


def test_sync_and_async_give_the_same(checker):
    async def in_a_notebook():
        return checker.check(CLAIM, TEXTS), await checker_of(Answers()).acheck(CLAIM, TEXTS)

    one, other = asyncio.run(in_a_notebook())
    assert (one.verdict, one.evidence) == (other.verdict, other.evidence)


def test_every_thought_is_told_and_the_verdict_last(checker):
    told = []
    graph = checker.check(CLAIM, TEXTS, listener=told.append).graph
    assert told == [*graph] and isinstance(told[-1], Thought) and isinstance(told[-1].content, Verdict)


def test_many_claims_keep_their_order_and_bad_stores_fail_only_their_own(tmp_path):
    for number in (0, 2):
        lines = (orjson.dumps({"url": f"{url}/{number}", "url2text": [text]}) for url, text in PAGES)
        (tmp_path / f"{number}.json").write_bytes(b"\n".join(lines))
    (tmp_path / "3.json").write_bytes(b"")
    (tmp_path / "4.json").write_bytes(b'{"url": "https://a.example", "url2text": ["cut o\n\xff\xfe\n')
    (tmp_path / "5.json").mkdir()
    (tmp_path / "6.json").symlink_to("6.json")  # a circle
    os.mkfifo(tmp_path / "7.json")  # opening it never returns
    claims = ["One.", Claim("Two.", id=1), {"claim": "Three."}, *(f"Claim {number}." for number in range(3, 8))]
    with checker_of(Answers(), run__budget=4.0) as checker:
        checks = list(checker.check_many(claims, store=tmp_path))
    texts = [one.claim.text for one in checks]
    assert texts == ["One.", "Two.", "Three.", "Claim 3.", "Claim 4.", "Claim 5.", "Claim 6.", "Claim 7."]
    first, _, third, _, broken, *_ = checks
    assert first.evidence and {p.url[-2:] for pair in third.evidence for p in pair.passages} == {"/2"}
    failed = {one.claim.id: one.result for one in checks if one.verdict.label is Label.NOT_ENOUGH_EVIDENCE}
    said = {number: result.failures[0].message for number, result in failed.items()}
    assert list(said) == [1, 3, 4, 5, 6, 7] and all(f"{number}.json: " in message for number, message in said.items())
    assert "missing file" in said[1] and failed[1].failures[0].unanswered
    assert said[3].endswith("3.json: file without a page of text")
    assert said[4].endswith("4.json: file without a page of text; broken line 2")
    assert broken.result.flaws["broken line"] == 2
    assert "7.json: took over 4 s" in said[7]
    assert all(result.pairs for result in failed.values())


def test_ctrl_c_ends_the_work_that_is_waited_for():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell starts in the background
    asked = threading.Event()

    async def never(request):
        asked.set()
        await asyncio.sleep(3600)

    def interrupt():
        asked.wait()
        os.kill(os.getpid(), signal.SIGINT)

    with checker_of(never) as checker:
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            next(checker.check_many([CLAIM], TEXTS))


def test_calls_share_their_workers_until_the_end(tmp_path):
    (tmp_path / "0.json").write_bytes(STORE)

    def running():
        return {child.pid for child in psutil.Process().children()}

    before, workers = running(), []
    with checker_of(Answers()) as checker:
        for _ in range(2):
            assert next(checker.check_many([CLAIM.text], store=tmp_path)).evidence
            workers.append(running() - before)
    assert len(workers[0]) == 1 and workers[0] == workers[1]
    assert not running() & workers[0]


def test_a_verdict_on_no_answer_says_what_was_searched(checker, tmp_path):
    (tmp_path / "0.json").write_bytes(b"")
    (checked,) = checker.check_many(["The Aster bridge opened in 1932."], store=tmp_path)
    verdict = checked.verdict
    assert verdict.label is Label.NOT_ENOUGH_EVIDENCE and verdict.confidence <= 0.25
    assert verdict.justification == "Nothing was read: file without a page of text."


def test_many_claims_are_checked_against_documents(checker):
    claims = [CLAIM.text, Claim("Water is wet.", id=7), {"claim": "It opened in 1932.", "date": "2021-05-03"}]
    checks = list(checker.check_many(iter(claims), TEXTS))
    assert [(one.claim.id, one.claim.date) for one in checks] == [(0, ""), (7, ""), (2, "3-5-2021")]
    alone = [checker.check(claim, TEXTS) for claim in claims]
    assert [one.verdict for one in checks] == [one.verdict for one in alone]
    assert [one.evidence for one in checks] == [one.evidence for one in alone]
    assert list(checker.check_many([], TEXTS)) == []


def test_of_many_claims_each_comes_once_it_is_done():
    answers, released = Answers(), threading.Event()

    async def script(request):
        if request.task.claim.text == "Two.":
            await asyncio.to_thread(released.wait)
        return answers(request)

    with checker_of(script) as checker:
        checks = checker.check_many(["One.", "Two.", "Three."], TEXTS)
        assert next(checks).claim.text == "One."
        released.set()
        assert [one.claim.text for one in checks] == ["Two.", "Three."]


def test_a_later_document_is_left_out_for_its_claim_alone():
    documents = [Document(text, address, date="2020-01-01") for address, text in PAGES]
    with checker_of(Answers(), retrieval__later_pages=False) as checker:
        before, after = (Claim(CLAIM.text, date=date) for date in ("2019-05-03", "2021-05-03"))
        with pytest.raises(DocumentsError, match="page dated after the claim skipped 3"):
            checker.check(before, documents)
        early, late = checker.check_many([before, after], documents)
    assert not any(pair.passages for pair in early.evidence) and late.verdict.label is Label.SUPPORTED


def test_documents_are_objects_paths_and_texts(tmp_path):
    checker = checker_of(Answers(), retrieval__top_k=3)

    def read(documents):
        found = checker.check(CLAIM, documents).graph.holding(Evidence)
        return {thought.content.passage.url for thought in found}

    (tmp_path / "history.md").write_text(PAGES[0][1])
    page = Document(PAGES[1][1], "https://a.example/report.pdf", page=3)
    found = {"https://a.example/report.pdf#page=3", "history.md", "document 2"}
    assert read([page, tmp_path / "history.md", Document(PAGES[2][1])]) == found
    assert read(Document(PAGES[0][1])) == {"document 1"} == read(iter([Document(PAGES[0][1])]))


def test_closing_twice_is_fine_and_checking_then_is_not():
    checker = checker_of(Answers())
    checker.close()
    checker.close()
    for use in (checker.check, checker.check_text):
        refused(CheckerClosed, "this FactChecker is closed", use, CLAIM.text, TEXTS)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (None, r"^claim: expected a text, a Claim or a dictionary, got None \(NoneType\)"),
        (" ", "^claim: expected a statement to check, got an empty text"),
        ({}, "^claim: 'claim': expected a string, got no such field"),
        ({"claim": "A.", "date": "May"}, "^claim: 'date': expected a date as 2020-08-25"),
        ({"claim": "A.", "id": "x"}, "^claim: 'id': expected a number from 0, got 'x'"),
    ],
)
def test_what_is_no_claim_is_named(checker, claim, message):
    refused(ClaimsError, message, checker.check, claim, TEXTS)
    refused(ClaimsError, message.replace("claim:", "claim 0:", 1), checker.check_many, [claim], TEXTS)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (None, r"^documents: expected a path, a Document, .* got None \(NoneType\)"),
        (5, r"^documents: expected a path, .*got 5 \(int\)"),
        ([5], r"^documents: expected a path, .*got 5 \(int\) among them"),
        ({"a.md": 5}, r"^document: text: expected a text, got 5 \(int\)"),
        ("The bridge opened in 1932. " * 20, r"^The bridge opened in 1932.* not found; expected a file or a folder"),
    ],
)
def test_what_is_no_document_is_named(checker, documents, message):
    for check, given in ((checker.check, CLAIM), (checker.check_many, [CLAIM]), (checker.check_text, CLAIM.text)):
        refused(DocumentsError, message, check, given, documents)


@pytest.mark.parametrize("claims", ["A claim.", Claim("A claim."), {"claim": "A claim."}, None, 5])
def test_one_claim_or_none_is_not_many(checker, claims):
    message = "^claims: expected several, in a list for instance, .*; check takes one"
    refused(ClaimsError, message, checker.check_many, claims, TEXTS)


def test_wrong_settings_and_a_lack_of_evidence_are_named(checker, tmp_path):
    refused(SettingsError, "depth: expected a valid integer, .*got 'three'", FactChecker, "laptop", depth="three")
    refused(SettingsError, "depht: unknown setting; did you mean depth", FactChecker, "laptop", depht=3)
    refused(SettingsError, "^engine: it has its sett", FactChecker, engine=engine_of({}), depth=2)
    nothing = "documents: expected text to search, got none"
    refused(DocumentsError, nothing, checker.check, CLAIM, {})
    refused(DocumentsError, nothing, checker.check, CLAIM, {"empty.txt": "  "})
    refused(DocumentsError, nothing, checker.check_text, CLAIM.text)
    refused(DocumentsError, "a.example/report", checker.check, CLAIM, "https://a.example/report")
    refused(DocumentsError, "expected a knowledge store", checker.check_text, CLAIM.text, store=tmp_path / "none")


def test_one_claim_has_no_number_and_many_have(checker):
    alone = checker.check(CLAIM.text, TEXTS)
    shown = alone.to_dict(graph=True)
    assert "id=" not in repr(alone.claim) and "id" not in {**shown["claim"], **shown["graph"]["thoughts"][0]["content"]}
    first, second = checker.check_many([CLAIM.text, Claim("Water is wet.", id=7)], TEXTS)
    assert (first.to_dict()["claim"]["id"], second.to_dict()["claim"]["id"]) == (0, 7)
    assert "id=7" in repr(second.claim)


def test_an_empty_text_among_several_is_left_out(checker, caplog):
    assert checker.check(CLAIM, TEXTS | {"empty.md": " "}).verdict == checker.check(CLAIM, TEXTS).verdict
    assert "empty.md: skipped, it has no text" in caplog.text
