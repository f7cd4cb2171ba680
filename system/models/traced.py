"""Trace: every request and its reply as a JSON line, for people who want to see what the model really read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from system.models.base import Completion, Model, Request, Result


class TracedModel:
    """A model that writes down what passes through it; otherwise it is the model it wraps."""

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
    outcome = (
        {"reply": result.reply.model_dump(mode="json"), "confidence": result.confidence}
        if isinstance(result, Completion)
        else {"error": f"{result.kind}: {result.message}"}
    )
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
