"""Argue: one side's turn in a debate (DebateCV, section 3.2)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.operations.exhibits import Exhibits, cited
from system.speech import Argument, Speaker
from system.tasks.debate import Argue
from system.thoughts import Thought


async def argue(
    case: Case, exhibits: Exhibits, side: Speaker, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """Argue for a side, against what the other side has said.

    Args:
        number: of the round, from 1.

    Returns:
        The argument, or None when the model failed.
    """
    parents = [*exhibits.thoughts, *transcript]
    task = Argue(
        claim=case.claim,
        pairs=exhibits.pairs,
        evidence=exhibits.passages,
        side=side,
        transcript=tuple(thought.content for thought in transcript),
    )
    (result,) = await case.generate("argue", [task])
    if isinstance(result, ModelError):
        case.fail("argue", result, parents)
        return None
    passages = cited(case, "argue", result.reply.citations, exhibits, parents)
    argument = Argument(speaker=side, round=number, text=result.reply.argument.strip(), passages=passages)
    return case.graph.add(argument, parents, "argue", result.cost, under=case.graph.root)
