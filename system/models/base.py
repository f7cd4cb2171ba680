"""The one interface to models: requests in, results out, in order; errors are results too.

Each backend has its own file beside this one and imports its library there.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, Protocol

import orjson

from system.graph.records import Cost
from system.tasks.base import R, Reply, Task


class ModelUnavailable(Exception):
    """A backend cannot be used on this machine; the message says what is missing and what to do."""


def first_line(error: Exception) -> str:
    """Return a library's error in one line; its type if it says nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


@dataclass(frozen=True)
class Request:
    """One thing to ask of a model; a temperature of 0 is greedy, and the seed is for sampling."""

    task: Task[Reply]
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Completion(Generic[R]):
    """A reply that fits its schema, with the text that the model read and wrote.

    ``confidence`` is the probability of the label in which the reply ends, given its reasons; 1 for others.
    """

    reply: R
    cost: Cost = field(default_factory=Cost)
    prompt: str = ""
    raw: str = ""
    confidence: float = 1.0


class ErrorKind(StrEnum):
    """Why a request failed; only a malformed reply is worth asking again."""

    MALFORMED_REPLY = "malformed reply"
    TOO_LONG = "request too long"
    BACKEND = "backend error"


@dataclass(frozen=True)
class ModelError:
    """A request that got no usable reply; the message says what was expected and what came."""

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

        A request that cannot be served yields a ``ModelError``; an exception means that the whole backend is gone.
        """
        ...

    async def close(self) -> None:
        """Free what the backend holds; it is not used afterwards."""
        ...


class TracedModel:
    """A model that writes what passes through it to a file, in JSON Lines."""

    def __init__(self, model: Model, path: Path) -> None:
        self._model = model
        self._file = path.open("ab")

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        results = await self._model.generate(requests)
        for request, result in zip(requests, results, strict=True):
            self._file.write(orjson.dumps(_line(request, result), option=orjson.OPT_APPEND_NEWLINE))
        self._file.flush()
        return results

    async def close(self) -> None:
        """See ``Model.close``."""
        self._file.close()
        await self._model.close()


def _line(request: Request, result: Result) -> dict[str, Any]:
    task = request.task
    if isinstance(result, Completion):
        outcome = {"reply": result.reply.model_dump(mode="json"), "confidence": result.confidence}
    else:
        outcome = {"error": f"{result.kind}: {result.message}"}
    return {
        "claim_id": task.claim.id,
        "task": task.name,
        "adapter": task.adapter,
        "temperature": request.temperature,
        "seed": request.seed,
        "prompt": result.prompt,
        "raw": result.raw,
        **outcome,
        **result.cost.model_dump(exclude={"seconds"}),
        "milliseconds": round(result.cost.seconds * 1000, 1),
    }


class NoModel:
    """A model for strategies that ask none; a request is answered by an error that says so."""

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        return [ModelError(ErrorKind.BACKEND, "no model is loaded for this strategy, which asks none")] * len(requests)

    async def close(self) -> None:
        """There is nothing to free."""


class RoutedModel:
    """Several models that agents take turns on, as CARP's teams do: each agent always asks the same one."""

    def __init__(self, models: Sequence[Model]) -> None:
        self._models = tuple(models)

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``. The models work at the same time."""
        answers = (self._models[one.task.agent % len(self._models)].generate([one]) for one in requests)
        return [result for (result,) in await asyncio.gather(*answers)]

    async def close(self) -> None:
        """See ``Model.close``."""
        for model in self._models:
            await model.close()
