"""The records that pass between the parts of the system: frozen, typed and complete.

Nothing here knows how a record is made.
"""

import datetime
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from knowledge_store.pages.page import Passage


class Record(BaseModel):
    """Base of all records: immutable, no unknown fields, no number that JSON cannot hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def explain(fault: Mapping[str, Any], whole: str = "the object", *, quoting: bool = True) -> str:
    """A fault of ``ValidationError.errors()`` in the words of this project; ``whole`` names what has no field.

    >>> explain({"loc": ("depth",), "type": "greater_than", "msg": "Input should be greater than 0", "input": 0})
    'depth: expected a number greater than 0, got 0'
    >>> explain({"loc": ("label",), "type": "missing", "msg": "Field required", "input": {}})
    'label: expected a value, got none'
    """
    place = ".".join(map(str, fault["loc"])) or whole
    match fault["type"]:
        case "json_invalid":
            why = fault["msg"].partition(": ")[2] or fault.get("ctx", {}).get("error", "")
            return f"{place}: expected valid JSON ({why})"
        case "missing":
            return f"{place}: expected a value, got none"
        case "extra_forbidden":
            return f"{place}: unknown field"
        case "value_error":
            return f"{place}: {fault['msg'].removeprefix('Value error, ')}"
    text = re.sub(r"^(Input|String|Value|Tuple|List) should (be |have )?", "expected ", fault["msg"])
    text = re.sub(r" after validation, not \d+$", "", text)
    text = re.sub(r"^expected a valid (tuple|list)$", "expected a list", text)
    text = re.sub(r"^expected a valid dictionary or (object|instance)\b.*", "expected an object", text)
    text = re.sub(r"^expected (greater|less) ", r"expected a number \1 ", text)
    return f"{place}: {text}, got {fault['input']!r:.60}" if quoting else f"{place}: {text}"


def roots(faults: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The faults without those that only follow from others: that a list is too short without an item at fault.

    >>> [one["loc"] for one in roots([{"loc": ("a", 0), "type": "missing"}, {"loc": ("a",), "type": "too_short"}])]
    [('a', 0)]
    """
    found = list(faults)
    within = {one["loc"][:length] for one in found for length in range(len(one["loc"]))}
    return [one for one in found if one["type"] != "too_short" or one["loc"] not in within]


def shown(value: object) -> str:
    """A value of a wrong type, for messages: what it is, and its type.

    >>> shown(5)
    '5 (int)'
    """
    return f"{value!r:.60} ({type(value).__name__})"


class Label(StrEnum):
    """The four veracity labels of AVeriTeC, spelled as the official scorer wants them."""

    SUPPORTED = "Supported"
    REFUTED = "Refuted"
    NOT_ENOUGH_EVIDENCE = "Not Enough Evidence"
    CONFLICTING = "Conflicting Evidence/Cherrypicking"

    @property
    def of_two(self) -> "Label":
        """The label where there are but two: what is not shown to be true is Refuted (CARP, section 3.1)."""
        return self if self is Label.SUPPORTED else Label.REFUTED


TWO_LABELS = (Label.SUPPORTED, Label.REFUTED)
"""The labels where there are but two; see ``Label.of_two``."""

SCHEMA = 1
"""Version of what ``ClaimResult.to_dict`` gives; it is raised when a field changes its meaning or goes."""

GUESS = 1 / len(Label)
"""Confidence of a verdict that rests on nothing."""
NOTHING_FOUND = "Nothing was found on it"  # how a justification begins if no source speaks of the claim


class Summary(Record):
    """A thought in words, for people who read a graph: on a page, in a terminal, in the events of the service."""

    heading: str
    text: str
    leaning: Label | None = None  #: the label that it speaks for, if any
    minor: bool = False  #: whether nothing was built on it, such as a question that was not explored


class Content(Record):
    """Base of what a thought may hold; a subclass with a kind is one of them, registered where it is defined."""

    kind: ClassVar[str]  #: what such a thought is called in graphs and reports
    letter: ClassVar[str]  #: the letter of its id

    @property
    def summary(self) -> Summary:
        """The content in words; unless a record says it better, its kind and all its fields."""
        fields = "; ".join(f"{name} {value}" for name, value in self if value not in ("", None))
        return Summary(heading=self.kind, text=fields)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if "kind" in vars(cls):
            if any(cls.kind == other.kind or cls.letter == other.letter for other in CONTENTS.values()):
                raise TypeError(f"{cls.__name__}: kind {cls.kind!r} or letter {cls.letter!r} is taken")
            CONTENTS[cls.kind] = cls


CONTENTS: dict[str, type[Content]] = {}
"""The records that a thought may hold, by their kind."""


