import json
from pathlib import Path

import pytest
from submission_factories import answer, passage, qa, result

from submission.files import SubmissionError
from submission.predictions import PLACEHOLDER_QUESTION, EvidencePair, predictions, read_json, write_json
from system.records import NO_ANSWER, Label, QuestionAnswer, Source


def test_an_entry_has_the_organisers_fields_and_ours(tmp_path: Path) -> None:
    write_json(predictions([result(claim_id=7, label=Label.CONFLICTING)]), tmp_path / "submission.json")
    assert json.loads((tmp_path / "submission.json").read_text()) == [
        {
            "claim_id": 7,
            "claim": "The bridge opened in 1932.",
            "evidence": [
                {
                    "question": "When did the bridge open?",
                    "answer": "In 1932.",
                    "url": "https://example.org/bridge",
                    "scraped_text": "The bridge opened in 1932.",
                }
            ],
            "pred_label": "Conflicting Evidence/Cherrypicking",
            "justification": "A page says so.",
            "confidence": 0.75,
        }
    ]


def test_an_answer_from_the_metadata_cites_no_page() -> None:
    [entry] = predictions([result(pairs=[qa("Who said it?", "A senator.", answer(source=Source.METADATA))])])
    assert entry.evidence == (EvidencePair(question="Who said it?", answer="A senator.", url="", scraped_text=""),)


def test_a_merged_answer_is_one_entry_with_its_first_passage() -> None:
    cited = [answer(cites=passage(f"text {n}", f"https://example.org/{n}")) for n in (2, 1)]
    [entry] = predictions([result(pairs=[qa("When?", "In 1932.", answer(source=Source.METADATA), *cited)])])
    [pair] = entry.evidence
    assert (pair.url, pair.scraped_text) == ("https://example.org/2", "text 2")


def test_answered_pairs_come_first_in_their_own_order() -> None:
    nothing = QuestionAnswer(question="Where?", answer="", answers=())
    [entry] = predictions([result(pairs=[qa("One?"), nothing, qa("Two?")])])
    assert [(pair.question, pair.answer) for pair in entry.evidence] == [
        ("One?", "In 1932."),
        ("Two?", "In 1932."),
        ("Where?", NO_ANSWER),
    ]


def test_a_claim_without_evidence_gets_one_placeholder() -> None:
    placeholder = (EvidencePair(question=PLACEHOLDER_QUESTION, answer=NO_ANSWER, url="", scraped_text=""),)
    blank = qa(" \n", "answer to nothing")
    assert [entry.evidence for entry in predictions([result(pairs=[]), result(1, pairs=[blank])])] == [placeholder] * 2


def test_all_text_can_be_written_and_read_again(tmp_path: Path) -> None:
    cited = answer(cites=passage("page \ud800\0 text", "https://example.org/\udc00"))
    entries = predictions([result(text="claim \ud83d\ude00\ud800", pairs=[qa("\nq\t\t\n?", "\t\t\na\0", cited)])])
    write_json(entries, tmp_path / "submission.json")
    assert read_json(tmp_path / "submission.json") == entries
    assert entries[0].claim == "claim 😀\ufffd"
    expected = {
        "question": "q\n?",
        "answer": "a",
        "url": "https://example.org/\ufffd",
        "scraped_text": "page \ufffd text",
    }
    assert [pair.model_dump() for pair in entries[0].evidence] == [expected]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence": None}, "entry 0: confidence: Input should be a valid number"),
        ({"claim": "\ud800"}, "entry 0: its text: Invalid JSON"),
        ({"more": 1}, "entry 0: more: Extra inputs"),
    ],
)
def test_what_no_run_wrote_is_an_error_that_names_the_entry(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = tmp_path / "submission.json"
    write_json(predictions([result()]), path)
    [entry] = json.loads(path.read_text())
    path.write_text(json.dumps([entry | change]))
    with pytest.raises(SubmissionError, match=rf"submission.json: {message}"):
        read_json(path)
