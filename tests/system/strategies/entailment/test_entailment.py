"""Documents are read statement by statement; a reader that goes by words stands in for the trained one."""

import pytest

from factgraph import FactChecker
from knowledge_store.pages.page import Page
from knowledge_store.pages.store import write_store
from knowledge_store.searchers.archive import Archive
from system.graph.records import GUESS, Label, Verdict
from system.strategies.entailment.strategy import combine
from tests.helpers.bridge import settings_with
from tests.helpers.by_words import ByWords, reading_engine


def checker_with(reader, **changes):
    return FactChecker(engine=reading_engine(settings_with(strategy="entailment", **changes), reader))


@pytest.fixture
def checker():
    with checker_with(ByWords()) as checker:
        yield checker


def verdict_of(checker, claim, **documents):
    return checker.check(claim, {f"{name}.md": text for name, text in documents.items()})


NOT_ENOUGH = Label.NOT_ENOUGH_EVIDENCE
OPENED, RED = "The bridge opened in 1932.", "The bridge was painted red."
COST, STORM = "The Aster bridge cost 40 crowns.", "The bridge opened in 1932 in a storm."


@pytest.mark.parametrize(
    ("claim", "documents", "label", "said"),
    [
        (OPENED, {"a": f"It rained. {OPENED} Boats sail."}, Label.SUPPORTED, [f"a.md says so: “{OPENED}”"]),
        ("The bridge opened in 1931.", {"a": f"It rained. {OPENED}"}, Label.REFUTED, [f"contradicts it: “{OPENED}”"]),
        (
            f"{OPENED} The bridge cost 90 crowns.",
            {"a": f"{OPENED} The bridge cost 40 crowns."},
            Label.REFUTED,
            [f"“{OPENED}” Supported", "“The bridge cost 90 crowns.” Refuted"],
        ),
        (f"{OPENED} Boats sail.", {"a": OPENED}, NOT_ENOUGH, [f"“{OPENED}” Supported"]),
        (
            "The bridge opened in 1931.",
            {"a": "The bridge opened in 1931.", "b": f"As the archive has it, {OPENED}"},
            Label.CONFLICTING,
            ["a.md", "“The bridge opened in 1931.”", "b.md", f"As the archive has it, {OPENED}"],
        ),
        (STORM, {"a": f"{OPENED} It rained. It snowed. A storm came."}, Label.SUPPORTED, [f"a.md says so: “{OPENED}”"]),
        (COST, {"a": "The Aster bridge opened. It cost 40 crowns."}, Label.SUPPORTED, [": “It cost 40 crowns.”"]),
        (RED, {"a": "The bridge was painted by a firm."}, NOT_ENOUGH, ["Could not decide; nearest is a.md"]),
        (RED, {"a": "Apples grow on trees."}, NOT_ENOUGH, ["Nothing was found on it"]),
    ],
)
def test_sentences_decide_and_are_quoted(checker, claim, documents, label, said):
    checked = verdict_of(checker, claim, **documents)
    assert checked.verdict.label is label and not checked.result.failures
    assert all(words in checked.verdict.justification for words in said)


def test_a_side_needs_its_threshold():
    given = []
    for least in (0.9, 0.99):
        reader = ByWords()
        reader.thresholds = (least, least)
        with checker_with(reader) as checker:
            given.append(verdict_of(checker, OPENED, a=OPENED).verdict)
    assert [verdict.label for verdict in given] == [Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE]
    assert given[0].confidence > 0.9 and given[0].confidence + given[1].confidence <= 1


GERMAN = "Die Brücke wurde 1931 nicht eröffnet."


@pytest.mark.parametrize(("claim", "language"), [(GERMAN, "German"), ("पुल 1931 में नहीं खुला।", "the language 'hi'")])
def test_a_claim_in_another_language_stays_open_and_says_why(checker, claim, language):
    checked = verdict_of(checker, claim, a=claim)
    assert checked.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert f"in {language}, which the reader does not read" in checked.verdict.justification


def test_documents_in_another_language_are_not_read(checker):
    german = "Die Brücke wurde 1932 eröffnet. The bridge opened in 1932 heißt es im Film über die Brücke."
    checked = verdict_of(checker, OPENED, a=german)
    assert checked.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert "What was found is in German, which the reader does not read" in checked.verdict.justification
    beside = verdict_of(checker, OPENED, a=german, b=OPENED)
    assert beside.verdict.justification.startswith("b.md says so")
    undecided = verdict_of(checker, OPENED, a=german, b="It rained in 1932.").verdict.justification
    assert "More was found in German" in undecided and "It rained" in undecided


COPIES = [OPENED, "It did, says the ministry.", "It is confirmed that the bridge opened in 1932."]
EVIDENCE = "The bridge, built by a Danish firm for 40 crowns, opened to trains in 1932."


def written(path, *pages):
    write_store([Page(number, f"https://{number}.example/", tuple(page)) for number, page in enumerate(pages)], path)
    return path


def test_a_store_that_repeats_the_claim_decides_nothing(checker, tmp_path):
    store = written(tmp_path / "0.json", COPIES)
    (checked,) = checker.check_many([OPENED], store=store)
    assert checked.verdict.justification.startswith("What was found only repeats the claim")
    (checked,) = checker.check_many([OPENED], store=written(store, COPIES, [EVIDENCE]))
    assert checked.verdict.label is Label.SUPPORTED and checked.evidence[0].answer == EVIDENCE
    written(store, ["The bridge cost 40 crowns."], [EVIDENCE])  # it repeats a statement of the claim
    (checked,) = checker.check_many([f"{OPENED} The bridge cost 40 crowns."], store=store)
    assert "The bridge cost 40 crowns." not in [pair.answer for pair in checked.evidence]


def test_documents_of_ones_own_may_say_the_claim(checker, tmp_path):
    store = written(tmp_path / "0.json", COPIES)
    for documents in ({"documents": [store]}, {"documents": {"a.md": " ".join(COPIES)}}):
        (checked,) = checker.check_many([OPENED], **documents)
        assert checked.verdict.label is Label.SUPPORTED
    assert checker.check(OPENED, store).verdict.label is Label.SUPPORTED


def test_what_a_search_finds_beside_documents_may_not(tmp_path):
    Archive(tmp_path / "a.sqlite").add([Page(0, "https://a.example/", tuple(COPIES))])
    with checker_with(ByWords(), retrieval__search=str(tmp_path / "a.sqlite")) as checker:
        found = checker.check(OPENED, {"b.md": "Boats sail."})
        own = checker.check(OPENED, {"b.md": OPENED})
        (of_all,) = checker.check_many([OPENED], {"b.md": "Boats sail."})
    assert found.verdict.label is of_all.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert own.verdict.label is Label.SUPPORTED and own.verdict.justification.startswith("b.md")


def test_a_statement_that_was_not_read_leaves_the_claim_open(make_case):
    case = make_case()
    supported = Verdict(label=Label.SUPPORTED, justification="So.", confidence=0.9)
    read = ("It opened.", case.graph.add(supported, [case.graph.root], "judge"))
    verdict = combine(case, [read], statements=2).content
    assert (verdict.label, verdict.confidence) == (Label.NOT_ENOUGH_EVIDENCE, GUESS)
