"""The one seam to models: requests in, results out, in order; an error is a result of its own.

Every backend lives in a file of its own beside this one and imports its library there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Protocol

from system.records import Cost
from system.tasks.base import R, Reply, Task


class ModelUnavailable(Exception):
    """A backend cannot be used on this machine; the message says what is missing and what to do."""


@dataclass(frozen=True)
class Request:
    """One thing to ask of a model.

    Attributes:
        task: the typed inputs; its class names the prompt, the adapter and the reply's schema.
        temperature: 0 is greedy.
        seed: of the sampler; two requests that differ only in it may get different replies.
    """

    task: Task[Reply]
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Completion(Generic[R]):
    """A reply that fits its schema.

    Attributes:
        reply: an instance of the task's ``reply_type``.
        prompt: what the model read, as text; empty for readers that take no prompt.
        raw: what it wrote.
        confidence: probability of the label in which the reply ends, given its reasons; 1 for others.
        probabilities: of each label, where the backend compared them at once; empty elsewhere.
    """

    reply: R
    cost: Cost = field(default_factory=Cost)
    prompt: str = ""
    raw: str = ""
    confidence: float = 1.0
    probabilities: Mapping[str, float] = field(default_factory=dict)


class ErrorKind(StrEnum):
    """Why a request failed; only a malformed reply is worth asking again."""

    MALFORMED_REPLY = "malformed reply"
    TOO_LONG = "request too long"
    BACKEND = "backend error"


@dataclass(frozen=True)
class ModelError:
    """A request that got no usable reply.

    Attributes:
        message: what was expected and what came.
    """

    kind: ErrorKind
    message: str
    cost: Cost = field(default_factory=Cost)
    prompt: str = ""
    raw: str = ""


Result = Completion[Reply] | ModelError


class Model(Protocol):
    """A backend."""

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """Answer all requests, in order. Callers from many claims may wait at the same time.

        A request that cannot be served yields a ``ModelError`` in its place and leaves the others alone; an
        exception means that the backend as a whole is gone.
        """
        ...

    async def close(self) -> None:
        """Free what the backend holds; it is not used afterwards."""
        ...
