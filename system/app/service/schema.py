"""Requests and replies of the service; the OpenAPI schema is made from these."""

from enum import StrEnum
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from system.graph.records import LONGEST, ClaimResult, official_date, short_enough

_YEAR = "[1-9][0-9]{3}"
_MONTHS = {"(0?[1-9]|[12][0-9])": "(0?[1-9]|1[0-2])", "30": "(0?[13-9]|1[0-2])", "31": "(0?[13578]|1[02])"}  # by days
_DAY_FIRST = "|".join(f"{day}-{month}" for day, month in _MONTHS.items())
_MONTH_FIRST = "|".join(f"{month}-{day}" for day, month in _MONTHS.items())
DATES = f"^(({_DAY_FIRST})-{_YEAR}|{_YEAR}-({_MONTH_FIRST}))?$"
DOCUMENTS = 64  # limit of one claim, or text
TEXT = 100_000  # characters; 10,000 words have some 65,000
BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
FILE = "a file in Base64: text, Markdown, HTML, PDF, DOCX or CSV, by the ending of its name or else by its content"
FORMS: dict[str, Any] = {"oneOf": [{"required": ["text"]}, {"required": ["file"]}]}
SOURCES: dict[str, Any] = {"oneOf": [{"required": ["documents"]}, {"required": ["store"]}]}

EXAMPLE: dict[str, Any] = {
    "claim": "The Aster bridge opened in 1931.",
    "date": "3-5-2021",
    "documents": [
        {
            "name": "https://history.example/aster",
            "text": "The Aster bridge opened in 1932, a year later than planned. A ferry ran until then.",
        }
    ],
}
EXAMPLE_OF_STORE: dict[str, Any] = {"claim": "The Aster bridge opened in 1931.", "store": "0"}
EXAMPLE_OF_TEXT: dict[str, Any] = {
    "text": "The Aster bridge opened in 1931. A ferry ran until then.",
    "documents": EXAMPLE["documents"],
}

ClaimText = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST, pattern=r"\S", description="one statement that is true or false"),
    AfterValidator(short_enough),
]
Day = Annotated[
    str,
    Field(pattern=DATES, description="the day it was made, as 25-8-2020 or 2020-08-25"),
    AfterValidator(official_date),
]
Speaker = Annotated[str, Field(max_length=500, description="who made it")]
DocumentName = Annotated[
    str, Field(max_length=500, description="title, file name or web address, shown as the source; never opened")
]


class UploadedDocument(BaseModel):
    """A text to check a claim against, or a file that holds one."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=FORMS)

    name: DocumentName = ""
    text: str = Field("", min_length=1, description="plain text or Markdown")
    file: str = Field("", min_length=4, pattern=BASE64, description=f"in place of text, {FILE}")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        return _with_one(self, "text", "file")


Given = TypeVar("Given", bound=BaseModel)


def _with_one(given: Given, one: str, other: str) -> Given:
    """What was given, if it has one of two fields."""
    if len({one, other} & given.model_fields_set) != 1:
        raise ValueError(f"expected either {one!r} or {other!r}; give one of them")
    return given


class Submission(BaseModel):
    """A claim with what to check it against: documents, or the name of a store that the service has."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={**SOURCES, "examples": [EXAMPLE, EXAMPLE_OF_STORE]}
    )

    claim: ClaimText
    date: Day = ""
    speaker: Speaker = ""
    documents: tuple[UploadedDocument, ...] = Field((), min_length=1, max_length=DOCUMENTS, description="texts to read")
    store: str = Field("", min_length=1, max_length=200, description="a name that GET /stores lists")
    budget: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="seconds it may take; never more than the service's own budget"
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        return _with_one(self, "documents", "store")


