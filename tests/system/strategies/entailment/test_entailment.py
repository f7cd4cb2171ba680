"""Documents are read statement by statement; a reader that goes by words stands in for the trained one."""

import pytest

from factgraph import FactChecker
from knowledge_store.pages.page import Page
from knowledge_store.pages.store import write_store
from knowledge_store.searchers.archive import Archive
from system.check import Engine
from system.graph.records import GUESS, Claim, Label, Verdict
from system.models.base import NoModel
from system.strategies.entailment.strategy import StatementVerdict, combine, statements_of
from tests.helpers.bridge import BagOfWords, settings_with
from tests.helpers.by_words import ByWords


@pytest.fixture
def checker():
    with checker_with(ByWords()) as checker:
        yield checker


def checker_with(reader):
    return FactChecker(engine=Engine(NoModel(), BagOfWords(), settings_with(strategy="entailment"), reader=reader))


def verdict_of(checker, claim, **documents):
    return checker.check(claim, {f"{name}.md": text for name, text in documents.items()})


def test_a_sentence_that_says_so_supports_and_is_quoted(checker):
    checked = verdict_of(checker, "The bridge opened in 1932.", a="It rained. The bridge opened in 1932. Boats sail.")
    assert checked.verdict.label is Label.SUPPORTED
    assert checked.verdict.justification == "a.md says so: “The bridge opened in 1932.”"
    assert [pair.answer for pair in checked.evidence] == ["The bridge opened in 1932."]
    assert not checked.result.failures


def test_a_side_needs_its_threshold():
    given = []
    for least in (0.9, 0.99):
        reader = ByWords()
        reader.thresholds = (least, least)
        with checker_with(reader) as checker:
            given.append(verdict_of(checker, "The bridge opened in 1932.", a="The bridge opened in 1932.").verdict)
    assert [verdict.label for verdict in given] == [Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE]
    assert given[0].confidence > 0.9 and given[0].confidence + given[1].confidence <= 1


def test_another_number_refutes_and_its_sentence_is_quoted(checker):
    checked = verdict_of(checker, "The bridge opened in 1931.", a="It rained. The bridge opened in 1932.")
    assert checked.verdict.label is Label.REFUTED
    assert checked.verdict.justification == "a.md contradicts it: “The bridge opened in 1932.”"


def test_one_refuted_sentence_refutes_and_each_is_shown(checker):
    text = "The bridge opened in 1932. The bridge cost 40 crowns."
    checked = verdict_of(checker, "The bridge opened in 1932. The bridge cost 90 crowns.", a=text)
    assert checked.verdict.label is Label.REFUTED
    assert "“The bridge opened in 1932.” Supported" in checked.verdict.justification
    assert "“The bridge cost 90 crowns.” Refuted" in checked.verdict.justification
    assert len(checked.evidence) == 2


def test_a_sentence_without_evidence_leaves_the_claim_open(checker):
    checked = verdict_of(checker, "The bridge opened in 1932. Boats sail.", a="The bridge opened in 1932.")
    assert checked.verdict.label is Label.NOT_ENOUGH_EVIDENCE


def test_pages_that_say_opposite_things_conflict(checker):
    both = {"a": "The bridge opened in 1931.", "b": "As the archive has it, the bridge opened in 1932."}
    checked = verdict_of(checker, "The bridge opened in 1931.", **both)
    assert checked.verdict.label is Label.CONFLICTING
    assert all(f"{name}.md" in checked.verdict.justification and text in checked.verdict.justification
               for name, text in both.items())  # fmt: skip


def test_undecided_and_not_found_are_told_apart(checker):
    about_it = verdict_of(checker, "The bridge was painted red.", a="The bridge was painted by a Danish firm.")
    elsewhere = verdict_of(checker, "The bridge was painted red.", a="Apples grow on trees.")
    assert about_it.verdict.label is elsewhere.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert about_it.verdict.justification.startswith("Could not decide; nearest is a.md")
    assert elsewhere.verdict.justification.startswith("Nothing was found on it")


@pytest.mark.parametrize(
    ("claim", "language"),
    [
        ("Die Brücke wurde 1931 nicht eröffnet.", "German"),
        ("Le pont n'a pas ouvert en 1931.", "French"),
        ("El puente no se inauguró en 1931.", "Spanish"),
        ("A ponte não foi inaugurada em 1931.", "Portuguese"),
        ("पुल 1931 में नहीं खुला।", "the language 'hi'"),
    ],
)
def test_a_claim_in_another_language_stays_open_and_says_why(checker, claim, language):
    checked = verdict_of(checker, claim, a=claim)
    assert checked.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert f"in {language}, which the reader does not read" in checked.verdict.justification


