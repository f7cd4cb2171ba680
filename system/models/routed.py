"""Several models behind the one seam: each agent has its own (CARP's heterogeneous teams)."""

import asyncio
from collections.abc import Sequence

from system.models.base import Model, Request, Result


class RoutedModel:
    """Routes each request by its task's agent; agents beyond the number of models start again with the first."""

    def __init__(self, models: Sequence[Model]) -> None:
        self._models = tuple(models)

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``. The models work at the same time."""
        places: dict[int, list[int]] = {}
        for place, request in enumerate(requests):
            places.setdefault(request.task.agent % len(self._models), []).append(place)
        batches = ([requests[place] for place in mine] for mine in places.values())
        answered = await asyncio.gather(
            *(self._models[which].generate(batch) for which, batch in zip(places, batches, strict=True))
        )
        results = {
            place: result
            for mine, batch in zip(places.values(), answered, strict=True)
            for place, result in zip(mine, batch, strict=True)
        }
        return [results[place] for place in range(len(requests))]

    async def close(self) -> None:
        """See ``Model.close``."""
        for model in self._models:
            await model.close()
