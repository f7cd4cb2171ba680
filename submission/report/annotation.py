"""The gold side of a claim as AVeriTeC annotates it: label, reasons, questions, answers and their sources."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from submission.files import SubmissionError, read_json_array, repair
from system.records import AnswerType, Label


def _known(value: Any) -> Any:
    """AVeriTeC leaves unknown fields null."""
    return repair(value) if isinstance(value, str) else "" if value is None else value


Text = Annotated[str, BeforeValidator(_known)]


class Annotation(BaseModel):
    """Base of the annotations: immutable; fields that nobody reads here are left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class GoldAnswer(Annotation):
    """An answer; ``source_url`` is empty where it has none."""

    answer: Text
    answer_type: Text = ""
    boolean_explanation: Text = ""
    source_url: Text = ""

    @property
    def text(self) -> str:
        """The answer with its explanation, where it is a mere yes or no."""
        return f"{self.answer}. {self.boolean_explanation}" if self.boolean_explanation else self.answer

    @property
    def answered(self) -> bool:
        """Whether there is anything that a system could have found."""
        return self.answer_type != AnswerType.UNANSWERABLE


class GoldQuestion(Annotation):
    """A question with its answers."""

    question: Text
    answers: tuple[GoldAnswer, ...] = ()


class GoldClaim(Annotation):
    """The annotation of a claim."""

    claim: Text
    label: Label
    justification: Text = ""
    claim_types: tuple[str, ...] = ()
    fact_checking_strategies: tuple[str, ...] = ()
    fact_checking_article: Text = ""
    questions: tuple[GoldQuestion, ...] = ()

    @property
    def evidence(self) -> Iterator[GoldAnswer]:
        """The answers that a system could have found."""
        return (answer for question in self.questions for answer in question.answers if answer.answered)


def read_annotations(path: Path) -> list[GoldClaim]:
    """Read a split with gold labels; the index is the claim's id.

    Raises:
        SubmissionError: the file cannot be read, or a claim is not annotated.
    """
    return [_claim(path, number, item) for number, item in enumerate(read_json_array(path))]


def annotations_if_any(path: Path) -> list[GoldClaim]:
    """The annotations of a file of claims; none where it is not a split with gold labels."""
    try:
        return read_annotations(path)
    except SubmissionError:  # which is the answer here: claims need no labels, and may come as lines or as plain text
        return []


def _claim(path: Path, number: int, item: object) -> GoldClaim:
    try:
        return GoldClaim.model_validate(item)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        raise SubmissionError(
            f"{path}: claim {number}: {place}: {fault['msg']}; give a file with gold labels (train or dev)"
        ) from error
