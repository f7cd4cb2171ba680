"""Cooperate: one turn of an instructor and an assistant (CAMEL, Li et al., 2023)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.operations.exhibits import Exhibits, cited
from system.records import Content
from system.speech import Argument, Speaker
from system.tasks.baselines import CarryOut, Instruct
from system.thoughts import Thought


async def instruct(
    case: Case, exhibits: Exhibits, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """What to do next; None when nothing is left to do, or the model failed."""
    parents: list[Thought[Content]] = [*exhibits.thoughts, *transcript]
    said = tuple(thought.content for thought in transcript)
    task = Instruct(claim=case.claim, pairs=exhibits.pairs, evidence=exhibits.passages, transcript=said)
    (result,) = await case.generate("instruct", [task])
    if isinstance(result, ModelError):
        case.fail("instruct", result, parents)
        return None
    if result.reply.done:
        return None
    text = result.reply.instruction.strip()
    instruction = Argument(speaker=Speaker.INSTRUCTOR, round=number, text=text, passages=())
    return case.graph.add(instruction, parents, "instruct", result.cost, under=case.graph.root)


async def carry_out(
    case: Case, exhibits: Exhibits, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """What came of the last instruction; None when the model failed."""
    parents: list[Thought[Content]] = [*exhibits.thoughts, *transcript]
    said = tuple(thought.content for thought in transcript)
    task = CarryOut(claim=case.claim, pairs=exhibits.pairs, evidence=exhibits.passages, transcript=said)
    (result,) = await case.generate("carry out", [task])
    if isinstance(result, ModelError):
        case.fail("carry out", result, parents)
        return None
    passages = cited(case, "carry out", result.reply.citations, exhibits, parents)
    found = Argument(speaker=Speaker.ASSISTANT, round=number, text=result.reply.argument.strip(), passages=passages)
    return case.graph.add(found, parents, "carry out", result.cost, under=case.graph.root)