class AnswerType(StrEnum):
    """The answer types of AVeriTeC (Schlichtkrull et al., 2023)."""

    EXTRACTIVE = "Extractive"
    ABSTRACTIVE = "Abstractive"
    BOOLEAN = "Boolean"
    UNANSWERABLE = "Unanswerable"


ANSWER_HEADINGS = {
    AnswerType.EXTRACTIVE: "answer, quoted",
    AnswerType.ABSTRACTIVE: "answer, in other words",
    AnswerType.BOOLEAN: "answer, yes or no",
    AnswerType.UNANSWERABLE: "no answer",
}


class Source(StrEnum):
    """The source of an answer: a passage, or the metadata of the claim (the paper's figure 5)."""

    EVIDENCE = "Evidence"
    METADATA = "Metadata"


def official_date(text: str) -> str:
    """A date as AVeriTeC writes it, from the same form or ISO's; what is not known is the empty string.

    >>> official_date("2020-08-25"), official_date("25-8-2020")
    ('25-8-2020', '25-8-2020')
    """
    for form in ("%d-%m-%Y", "%Y-%m-%d"):
        try:
            day = datetime.datetime.strptime(text, form)
        except ValueError:
            continue
        return text if form == "%d-%m-%Y" else f"{day.day}-{day.month}-{day.year:04}"
    if text:
        raise ValueError(f"expected a date as 2020-08-25 or 25-8-2020, got {text!r:.60}")
    return ""


def without_marks(text: str) -> str:
    """A statement without the marks of Markdown, its links and notes; anything else stays as it is.

    >>> without_marks("- It holds **84** million [litres](https://a.example), and 2 * 3 is `6`.[^1]")
    'It holds 84 million litres, and 2 * 3 is 6.'
    """
    text = _AROUND.sub("", text)
    if not _MARKS.search(text) or _PRODUCT.search(text):
        return text
    from markdown_it import MarkdownIt  # only here: few claims have marks

    marks = MarkdownIt("zero", {"maxNesting": 20}).enable(["emphasis", "strikethrough", "backticks", "link"])
    (block,) = marks.parseInline(text)
    return "".join("\n" if one.type.endswith("break") else one.content for one in block.children or ())


LONGEST = 500  # characters of a claim; AVeriTeC's have 392 at most
MOST_WORDS = 100  # of a claim, numbers included; AVeriTeC's have 74
_WORD = re.compile(r"\w+")
_AROUND = re.compile(r"^\s*(?:(?:#{1,6}|[>*+•–-])\s+)*|(?<=\S)(?:\[\^?\d{1,3}\])+|(?<=[.!?])[⁰¹²³⁴-⁹]+$")
_MARKS = re.compile(r"[*_`~]\S|\]\(\S")
_PRODUCT = re.compile(r"\d\*\d")


def too_long(text: str) -> bool:
    """Whether a text is longer than a statement."""
    return len(text) > LONGEST or len(_WORD.findall(text)) > MOST_WORDS


def short_enough(text: str) -> str:
    """A text that is no longer than one statement is: what is longer costs other claims their time."""
    if too_long(text):
        raise ValueError(
            f"expected a statement of at most {LONGEST:,} characters and {MOST_WORDS} words, got {len(text):,} and "
            f"{len(_WORD.findall(text)):,}: {text[:40]!r} …; shorten it, or check it as a text, statement by statement"
        )
    return text


class ClaimsError(Exception):
    """Unusable claims; the message names the file, the line or claim, what was expected and what was found."""


