import orjson
import pytest

from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings
from system.averitec.claims import ClaimsError, read_claims
from system.averitec.gold import GoldAnswer, gold_by_id, read_gold, write_gold_store
from system.graph.records import AnswerType, Label
from tests.helpers.annotated import answer, claim

ROWS = [
    claim(
        "The Aster bridge opened in 1932.",
        "Conflicting Evidence/Cherrypicking",
        ("When did it open?", answer("1932.")),
        ("Did a king open it?", answer("No", "Boolean", "Traffic began without one.") | {"source_url": None}),
    ),
    claim("A second claim.", "Refuted"),
]


def test_a_claim_keeps_the_id_of_the_file(tmp_path):
    file = tmp_path / "part.json"
    file.write_bytes(orjson.dumps([{"id": 9, **ROWS[1]}, {"id": 4, **ROWS[0]}]))
    assert [one.claim.id for one in read_gold(file)] == [9, 4]
    assert gold_by_id(file)[4].label is Label.CONFLICTING
    store = write_gold_store(file, read_claims(file), tmp_path / "gold")
    assert b'"1932."' in (store / "4.json").read_bytes() and (store / "9.json").read_bytes() == b""


def test_keeps_all_fields_of_questions_and_answers(tmp_path):
    given = answer("No", "Boolean", "The mayor opened it.") | {"cached_source_url": "https://archive.example/a"}
    row = {**ROWS[1], "questions": [{"question": "Open?", "answers": []}, {"question": "King?", "answers": [given]}]}
    file = tmp_path / "dev.json"
    file.write_bytes(orjson.dumps([{**row, "claim_types": ["Causal Claim"], "justification": None}]))
    (gold,) = read_gold(file)
    assert [question.text for question in gold.questions] == ["Open?", "King?"]
    assert (gold.types, gold.justification) == (("Causal Claim",), "")
    assert gold.answers == (
        GoldAnswer(
            question="King?",
            place=1,
            text="No",
            type=AnswerType.BOOLEAN,
            explanation="The mayor opened it.",
            url="https://example.org/no",
            archived="https://archive.example/a",
            medium="Web text",
        ),
    )


def test_the_gold_store_holds_the_answers_and_never_the_label(tmp_path):
    annotated = tmp_path / "dev.json"
    annotated.write_bytes(orjson.dumps(ROWS))
    store = write_gold_store(annotated, read_claims(annotated), tmp_path / "gold")
    ranked = rank(store / "0.json", ROWS[0]["claim"], RetrievalSettings())
    assert {(passage.url, passage.text) for passage in ranked.passages} == {
        ("https://example.org/1932", "When did it open? 1932."),
        ("annotation:0/1", "Did a king open it? No. Traffic began without one."),
    }
    assert "Conflicting" not in (store / "0.json").read_text() and not ranked.report.flaws
    assert (store / "1.json").read_bytes() == b""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"claim": "x"}', "expected a JSON array of annotated claims"),
        (b'[{"claim": "x"}]', "claim 0: label: expected 'Supported'.*got None"),
        (b'[{"claim": "x", "label": "Refuted", "questions": 1}]', "claim 0: expected an object with a label"),
        (b'[{"claim": "x", "label": "Refuted", "claim_types": "text"}]', "claim 0: types: expected a list"),
        (b'[{"claim": "x", "label": "Refuted", "questions": [{"answers": ["a"]}]}]', "claim 0: .*'question'"),
    ],
)
def test_a_file_without_annotations_is_an_error_that_says_where(tmp_path, content, message):
    file = tmp_path / "claims.json"
    file.write_bytes(content)
    with pytest.raises(ClaimsError, match=rf"claims\.json: {message}"):
        read_gold(file)


@pytest.mark.data
def test_the_dev_split_is_read_whole(shared):
    gold = read_gold(shared / "data" / "averitec" / "dev.json")
    assert len(gold) == 500 and all(claim.answers for claim in gold)
    assert sum(claim.label is Label.REFUTED for claim in gold) == 305
