"""A model that follows a script: for tests. What the script does not expect is an error, never a default answer."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence

from system.graph.records import Cost
from system.models.base import Completion, ModelError, Request, Result
from system.models.prompting import read_reply
from system.tasks.base import Reply

Line = Reply | ModelError | str | Exception | None
"""A script's answer to a request: a reply, an error result, a raw text to be read as a model's, an exception that
brings the backend down, or None: the script does not know the request."""

Script = Callable[[Request], Line | Awaitable[Line]]
COST = Cost(calls=1)


class ScriptedModel:
    """Answers from a script, and remembers its requests and whether it was closed."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[Request] = []
        self.closed = False

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        self.requests.extend(requests)
        return list(await asyncio.gather(*map(self._answer, requests)))

    async def close(self) -> None:
        """See ``Model.close``."""
        self.closed = True

    async def _answer(self, request: Request) -> Result:
        line = self._script(request)
        if inspect.isawaitable(line):
            line = await line
        match line:
            case Reply():
                return Completion(line, COST, raw=line.model_dump_json())
            case str():
                return read_reply(request.task, line, COST, prompt="")
            case ModelError():
                return line
            case Exception():
                raise line
        raise LookupError(f"the script has nothing to say to {request.task!r}")
