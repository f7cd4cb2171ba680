"""Requests and replies of the service, from which FastAPI makes the OpenAPI schema."""

import re
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Base64Bytes, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.functional_validators import BeforeValidator

from system.graph.records import LONGEST, official_date, short_enough

DOCUMENTS = 64  # documents of one claim or text
TEXT = 100_000  # characters; 10,000 words have some 65,000

EXAMPLE: dict[str, Any] = {
    "claim": "The Aster bridge opened in 1931.",
    "date": "3-5-2021",
    "documents": [{"name": "https://history.example/aster", "text": "The Aster bridge opened in 1932, after a delay."}],
}
EXAMPLE_OF_TEXT: dict[str, Any] = {"text": "The Aster bridge opened in 1931.", "documents": EXAMPLE["documents"]}


def _whole(text: Any) -> Any:
    """Refuse what is more than Base64: the decoder would skip it."""
    if isinstance(text, str) and re.search(r"[^\w+/=\s]|_", text, re.ASCII):
        raise ValueError("expected Base64 alone, without 'data:…;base64,' before it")
    return text


Stated = StringConstraints(strip_whitespace=True, min_length=1)
ClaimText = Annotated[
    str,
    Stated,
    Field(max_length=LONGEST, description="one statement that is true or false"),
    AfterValidator(short_enough),
]
Day = Annotated[
    str, AfterValidator(official_date), Field(description="the day it was made, as 25-8-2020 or 2020-08-25")
]
Speaker = Annotated[str, Field(max_length=500, description="who made it")]
DocumentName = Annotated[
    str, Field(max_length=500, description="title, file name or web address, shown as the source; never opened")
]
Encoded = Annotated[
    Base64Bytes,
    BeforeValidator(_whole),
    Field(min_length=1, description="a file in Base64, in place of text; its kind is that of its name or content"),
]


class _Given(BaseModel):
    """A request; of some pairs of fields, exactly one is given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="after")
    def _with_one_of_each(self) -> Self:
        for pair in (("text", "file"), ("documents", "store")):
            if set(pair) <= {*type(self).model_fields} and len({*pair} & self.model_fields_set) != 1:
                raise ValueError(f"expected either {pair[0]!r} or {pair[1]!r}; give one of them")
        return self


class UploadedDocument(_Given):
    """A text to check a claim against, or a file that holds one."""

    name: DocumentName = ""
    text: str = Field("", min_length=1, description="plain text or Markdown")
    file: Encoded = b""


class _WithSource(_Given):
    """A request with what to check against: documents, or the name of a store that the service has."""

    date: Day = ""
    speaker: Speaker = ""
    documents: tuple[UploadedDocument, ...] = Field((), min_length=1, max_length=DOCUMENTS, description="texts to read")
    store: str = Field("", min_length=1, max_length=200, description="a name that GET /stores lists")


class Submission(_WithSource):
    """A claim to check."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    claim: ClaimText
    budget: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="seconds it may take; never more than the service's own budget"
    )


class TextSubmission(_WithSource):
    """A text whose statements to check."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_OF_TEXT]})

    name: DocumentName = ""
    text: Annotated[str, Stated, Field(max_length=TEXT, description="plain text, paragraphs apart")] = ""
    file: Encoded = b""


class State(StrEnum):
    """The state of a claim or a text."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class _Progress(BaseModel):
    """A job that was submitted, and its result once there is one."""

    id: str
    state: State
    position: int = Field(description="checks ahead of this one in the queue")
    problem: str = Field(description="why it cannot be checked, if the client can do something about it")


class ClaimProgress(_Progress):
    """A claim that was submitted, and its result once there is one."""

    claim: str
    budget: float = Field(description="seconds it may take, from its start")
    thoughts: int = Field(description="thoughts in its graph so far")
    result: dict[str, Any] | None = Field(
        description="as `factgraph verify --json` prints it: label, evidence, …; null until the state is done"
    )


class TextProgress(_Progress):
    """A text that was submitted, and its result once there is one."""

    statements: int | None = Field(description="sentences to check; null until the text is cut into sentences")
    checked: int = Field(description="of these, how many are done")
    result: dict[str, Any] | None = Field(
        description="as `factgraph text` writes it: counts, sentences, statements; null until the state is done"
    )


class Problem(BaseModel):
    """Why a request got no answer, and what to do."""

    detail: str


_PROBLEM = {"content": {"application/json": {"schema": Problem.model_json_schema()}}}  # of pages and streams, too
ERRORS: dict[int | str, dict[str, Any]] = dict.fromkeys((400, 401, 404, 409, 413, 422, 429), _PROBLEM)
"""For the OpenAPI schema; 429 comes with Retry-After, the seconds to wait before trying again."""
