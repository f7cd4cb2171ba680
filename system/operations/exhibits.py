"""Exhibits: the passages that agents argue over, numbered, and what their numbers stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from knowledge_store.pages.page import Passage
from system.case import Case
from system.models.base import ErrorKind, ModelError
from system.records import Content, QuestionAnswer
from system.thoughts import Thought


@dataclass(frozen=True)
class Exhibits:
    """The body of evidence that all agents share.

    Attributes:
        thoughts: the merged answers that it comes from; the claim itself where there are none.
        passages: distinct passages of the answers; agents cite them by their number from 1.
    """

    thoughts: tuple[Thought[Content], ...]
    pairs: tuple[QuestionAnswer, ...]
    passages: tuple[Passage, ...]


def exhibit(case: Case, pairs: Sequence[Thought[QuestionAnswer]]) -> Exhibits:
    """The evidence of several questions as one body, the best passage of each question first."""
    found = [thought.content for thought in pairs]
    by_rank = zip_longest(*(pair.passages for pair in found))
    distinct = {passage.key: passage for passage in chain.from_iterable(by_rank) if passage}
    return Exhibits(
        thoughts=tuple(pairs) or (case.graph.root,),
        pairs=tuple(found),
        passages=tuple(distinct.values())[: case.settings.debate.exhibits],
    )


def cited(
    case: Case, operation: str, numbers: Sequence[int], exhibits: Exhibits, parents: Sequence[Thought[Content]]
) -> tuple[Passage, ...]:
    """The passages that an agent cites; numbers that stand for none are left out and named as a failure."""
    known = len(exhibits.passages)
    unknown = [number for number in numbers if not 1 <= number <= known]
    if unknown:
        message = f"expected citations from 1 to {known}, got {unknown}"
        case.fail(operation, ModelError(ErrorKind.MALFORMED_REPLY, message), parents)
    return tuple(exhibits.passages[number - 1] for number in dict.fromkeys(numbers) if number not in unknown)
