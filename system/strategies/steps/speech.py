"""A turn in a conversation over a body of evidence."""

from collections.abc import Sequence

from system.case import Case, Step
from system.graph.records import Content
from system.graph.thoughts import SIDES, Argument, Speaker, Thought
from system.models.base import Completion
from system.strategies.steps.evidence import SharedEvidence, cited
from system.strategies.steps.tasks import ArgumentReply, Speech


async def speak(
    case: Case,
    shared_evidence: SharedEvidence,
    transcript: Sequence[Thought[Argument]],
    number: int,
    kind: type[Speech],
    speaker: Speaker,
    side: Speaker,
) -> Thought[Argument] | None:
    """Take a turn for a side in a round, with citations; None when the model failed.

    If there are other models, speakers run on these, so that judges keep the first to themselves.
    """
    others = len(case.settings.model.other_models)
    task = kind(
        **shared_evidence.read,
        agent=1 + SIDES.index(side) % others if others else 0,
        side=side,
        transcript=tuple(thought.content for thought in transcript),
    )
    parents: list[Thought[Content]] = [*shared_evidence.thoughts, *transcript]

    def said(result: Completion[ArgumentReply]) -> Argument:
        passages = cited(case, kind.name, result.reply.citations, shared_evidence, parents)
        return Argument(speaker=speaker, round=number, text=result.reply.argument.strip(), passages=passages)

    (argument,) = await case.think(kind.name, [Step(task, said, parents, under=case.graph.root)])
    return argument
