import orjson
import pytest

from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings
from system.claims import ClaimsError, read_claims
from system.gold import read_gold, write_gold_store
from system.records import Label

ROWS = [
    {
        "claim": "The Aster bridge opened in 1932.",
        "label": "Conflicting Evidence/Cherrypicking",
        "questions": [
            {
                "question": "When did it open?",
                "answers": [
                    {"answer": "In 1932.", "answer_type": "Extractive", "source_url": "https://a.example"},
                    {"answer": "No", "boolean_explanation": "Traffic began in 1933.", "source_url": None},
                ],
            }
        ],
    },
    {"claim": "A second claim.", "label": "Refuted", "questions": []},
]


@pytest.fixture
def annotated(tmp_path):
    file = tmp_path / "dev.json"
    file.write_bytes(orjson.dumps(ROWS))
    return file


def test_annotations_are_read_with_their_sources(annotated):
    first, second = read_gold(annotated)
    assert (first.claim, first.label) == (ROWS[0]["claim"], Label.CONFLICTING)
    assert [(answer.text, answer.url) for answer in first.answers] == [
        ("In 1932.", "https://a.example"),
        ("No Traffic began in 1933.", "annotation:0/1"),
    ]
    assert second.answers == ()


def test_the_gold_store_holds_the_answers_and_never_the_label(annotated, tmp_path):
    store = write_gold_store(annotated, read_claims(annotated), tmp_path / "gold")
    ranked = rank(store / "0.json", ROWS[0]["claim"], RetrievalSettings())
    assert {(passage.url, passage.text) for passage in ranked.passages} == {
        ("https://a.example", "When did it open? In 1932."),
        ("annotation:0/1", "When did it open? No Traffic began in 1933."),
    }
    assert "Conflicting" not in (store / "0.json").read_text() and not ranked.report.flaws
    assert (store / "1.json").read_bytes() == b""


def test_a_store_that_says_the_same_is_left_alone(annotated, tmp_path):
    claims = read_claims(annotated)
    file = write_gold_store(annotated, claims, tmp_path / "gold") / "0.json"
    before = file.stat().st_mtime_ns
    write_gold_store(annotated, claims, tmp_path / "gold")
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "expected an annotated"),
        (b"{}", r"expected an annotated AVeriTeC JSON array, came \{\}"),
        (b'[{"claim": "x"}]', r"claim 0: expected a label and questions.*KeyError: 'questions'"),
        (b'[{"claim": "x", "label": "Maybe", "questions": []}]', "claim 0: expected a label"),
        (b'[{"claim": "x", "label": "Refuted", "questions": []}, 1]', "claim 1: expected a label"),
        (b'[{"claim": "x", "label": "Refuted", "questions": 1}]', "claim 0: expected a label"),
        (b'[{"claim": "x", "label": "Refuted", "questions": [{"answers": ["a"]}]}]', "claim 0: expected a label"),
    ],
)
def test_a_file_without_annotations_is_an_error_that_says_where(tmp_path, content, message):
    file = tmp_path / "claims.json"
    file.write_bytes(content)
    with pytest.raises(ClaimsError, match=rf"claims\.json: {message}"):
        read_gold(file)


def test_a_byte_order_mark_is_passed_over(annotated):
    gold = read_gold(annotated)
    annotated.write_bytes(b"\xef\xbb\xbf" + annotated.read_bytes())
    assert read_gold(annotated) == gold


@pytest.mark.data
def test_the_dev_split_is_read_whole(shared):
    gold = read_gold(shared / "data" / "averitec" / "dev.json")
    assert len(gold) == 500 and all(claim.answers for claim in gold)
    assert sum(claim.label is Label.REFUTED for claim in gold) == 305
