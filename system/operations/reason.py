"""Reason: one agent, or several on their own, go from the evidence to a verdict in one prompt."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.operations.exhibits import Exhibits
from system.records import Content, Verdict
from system.speech import Argument
from system.tasks.baselines import VerifyClaim
from system.thoughts import Thought


async def reason(
    case: Case, exhibits: Exhibits, *, agents: int = 1, transcript: Sequence[Thought[Argument]] = ()
) -> list[Thought[Verdict]]:
    """The verdicts of agents who know nothing of each other; one that failed is left out.

    Args:
        transcript: what was worked out before.
    """
    parents: list[Thought[Content]] = [*exhibits.thoughts, *transcript]
    tasks = [
        VerifyClaim(
            claim=case.claim,
            pairs=exhibits.pairs,
            evidence=exhibits.passages,
            transcript=tuple(thought.content for thought in transcript),
            agent=agent,
        )
        for agent in range(agents)
    ]
    verdicts = []
    for result in await case.generate("reason", tasks):
        if isinstance(result, ModelError):
            case.fail("reason", result, parents)
        else:
            reply = result.reply
            verdict = Verdict(
                label=reply.label, justification=reply.justification.strip(), confidence=result.confidence
            )
            verdicts.append(case.graph.add(verdict, parents, "reason", result.cost, under=case.graph.root))
    return verdicts
