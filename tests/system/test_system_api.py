"""The engine as a library: the blocking and the asynchronous form, with a script for a model."""

import asyncio
import subprocess
import sys

import orjson
import pytest
from bridge import CLAIM, PAGES, Answers, BagOfWords, settings_with

from knowledge_store.pages.documents import DocumentsError
from system import Claim, FactChecker, Label
from system.check import Engine
from system.claims import ClaimsError
from system.models.extractive import ExtractiveModel
from system.models.scripted import ScriptedModel
from system.records import Calibration, Verdict
from system.settings import SettingsError

TEXTS = dict(PAGES)


def make_checker():
    return FactChecker(engine=Engine(ScriptedModel(Answers()), BagOfWords(), settings_with()))


@pytest.fixture
def checker():
    with make_checker() as checker:
        yield checker


def test_gives_verdict_evidence_and_graph(checker):
    checked = checker.check(CLAIM, TEXTS)
    assert checked.verdict.label is Label.SUPPORTED and checked.verdict == checked.result.verdict
    assert {passage.url for pair in checked.evidence for passage in pair.passages} <= TEXTS.keys()
    assert checked.graph.root.content == CLAIM and len(checked.graph.thoughts) > 3


def test_documents_are_judged_by_their_sentences():
    settings = settings_with(graph__sentence_rules="documents")
    fitted_to_others = Calibration(confidences=(0.0, 1.0), probabilities=(0.0, 0.0))
    reader = Engine(ExtractiveModel(BagOfWords()), BagOfWords(), settings, fitted_to_others)
    with FactChecker(engine=reader) as checker:
        claim = "The Aster bridge opened in 1931."
        verdict = checker.check(claim, {"a.md": "The Aster bridge opened in 1932."}).verdict
    assert verdict.label is Label.REFUTED and verdict.confidence > 0
    assert verdict.justification == "The claim says 1931, a document 1932: “The Aster bridge opened in 1932.” (a.md)"


def test_sync_and_async_give_the_same(checker):
    one, other = asyncio.run(make_checker().acheck(CLAIM, TEXTS)), checker.check(CLAIM, TEXTS)
    assert (one.verdict, one.evidence) == (other.verdict, other.evidence)


def test_works_where_a_loop_is_running(checker):
    async def in_a_notebook():
        return checker.check(CLAIM, TEXTS)

    assert asyncio.run(in_a_notebook()).verdict.label is Label.SUPPORTED


def test_reads_a_folder_of_documents(checker, tmp_path):
    (tmp_path / "history.md").write_text(PAGES[0][1])
    (pair, *_) = checker.check(CLAIM.text, tmp_path).evidence
    assert {passage.url for passage in pair.passages} == {"history.md"}


@pytest.mark.parametrize("claim", ["", " \n"])
def test_rejects_an_empty_claim(checker, claim, tmp_path):
    with pytest.raises(ClaimsError, match="claim 0: expected a statement to check, got an empty text"):
        checker.check(claim, TEXTS)
    with pytest.raises(ClaimsError, match="claim 1: expected a statement"):
        checker.check_many([CLAIM, claim], tmp_path)


def test_thoughts_come_one_by_one_and_the_verdict_last(checker):
    expected = {thought.id for thought in make_checker().check(CLAIM, TEXTS).graph}
    thoughts = list(checker.thoughts(CLAIM, TEXTS))
    assert {thought.id for thought in thoughts} == expected and isinstance(thoughts[-1].content, Verdict)

    async def follow():
        return {thought.id async for thought in make_checker().athoughts(CLAIM, TEXTS)}

    assert asyncio.run(follow()) == expected


def test_abandoning_the_iterator_ends_the_check(checker):
    thoughts = checker.thoughts(CLAIM, TEXTS)
    assert next(thoughts).content == CLAIM
    thoughts.close()
    assert checker.check(CLAIM, TEXTS).verdict.label is Label.SUPPORTED


def test_many_claims_keep_their_order_and_their_stores(checker, tmp_path):
    for number in (0, 2):
        (tmp_path / f"{number}.json").write_bytes(
            b"\n".join(orjson.dumps({"url": f"{url}/{number}", "url2text": [text]}) for url, text in PAGES)
        )
    first, missing, last = checker.check_many(["One.", Claim(id=1, text="Two."), "Three."], tmp_path)
    assert [one.result.claim.text for one in (first, missing, last)] == ["One.", "Two.", "Three."]
    (failure, *_) = missing.result.failures
    assert "missing file" in failure.message and failure.unanswered
    assert all(p.url.endswith("/2") for pair in last.evidence for p in pair.passages)


@pytest.mark.parametrize("documents", [{}, {"empty.txt": "  "}])
def test_nothing_to_search_is_an_error(checker, documents):
    with pytest.raises(DocumentsError, match="documents: expected text to search, got none"):
        checker.check(CLAIM, documents)
    with pytest.raises(DocumentsError):
        list(checker.thoughts(CLAIM, documents))


def test_settings_have_the_names_of_profiles():
    with pytest.raises(SettingsError, match="in_flight is now max_concurrent_claims"):
        FactChecker("embedded", in_flight=3)


def test_importing_system_loads_no_model_library():
    code = "import sys, system; print(*{'torch', 'numba', 'faiss', 'pydantic'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
    with pytest.raises(ImportError):
        exec("from system import Nothing")


def test_a_verdict_on_no_answer_is_unsure_and_says_what_was_searched(checker, tmp_path):
    (tmp_path / "0.json").write_bytes(b"")
    verdict = checker.check_many(["The Aster bridge opened in 1932."], tmp_path)[0].verdict
    assert verdict.label is Label.NOT_ENOUGH_EVIDENCE and verdict.confidence <= 0.25
    assert verdict.justification.endswith("Nothing in 0 pages, 0 passages, answers a question.")
