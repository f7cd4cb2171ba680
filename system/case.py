"""A case: one claim under investigation, with everything that the operations share."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from knowledge_store.dense.encoder import Encoder, Vectors
from knowledge_store.dense.search import PassageIndex
from knowledge_store.pages.page import Passage
from system.deadline import Deadline, DeadlineExpired
from system.graph import Graph, Listener, unheard
from system.models.base import Completion, ErrorKind, Model, ModelError, Request, Result
from system.records import Claim, Content, Cost, Failure, QuestionAnswer, Verdict
from system.settings import Settings
from system.tasks.base import R, Reply, Task
from system.thoughts import D, Thought

T = TypeVar("T")
SECOND_TRY = 7919  # added to the seed when a malformed reply is asked for once more


class Unusable(ValueError):
    """A reply that fits its schema cannot be used; says what was expected and what came."""


@dataclass(frozen=True)
class Step(Generic[R, D]):
    """A request to the model, and what becomes of the reply.

    Attributes:
        build: makes the thought's content of the reply; None where there is nothing to keep. May raise ``Unusable``.
        parents: of the thought.
        under: the thought whose id the new id extends; the first parent unless told otherwise.
    """

    task: Task[R]
    build: Callable[[Completion[R]], D | None]
    parents: Sequence[Thought[Content]]
    under: Thought[Content] | None = None


@dataclass(frozen=True)
class Outcome:
    """What a strategy returns.

    Attributes:
        pairs: questions and answers for the submission, those that carry the verdict first.
        rounds: question rounds of the deepest branch.
    """

    verdict: Verdict
    pairs: tuple[QuestionAnswer, ...]
    rounds: int
    branches: int


@dataclass
class Case:
    """One claim under investigation.

    Attributes:
        seed_passages: the store's leading passages for the claim, of which readers without a language model form
            questions.
        gold_passages: the annotated evidence, where the settings want it instead of retrieval; else empty.
        failures: what went wrong and was survived, so far.
        timed_out: whether the deadline has ended some of the work.
        listener: is told of every thought as it is added to the graph.
    """

    claim: Claim
    settings: Settings
    model: Model
    encoder: Encoder
    index: PassageIndex
    seed_passages: tuple[Passage, ...]
    gold_passages: tuple[Passage, ...]
    deadline: Deadline
    failures: list[Failure] = field(default_factory=list)
    timed_out: bool = False
    listener: Listener = unheard

    def __post_init__(self) -> None:
        self.graph = Graph(self.claim, self.listener)
        self._spans: dict[str, list[tuple[float, float]]] = {}

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
        again = [i for i, result in enumerate(results) if _is_malformed(result)]
        if again and self.affords(operation):
            second = await self._generate(operation, [self._request(tasks[i], SECOND_TRY) for i in again], final)
            for i, result in zip(again, second, strict=True):
                results[i] = result
        # A backend promises replies of the task's own type.
        return cast("list[Completion[R] | ModelError]", results)

    async def embed(self, operation: str, texts: Sequence[str]) -> Vectors:
        """Embed short texts, (len(texts), dimension) float32."""
        return await self.within_deadline(operation, lambda: asyncio.to_thread(self.encoder.encode, texts))

    async def within_deadline(self, operation: str, work: Callable[[], Awaitable[T]], *, final: bool = False) -> T:
        """Start work and await it until the deadline; note how long it took.

        Raises:
            DeadlineExpired: no time is left, before or during the work.
        """
        started = self.deadline.spent
        try:
            async with self.deadline.limit(final=final):
                return await work()
        except TimeoutError as error:
            self.timed_out = True
            raise DeadlineExpired(f"{operation}: the claim's budget is spent") from error
        finally:
            self._spans.setdefault(operation, []).append((started, self.deadline.spent))

    def affords(self, *operations: str) -> bool:
        """Whether there is time for these operations if each takes as long as it has for this claim so far."""
        longest = (max((end - start for start, end in self._spans.get(name, ())), default=0.0) for name in operations)
        enough = sum(longest) < self.deadline.left()
        self.timed_out |= not enough
        return enough

    def fail(self, operation: str, error: ModelError, parents: Sequence[Thought[Content]]) -> None:
        """Note a request that failed, in the graph and in the report."""
        failure = Failure(operation=operation, message=f"{error.kind}: {error.message}", cause=str(error.kind))
        self.failures.append(failure)
        self.graph.add(failure, parents, operation, error.cost)

    def stages(self) -> dict[str, float]:
        """Seconds by operation during which at least one such operation was under way."""
        return {operation: _covered(spans) for operation, spans in self._spans.items()}

    def cost(self) -> Cost:
        """Sum of the costs of all thoughts."""
        return Cost.total(thought.cost for thought in self.graph)

    async def _generate(self, operation: str, requests: list[Request], final: bool) -> list[Result]:
        return await self.within_deadline(operation, lambda: self.model.generate(requests), final=final)

    def _request(self, task: Task[Reply], seed: int = 0) -> Request:
        varied = task.variant > 0 or seed > 0
        model = self.settings.model
        return Request(task, model.temperature if varied else 0.0, model.seed + task.variant + seed)


def _is_malformed(result: Result) -> bool:
    return isinstance(result, ModelError) and result.kind is ErrorKind.MALFORMED_REPLY


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Length of the union of intervals.

    >>> _covered([(0.0, 2.0), (1.0, 3.0), (5.0, 6.0)])
    4.0
    """
    total, end = 0.0, float("-inf")
    for start, stop in sorted(spans):
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total
