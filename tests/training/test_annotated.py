"""Reading gold annotations."""

import copy
from pathlib import Path

import pytest
from training_claims import BRIDGE, RECORDS, write

from system.records import AnswerType, Label
from training.annotated import AnnotationError, GoldAnswer, read_annotated


def test_claims_come_with_their_labels_and_answers(tmp_path: Path) -> None:
    bridge, *others = read_annotated(write(tmp_path / "train.json"))
    assert (bridge.claim.id, bridge.claim.text, bridge.label) == (0, BRIDGE["claim"], Label.SUPPORTED)
    assert bridge.answers[1] == GoldAnswer(
        question="Did the king open it?",
        place=1,
        text="No",
        type=AnswerType.BOOLEAN,
        explanation="The mayor of Aster opened the bridge alone.",
        url="https://example.org/no",
        copy="",
        medium="Web text",
    )
    assert [other.claim.id for other in others] == [1, 2, 3]


def test_absent_optional_fields_are_empty(tmp_path: Path) -> None:
    record = copy.deepcopy(BRIDGE)
    record["questions"][0]["answers"] = [{"answer": "In 1932.", "answer_type": "Extractive", "source_url": None}]
    (found,) = read_annotated(write(tmp_path / "train.json", [record]))
    assert (found.answers[0].url, found.answers[0].medium, found.answers[0].explanation) == ("", "", "")


def test_a_claim_without_text_is_left_out_and_ids_stay(tmp_path: Path) -> None:
    path = write(tmp_path / "train.json", [{**BRIDGE, "claim": " "}, BRIDGE])
    assert [found.claim.id for found in read_annotated(path)] == [1]


@pytest.mark.parametrize("field", ["label", "questions"])
def test_a_claim_without_annotations_is_named(field: str, tmp_path: Path) -> None:
    broken = {name: value for name, value in BRIDGE.items() if name != field}
    with pytest.raises(AnnotationError, match=rf"train.json: claim 4 .*{field}"):
        read_annotated(write(tmp_path / "train.json", [*RECORDS, broken]))


def test_a_list_of_lines_has_no_annotations(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("The Aster bridge opened in 1932.\n")
    with pytest.raises(AnnotationError, match=r"train.txt: expected one JSON array.*train\.json"):
        read_annotated(path)


@pytest.mark.data
def test_the_official_split_is_read_whole(shared: Path) -> None:
    found = read_annotated(shared / "data" / "averitec" / "train.json")
    assert len(found) == 3067  # claim 1948 is blank
    assert sum(len(one.answers) for one in found) > 8000


def test_an_array_past_reading_is_an_error_that_names_the_file(tmp_path):
    path = tmp_path / "dev.json"
    path.write_text('[{"claim": "c", "x": ' + "[" * 1010 + "]" * 1010 + "}]")
    with pytest.raises(AnnotationError, match=r"dev.json: expected one JSON array"):
        read_annotated(path)
