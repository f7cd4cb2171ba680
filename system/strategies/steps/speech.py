"""A turn in a conversation over a body of evidence."""

from collections.abc import Sequence

from system.case import Case, Step
from system.graph.records import Content
from system.graph.thoughts import Argument, Speaker, Thought
from system.models.base import Completion
from system.strategies.steps.evidence import SharedEvidence, cited
from system.strategies.steps.tasks.argument import ArgumentReply
from system.tasks.base import Task


def apart(case: Case, speaker: int) -> int:
    """The agent that a speaker is: where there are other models, one of theirs, so that judges keep the first alone."""
    others = len(case.settings.model.other_models)
    return 1 + speaker % others if others else 0


async def speak(
    case: Case,
    operation: str,
    task: Task[ArgumentReply],
    speaker: Speaker,
    shared_evidence: SharedEvidence,
    transcript: Sequence[Thought[Argument]],
    number: int,
) -> Thought[Argument] | None:
    """Take a turn, with citations; None when the model failed."""
    parents: list[Thought[Content]] = [*shared_evidence.thoughts, *transcript]

    def said(result: Completion[ArgumentReply]) -> Argument:
        passages = cited(case, operation, result.reply.citations, shared_evidence, parents)
        return Argument(speaker=speaker, round=number, text=result.reply.argument.strip(), passages=passages)

    (argument,) = await case.think(operation, [Step(task, said, parents, under=case.graph.root)])
    return argument
