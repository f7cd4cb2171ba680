"""Several models behind the one seam: of the agents of a team, or of the tasks that rules do better or faster."""

import asyncio
from collections.abc import Callable, Sequence

from system.models.base import Model, Request, Result
from system.tasks.base import Reply, Task

Route = Callable[[Task[Reply]], int]
"""The place of the model that does a task."""


def by_agent(models: int) -> Route:
    """Each agent has a model of its own (CARP's heterogeneous teams); those beyond start again with the first."""
    return lambda task: task.agent % models


class RoutedModel:
    """Sends each request to one of several models.

    Args:
        route: which of them.
    """

    def __init__(self, models: Sequence[Model], route: Route) -> None:
        self._models = tuple(models)
        self._route = route

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``. The models work at the same time."""
        places: dict[int, list[int]] = {}
        for place, request in enumerate(requests):
            places.setdefault(self._route(request.task), []).append(place)
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