class Claim(Content):
    """A claim with the metadata that is known of it; an unknown field is the empty string.

    Gold labels and gold questions are deliberately absent: what the system never holds, it cannot leak.

    >>> Claim("The Aster bridge opened in 1932.", date="2021-05-03").date
    '3-5-2021'
    """

    kind = "claim"
    letter = ""

    #: position of the claim in its file, counted from 0; a claim by itself has none, and 0 stands here. The same text
    #: may occur under several ids
    id: int = Field(0, ge=0)
    text: str
    #: day-month-year as AVeriTeC writes it, unpadded ("25-8-2020"); an ISO date is taken too
    date: Annotated[str, AfterValidator(official_date)] = ""
    speaker: str = ""
    original_url: str = ""
    reporting_source: str = ""
    location: str = ""  #: ISO 3166 country code
    #: the sentences before it in its text, if the claim cannot be understood without them ("It has two lanes."); only
    #: the claim itself is checked
    context: str = ""

    def __init__(
        self,
        text: str,
        *,
        id: int | None = None,
        date: str = "",
        speaker: str = "",
        original_url: str = "",
        reporting_source: str = "",
        location: str = "",
        context: str = "",
    ) -> None:
        """Make a claim; see the attributes. Marks of Markdown in the text are removed.

        Raises:
            ClaimsError: a value has another type, the text is empty or too long, the id below 0, or the date has
                neither form.
        """
        given: dict[str, Any] = {"text": text, "date": date, "speaker": speaker, "original_url": original_url}
        given |= {"reporting_source": reporting_source, "location": location, "context": context}
        try:
            if isinstance(text, str):
                given["text"] = short_enough(without_marks(text))
                if not given["text"].strip(" *_`~"):
                    raise ValueError("expected a statement to check, got an empty text")
            super().__init__(**given, **({} if id is None else {"id": id}))
        except ValidationError as error:
            raise ClaimsError(f"claim: {'; '.join(map(explain, error.errors()))}") from None
        except ValueError as error:
            raise ClaimsError(f"claim: {error}") from None

    # Only people call the constructor; records that are read back are validated as those of other classes are.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @property
    def numbered(self) -> bool:
        """Whether it was given an id."""
        return "id" in self.model_fields_set

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return (field for field in super().__repr_args__() if self.numbered or field[0] != "id")

    @model_serializer(mode="wrap")
    def _without_id(self, plain: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]  # keeps the schema
        """The fields; what is no number of the claim is not written."""
        fields = plain(self)
        if not self.numbered:
            fields.pop("id", None)
        if not self.context:
            fields.pop("context", None)
        return fields

    @property
    def query(self) -> str:
        """Context and text, to search with."""
        return f"{self.context} {self.text}".strip()

    @property
    def day(self) -> datetime.date | None:
        """The claim's date, or None where it is unknown."""
        return datetime.datetime.strptime(self.date, "%d-%m-%Y").date() if self.date else None

    @property
    def metadata(self) -> dict[str, str]:
        """The known metadata by the field's name in AVeriTeC, in the order of the paper's appendix A.1."""
        fields = {
            "claim_date": self.date,
            "speaker": self.speaker,
            "original_claim_url": self.original_url,
            "reporting_source": self.reporting_source,
            "location_ISO_code": self.location,
            "text_before_the_claim": self.context,
        }
        return {name: value for name, value in fields.items() if value}

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        return Summary(heading=self.kind, text=self.text)


class Answer(Content):
    """The answer of one passage, or of the claim's metadata, to one question."""

    kind = "answer"
    letter = "a"

    text: str
    type: AnswerType
    source: Source
    passage: Passage

    @property
    def answered(self) -> bool:
        """Whether it answers the question at all."""
        return self.type is not AnswerType.UNANSWERABLE

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        heading = "answer, from metadata" if self.source is Source.METADATA else ANSWER_HEADINGS[self.type]
        return Summary(heading=heading, text=self.text, minor=not self.answered)


NO_ANSWER = "No answer could be found."
"""The answer to an unanswered question, in AVeriTeC's own words."""


class QuestionAnswer(Content):
    """A question with the answer merged from the answers of its passages."""

    kind = "merged answer"
    letter = "m"

    question: str
    answer: str
    answers: tuple[Answer, ...]  #: those that the merged answer rests on, the most important first; empty without one

    @classmethod
    def unanswered(cls, question: str) -> Self:
        """A question that nothing answered."""
        return cls(question=question, answer=NO_ANSWER, answers=())

    @property
    def answered(self) -> bool:
        """Whether any passage, or the metadata, answered the question."""
        return bool(self.answers)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages that the answer was read from; metadata does not count."""
        return tuple(answer.passage for answer in self.answers if answer.source is Source.EVIDENCE)

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses of the pages that the answer was read from, each once."""
        return tuple(dict.fromkeys(passage.url for passage in self.passages))

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        return Summary(heading=self.kind, text=self.answer, minor=not self.answered)


class Verdict(Content):
    """A label with its reasons."""

    kind = "verdict"
    letter = "v"

    label: Label
    justification: str
    confidence: float  #: probability of the label in [0, 1], as far as its maker can tell

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        return Summary(heading=f"{self.label}, {self.confidence:.0%}", text=self.justification, leaning=self.label)

    @property
    def of_two(self) -> "Verdict":
        """The verdict where there are but two labels; if the label changes, its confidence is at most a guess's."""
        if self.label in TWO_LABELS:
            return self
        return Verdict(
            label=self.label.of_two,
            justification=f"{self.justification} What is not shown to be true counts as Refuted.",
            confidence=min(self.confidence, 1 / len(TWO_LABELS)),
        )


