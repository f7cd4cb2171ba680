"""The Graph of Thoughts (Besta et al., 2024): what was thought, from what, and at what cost.

The graph only grows. An edge is stored once, as a parent's id in the child, and a parent must exist before its child,
so the thoughts are in topological order and cycles are impossible.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from system.graph.records import Claim, Content, Cost
from system.graph.thoughts import ROOT, D, Thought

Listener = Callable[[Thought[Content]], None]
"""Is told of each thought as it is added, the claim first; called where the graph grows, so it must be quick."""


def unheard(_: Thought[Content]) -> None:
    """The listener of a graph that nobody follows."""


class GraphError(Exception):
    """A thought does not fit into the graph."""


class Graph:
    """The thoughts about one claim, in the order in which they came.

    Attributes:
        root: the claim as a thought.

    Args:
        claim: the first thought.
        listener: is told of every thought.

    >>> from system.graph.thoughts import Question
    >>> graph = Graph(Claim(id=0, text="Water is wet."))
    >>> question = graph.add(Question(text="Is water wet?"), [graph.root], "ask")
    >>> question.id, question.parents
    ('q1', ('claim',))
    >>> Graph.from_json(graph.to_json()).thoughts == graph.thoughts
    True
    """

    def __init__(self, claim: Claim, listener: Listener = unheard) -> None:
        self.root = Thought[Claim](id=ROOT, kind=claim.kind, parents=(), operation="read", content=claim)
        self._thoughts: dict[str, Thought[Content]] = {ROOT: self.root}
        self._listener = listener
        listener(self.root)

    @property
    def thoughts(self) -> tuple[Thought[Content], ...]:
        """All thoughts, parents before children."""
        return tuple(self._thoughts.values())

    def __getitem__(self, thought_id: str) -> Thought[Content]:
        return self._thoughts[thought_id]

    def __iter__(self) -> Iterator[Thought[Content]]:
        return iter(self.thoughts)

    def holding(self, content: type[D]) -> list[Thought[D]]:
        """The thoughts that hold such a record, oldest first."""
        return [cast("Thought[D]", thought) for thought in self if type(thought.content) is content]

    def add(
        self,
        content: D,
        parents: Sequence[Thought[Content]],
        operation: str,
        cost: Cost | None = None,
        under: Thought[Content] | None = None,
    ) -> "Thought[D]":
        """Append a thought.

        Args:
            under: the thought whose id the new id extends; the first parent unless told otherwise.

        Raises:
            GraphError: there is no parent, or a parent is not in this graph.
        """
        if not parents:
            raise GraphError(f"a thought of kind {content.kind!r} needs a parent")
        above = (under or parents[0]).id
        prefix = content.letter if above == ROOT else f"{above}.{content.letter}"
        number = 1 + sum(
            thought_id.startswith(prefix) and thought_id[len(prefix) :].isdigit() for thought_id in self._thoughts
        )
        thought = Thought[Any](
            id=f"{prefix}{number}",
            kind=content.kind,
            parents=tuple(parent.id for parent in parents),
            operation=operation,
            content=content,
            cost=cost or Cost(),
        )
        self._append(thought)
        return thought

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON writer; ``from_json`` reads it back without loss."""
        return {"thoughts": [thought.model_dump(mode="json") for thought in self]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Graph":
        """Read what ``to_json`` wrote.

        Raises:
            GraphError: the first thought is not a claim, a parent is missing, or an id occurs twice.
        """
        thoughts = [Thought[Any].model_validate(item) for item in data["thoughts"]]
        if not thoughts or not isinstance(thoughts[0].content, Claim):
            raise GraphError("a graph begins with its claim")
        graph = cls(thoughts[0].content)
        for thought in thoughts[1:]:
            graph._append(thought)
        return graph

    def _append(self, thought: Thought[Content]) -> None:
        missing = [parent for parent in thought.parents if parent not in self._thoughts]
        if missing or thought.id in self._thoughts:
            raise GraphError(f"thought {thought.id!r} " + (f"has unknown parents {missing}" if missing else "exists"))
        self._thoughts[thought.id] = thought
        self._listener(thought)
