"""A case: one claim under investigation, with everything that the operations share."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, cast

from knowledge_store.pages.page import Passage
from system.deadline import Deadline, Stopwatch
from system.graph.graph import Graph, Listener, unheard
from system.graph.records import Claim, Content, Cost, Failure, QuestionAnswer, Verdict
from system.graph.thoughts import D, Thought
from system.models.base import Completion, ErrorKind, Model, ModelError, Request, Result
from system.settings import SEED, TEMPERATURE, Settings
from system.tasks.base import R, Reply, Task

if TYPE_CHECKING:  # every strategy imports this module, for the help of a command too, and theirs take a second
    from knowledge_store.dense.encoder import Encoder, Vectors
    from knowledge_store.dense.search import PassageIndex
    from system.reader.base import Reader

SECOND_TRY = 7919  # added to the seed when a malformed reply is asked for once more


class Unusable(ValueError):
    """A reply that fits its schema cannot be used; says what was expected and what came."""


@dataclass(frozen=True)
class Step(Generic[R, D]):
    """A request to the model, and what becomes of the reply."""

    task: Task[R]
    #: makes the thought's content of the reply; None where there is nothing to keep. May raise ``Unusable``
    build: Callable[[Completion[R]], D | None]
    parents: Sequence[Thought[Content]]  #: of the thought
    under: Thought[Content] | None = None  #: the thought whose id the new id extends; by default the first parent


@dataclass(frozen=True)
class Outcome:
    """The result of a strategy."""

    verdict: Verdict
    pairs: tuple[QuestionAnswer, ...]  #: for the submission, those that carry the verdict first
    rounds: int  #: question rounds of the deepest branch
    branches: int


def _bundled_reader() -> "Reader":
    from system.reader.loading import load_reader

    return load_reader()


@dataclass
class Case:
    """One claim under investigation."""

    claim: Claim
    settings: Settings
    model: Model
    encoder: "Encoder"
    index: "PassageIndex"
    gold_passages: tuple[Passage, ...]  #: the annotated evidence, if the settings want it in place of retrieval
    deadline: Deadline
    failures: list[Failure] = field(default_factory=list)  #: what went wrong and was survived, so far
    listener: Listener = unheard  #: is told of every thought as it is added to the graph
    reader: "Reader" = field(default_factory=_bundled_reader)  #: says what a page makes of a statement
    own: bool = False  #: whether what it is checked against are documents of the user's own

    def __post_init__(self) -> None:
        self.graph = Graph(self.claim, self.listener)
        self.stopwatch = Stopwatch(self.deadline)

    async def think(
        self, operation: str, steps: Sequence[Step[R, D]], *, final: bool = False
    ) -> list[Thought[D] | None]:
        """Have the model do steps together, and add a thought of each reply.

        Returns:
            The thoughts, in order; None for a step that failed, which is noted, or of whose reply nothing was made.

        Raises:
            DeadlineExpired: see ``generate``.
        """
        return self.keep(operation, steps, await self.generate(operation, [step.task for step in steps], final=final))

    def keep(
        self, operation: str, steps: Sequence[Step[R, D]], results: Sequence[Completion[R] | ModelError]
    ) -> list[Thought[D] | None]:
        """Add a thought of each result, in order; see ``think``."""
        return [self._keep(operation, step, result) for step, result in zip(steps, results, strict=True)]

    def _keep(self, operation: str, step: Step[R, D], result: Completion[R] | ModelError) -> Thought[D] | None:
        try:
            if isinstance(result, Completion):
                content = step.build(result)
                if content is None:
                    return None
                return self.graph.add(content, step.parents, operation, result.cost, step.under)
        except Unusable as error:
            result = ModelError(ErrorKind.MALFORMED_REPLY, str(error), result.cost, result.prompt, result.raw)
        self.fail(operation, result, step.parents)
        return None

    async def generate(
        self, operation: str, tasks: Sequence[Task[R]], *, final: bool = False
    ) -> list[Completion[R] | ModelError]:
        """Have the model do tasks together; a malformed reply is asked for once more.

        Raises:
            DeadlineExpired: the operation's share of the budget is spent.
        """
        results = await self._generate(operation, [self._request(task) for task in tasks], final)
        malformed = ErrorKind.MALFORMED_REPLY
        again = [i for i, one in enumerate(results) if isinstance(one, ModelError) and one.kind is malformed]
        if again and self.stopwatch.has_time_for(operation):
            second = await self._generate(operation, [self._request(tasks[i], SECOND_TRY) for i in again], final)
            for i, result in zip(again, second, strict=True):
                results[i] = replace(result, cost=Cost.total([results[i].cost, result.cost]))
        # A backend promises replies of the task's own type.
        return cast("list[Completion[R] | ModelError]", results)

    async def embed(self, operation: str, texts: Sequence[str]) -> "Vectors":
        """Embed short texts, (len(texts), dimension) float32."""
        return await self.stopwatch.within_deadline(operation, lambda: asyncio.to_thread(self.encoder.encode, texts))

    def fail(self, operation: str, error: ModelError, parents: Sequence[Thought[Content]]) -> None:
        """Note a request that failed, in the graph and in the report."""
        failure = Failure(operation=operation, message=f"{error.kind}: {error.message}", cause=str(error.kind))
        self.failures.append(failure)
        self.graph.add(failure, parents, operation, error.cost)

    def cost(self) -> Cost:
        """Sum of the costs of all thoughts."""
        return Cost.total(thought.cost for thought in self.graph)

    async def _generate(self, operation: str, requests: list[Request], final: bool) -> list[Result]:
        return await self.stopwatch.within_deadline(operation, lambda: self.model.generate(requests), final=final)

    def _request(self, task: Task[Reply], seed: int = 0) -> Request:
        variant = task.variant(1 + len(self.settings.model.other_models)) + seed
        return Request(task, TEMPERATURE if variant else 0.0, SEED + variant)