class Calibration(Record):
    """Calibrated confidences: fitted probabilities that a label is right, with straight lines between them.

    >>> Calibration(confidences=(0.0, 1.0), probabilities=(0.2, 0.6)).of(0.5)
    0.4
    """

    confidences: tuple[float, ...]  #: ascending, from 0 to 1
    probabilities: tuple[float, ...]  #: one for each of them

    @model_validator(mode="after")
    def _is_a_curve(self) -> Self:
        if not 2 <= len(self.confidences) == len(self.probabilities):
            raise ValueError("expected two confidences or more, and a probability for each")
        rising = all(low < high for low, high in pairwise(self.confidences))
        if not rising or (self.confidences[0], self.confidences[-1]) != (0, 1):
            raise ValueError("expected confidences that ascend from 0 to 1")
        if not all(0 <= value <= 1 for value in self.probabilities):
            raise ValueError("expected probabilities from 0 to 1")
        return self

    def of(self, confidence: float) -> float:
        """The probability that a label given with this confidence is right."""
        import numpy as np  # only here: the help of a command imports this module

        return float(np.interp(confidence, self.confidences, self.probabilities))


Tokens = Annotated[int, Field(ge=0, lt=2**53)]
"""As many as JSON can count exactly: a server may say anything."""


class Cost(Record):
    """Cost of a step. Seconds are wall time; tokens are the model's own count, or 0 without one."""

    seconds: float = 0.0
    queue_seconds: float = 0.0  #: of the seconds, those before the model began with the request
    decode_seconds: float = 0.0  #: of the seconds, those from the first token of the reply to the last
    calls: int = 0
    tokens_in: Tokens = 0
    tokens_cached: Tokens = 0  #: of the tokens in, those that the prefix cache held
    tokens_out: Tokens = 0

    @classmethod
    def total(cls, costs: Iterable["Cost"]) -> "Cost":
        """Field-wise sum; concurrent steps count in full, so seconds may exceed the wall time of the whole."""
        costs = list(costs)
        return cls(**{name: sum(getattr(cost, name) for cost in costs) for name in cls.model_fields})


class Timing(Record):
    """The time report of one claim."""

    #: reading and ranking the claim's store plus everything from the first question to the verdict. Loading models is
    #: outside; it is in the run's report
    seconds: float
    stages: dict[str, float]  #: seconds by stage; those of stages that ran at the same time may sum to more
    cost: Cost
    rounds: int  #: question rounds of the deepest branch
    branches: int
    cut_short: bool  #: the deadline ended the work before the strategy was done
    duplicates: int = 0  #: questions that were dropped because they repeat another
    replaced: int = 0  #: questions that were asked in the place of such
    finished_at: float = 0.0  #: seconds of the run, its earlier parts included, at the claim's end; 0 outside a run


class Failure(Content):
    """Something that went wrong and was survived."""

    kind = "failure"
    letter = "f"

    operation: str
    message: str  #: what was expected and what came
    cause: str = ""  #: the kind of failure, if the message adds particulars only for the operator; otherwise empty
    unanswered: bool = False  #: whether the claim's row stands for this failure instead of an answer

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        return Summary(heading=f"failed: {self.operation}", text=self.message)


class Correction(Record):
    """A corrected claim: the words that were wrong, those that replace them, and the sentence that says so."""

    text: str
    said: str
    instead: str
    quotation: str
    address: str  #: of the page with the quotation


class ClaimResult(Record):
    """All that is kept of a finished claim, except its graph."""

    claim: Claim
    verdict: Verdict
    pairs: tuple[QuestionAnswer, ...]  #: those that carry the verdict first; at least one
    timing: Timing
    failures: tuple[Failure, ...] = ()
    flaws: dict[str, int] = {}  #: what reading the claim's store found wrong with it, by the flaw's name
    #: what was left out of the user's documents; of claims on the same documents, the first has them
    warnings: tuple[str, ...] = ()
    correction: Correction | None = None

    @property
    def failed(self) -> bool:
        """Whether the verdict stands for a failure instead of an answer."""
        return any(failure.unanswered for failure in self.failures)

    def to_dict(self) -> dict[str, Any]:
        """Claim, verdict, evidence and correction as plain values, for JSON; the same wherever an answer is given."""
        return {
            "schema": SCHEMA,
            "claim": self.claim.model_dump(mode="json"),
            "label": str(self.verdict.label),
            "confidence": self.verdict.confidence,
            "justification": self.verdict.justification,
            "evidence": [
                {
                    "question": pair.question,
                    "answer": pair.answer,
                    "passages": [{"address": one.url, "text": one.text} for one in pair.passages],
                }
                for pair in self.pairs
                if pair.answered
            ],
            "correction": self.correction.model_dump() if self.correction else None,
            "failures": [failure.message for failure in self.failures],
            "flaws": self.flaws,
            "warnings": [*self.warnings],
            "seconds": self.timing.seconds,
            "cut_short": self.timing.cut_short,
        }