def test_documents_in_another_language_are_not_read(checker):
    german = "Die Brücke wurde 1932 eröffnet. The bridge opened in 1932 heißt es im Film über die Brücke."
    checked = verdict_of(checker, "The bridge opened in 1932.", a=german)
    assert checked.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert "What was found is in German, which the reader does not read" in checked.verdict.justification
    beside = verdict_of(checker, "The bridge opened in 1932.", a=german, b="The bridge opened in 1932.")
    assert beside.verdict.justification.startswith("b.md says so")


COPIES = ["The bridge opened in 1932.", "It did, says the ministry.", "It is confirmed that the bridge opened in 1932."]
EVIDENCE = "The bridge, built by a Danish firm for 40 crowns, opened to trains in 1932."


def written(path, *pages):
    write_store([Page(number, f"https://{number}.example/", tuple(page)) for number, page in enumerate(pages)], path)
    return path


def test_a_store_that_repeats_the_claim_decides_nothing(checker, tmp_path):
    store = written(tmp_path / "0.json", COPIES)
    (checked,) = checker.check_many(["The bridge opened in 1932."], store=store)
    assert checked.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert checked.verdict.justification.startswith("What was found only repeats the claim")
    (checked,) = checker.check_many(["The bridge opened in 1932."], store=written(store, COPIES, [EVIDENCE]))
    assert checked.verdict.label is Label.SUPPORTED and checked.evidence[0].answer == EVIDENCE


def test_a_store_that_repeats_a_statement_decides_nothing(checker, tmp_path):
    store = written(tmp_path / "0.json", ["The bridge cost 40 crowns."], [EVIDENCE])
    (checked,) = checker.check_many(["The bridge opened in 1932. The bridge cost 40 crowns."], store=store)
    assert "The bridge cost 40 crowns." not in [pair.answer for pair in checked.evidence]


def test_documents_of_ones_own_may_say_the_claim(checker, tmp_path):
    store = written(tmp_path / "0.json", COPIES)
    for documents in ({"documents": [store]}, {"documents": {"a.md": " ".join(COPIES)}}):
        (checked,) = checker.check_many(["The bridge opened in 1932."], **documents)
        assert checked.verdict.label is Label.SUPPORTED
    assert checker.check("The bridge opened in 1932.", store).verdict.label is Label.SUPPORTED


def test_what_a_search_finds_beside_documents_may_not(tmp_path):
    Archive(tmp_path / "a.sqlite").add([Page(0, "https://a.example/", tuple(COPIES))])
    settings = settings_with(strategy="entailment", retrieval__search=str(tmp_path / "a.sqlite"))
    engine = Engine(NoModel(), BagOfWords(), settings, reader=ByWords())
    with FactChecker(engine=engine) as checker:
        found = checker.check("The bridge opened in 1932.", {"b.md": "Boats sail."})
        own = checker.check("The bridge opened in 1932.", {"b.md": "The bridge opened in 1932."})
        (of_all,) = checker.check_many(["The bridge opened in 1932."], {"b.md": "Boats sail."})
    assert found.verdict.label is of_all.verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert own.verdict.label is Label.SUPPORTED and own.verdict.justification.startswith("b.md")


def test_a_sentence_is_read_beside_its_neighbours_and_quoted_alone(checker):
    checked = verdict_of(checker, "The Aster bridge cost 40 crowns.", a="The Aster bridge opened. It cost 40 crowns.")
    assert checked.verdict.label is Label.SUPPORTED
    assert checked.verdict.justification.endswith("“It cost 40 crowns.”")


def test_each_sentence_of_a_claim_has_the_one_before_it_as_context():
    claim = Claim("It has three floors. It lends books.", context="The library opened in 1900.")
    assert [one.query for one in statements_of(claim)] == [
        "The library opened in 1900. It has three floors.",
        "It has three floors. It lends books.",
    ]
    assert statements_of(Claim("It has three floors, and it lends books.")) == [
        Claim("It has three floors, and it lends books.")
    ]


def test_a_statement_that_was_not_read_leaves_the_claim_open(make_case):
    case = make_case()
    supported = Verdict(label=Label.SUPPORTED, justification="So.", confidence=0.9)
    read = StatementVerdict("It opened.", case.graph.add(supported, [case.graph.root], "judge"), case.graph.root)
    verdict = combine(case, [read], statements=2).content
    assert (verdict.label, verdict.confidence) == (Label.NOT_ENOUGH_EVIDENCE, GUESS)
