from pathlib import Path

import pytest

from submission.ev2r.judging import ComparedPairs
from submission.ev2r.models import read_official_prompts
from submission.ev2r.replies import Unit
from submission.files import SubmissionError

# In the form of the organizers' file, in words of our own.
FILE = '''
import enum
import no_such_library

raise SystemExit("this file must not be run")


class PromptTypes(enum.Enum):
    OTHER = "other"
    EVIDENCE = "atomic_reference_prec_recall"
    QUESTIONS = "atomic_question_reference_prec_recall"


OTHER_PROMPT = "Nothing: {}"
EVIDENCE_PROMPT = """Reply as {{"a": 1}}.
Claim: {}
Gold: {}
Predicted: {}"""
QUESTION_PROMPT = "{}|{}|{}"

PROMPT_MAPPING = {
    PromptTypes.OTHER: OTHER_PROMPT,
    PromptTypes.EVIDENCE: EVIDENCE_PROMPT,  # a comment
    PromptTypes.QUESTIONS: QUESTION_PROMPT,
}
'''


def _write(folder: Path, text: str) -> Path:
    (folder / "properties.py").write_text(text)
    return folder / "properties.py"


def _comparison(unit: Unit) -> ComparedPairs:
    gold = (("Who?", "A {man}."), ("Who?", "B."))
    return ComparedPairs(claim_id=0, claim="c {0}", unit=unit, predicted=(("When?", "C."), ("", "D.")), gold=gold)


def test_prompts_are_filled_in_as_the_official_scorer_does(tmp_path: Path) -> None:
    prompts = read_official_prompts(_write(tmp_path, FILE))
    assert prompts.prompt(_comparison(Unit.EVIDENCE)) == (
        'Reply as {"a": 1}.\nClaim: c {0}\nGold: Who?\t\t\nA {man}.\t\t\n\nWho?\t\t\nB.\t\t\n\n\n'
        "Predicted: When?\t\t\nC.\t\t\n\n\t\t\nD.\t\t\n\n"
    )
    assert prompts.prompt(_comparison(Unit.QUESTIONS)) == "c {0}|Who? Who?|When?"


def test_another_wording_has_another_name(tmp_path: Path) -> None:
    one = read_official_prompts(_write(tmp_path, FILE)).name
    assert read_official_prompts(_write(tmp_path, FILE.replace("Nothing", "Something"))).name == one
    assert read_official_prompts(_write(tmp_path, FILE.replace("Gold", "Reference"))).name != one


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PROMPT_MAPPING =", "OTHER_MAPPING ="),
        ('"{}|{}|{}"', '"{}|{}"'),
        ('"{}|{}|{}"', '"{}|{}|{name}"'),
        ('"{}|{}|{}"', "make()"),
        ("enum.Enum", "enum.Enum)("),
    ],
)
def test_rejects_another_file(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(SubmissionError, match=r"properties.py: expected the organizers' properties.py"):
        read_official_prompts(_write(tmp_path, FILE.replace(old, new)))