class TextSubmission(BaseModel):
    """A text with what to check it against: documents, or the name of a store that the service has."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"allOf": [FORMS, SOURCES], "examples": [EXAMPLE_OF_TEXT]}
    )  # fmt: skip

    name: DocumentName = ""
    text: str = Field("", min_length=1, max_length=TEXT, pattern=r"\S", description="plain text, paragraphs apart")
    file: str = Field("", min_length=4, pattern=BASE64, description=f"in place of text, {FILE}")
    date: Day = ""
    speaker: Speaker = ""
    documents: tuple[UploadedDocument, ...] = Field((), min_length=1, max_length=DOCUMENTS, description="texts to read")
    store: str = Field("", min_length=1, max_length=200, description="a name that GET /stores lists")

    @model_validator(mode="after")
    def _one_form_and_source(self) -> Self:
        return _with_one(_with_one(self, "text", "file"), "documents", "store")


class State(StrEnum):
    """The state of a claim."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"  # the service stopped before it ended


class ClaimProgress(BaseModel):
    """A claim that was submitted, and its result once there is one.

    Attributes:
        position: claims that are to be started before it.
        thoughts: how many the graph has so far.
    """

    id: str
    claim: str
    state: State
    position: int = Field(description="claims ahead of this one in the queue")
    budget: float = Field(description="seconds it may take, from its start")
    thoughts: int = Field(description="thoughts in its graph so far")
    problem: str = Field("", description="why the claim cannot be checked, where the client can do something about it")
    result: ClaimResult | None = Field(description="null until the state is done")


class TextProgress(BaseModel):
    """A text that was submitted, and its result once there is one."""

    id: str
    state: State
    position: int = Field(description="texts ahead of this one in the queue")
    statements: int | None = Field(description="sentences to check; null until the text is cut into sentences")
    checked: int = Field(description="of these, how many are done")
    problem: str = Field(description="why the text cannot be checked, where the client can do something about it")
    result: dict[str, Any] | None = Field(
        description="as `factgraph text` writes it: score, counts, sentences, statements; null until the state is done"
    )


class Problem(BaseModel):
    """Why a request got no answer, and what to do."""

    detail: str


class StoreNames(BaseModel):
    """The stores that claims can be checked against."""

    stores: list[str]


class Health(BaseModel):
    """That the service answers, and how busy it is."""

    status: str
    queued: int
    running: int


Answers = dict[int | str, dict[str, Any]]


def problems(*codes: int) -> Answers:
    """The errors that an operation may answer with, for the OpenAPI schema."""
    content = {"application/json": {"schema": Problem.model_json_schema()}}
    return {code: {"description": MEANING[code], "content": content} for code in codes}


MEANING = {
    400: "the body is not valid JSON",
    401: "the bearer token is missing or wrong",
    404: "no such name or id",
    409: "there is no result yet",
    413: "the body is too large",
    422: "a field has an invalid value",
    429: "the queue is full (Retry-After gives the seconds to wait before trying again), or too many streams are open",
}

ENDINGS = ["done", "failed", "cancelled", "lost", "stopped"]


def stream(description: str, *names: str) -> Answers:
    """A stream of server-sent events with these names, then one that ends it."""
    event = {
        "type": "object",
        "required": ["event", "data"],
        "properties": {
            "id": {"type": "string", "pattern": "^[0-9]+$"},
            "event": {"enum": [*names, *ENDINGS]},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
    return {
        200: {"description": f"server-sent events: {description}", "content": {"text/event-stream": {"schema": event}}}
    }


STREAM = stream("a 'thought' for each thought of the graph, as JSON, then one for the end", "thought")
STREAM_OF_TEXT = stream(
    "a 'text' with its sentences, a 'statement' for each that is done, as JSON, then one for the end",
    "text",
    "statement",
)
FIGURES: Answers = {200: {"description": "figures", "content": {"text/plain": {"schema": {"type": "string"}}}}}


def linked(what: str, *names: str) -> Answers:
    """That a job was taken, with the operations on it."""
    return {
        202: {
            "description": f"the {what} waits for its turn",
            "headers": {"Location": {"schema": {"type": "string"}, "description": f"address of the {what}"}},
            "links": {
                name: {"operationId": name, "parameters": {f"{what}_id": "$response.body#/id"}} for name in names
            },
        }
    }


LINKED = linked("claim", "progress", "thoughts", "report", "delete")
LINKED_TEXT = linked("text", "text_progress", "statements", "text_report", "text_delete")
