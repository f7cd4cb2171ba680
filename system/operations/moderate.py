"""Moderate: a ruling after each round of a debate, and the verdict at its end (DebateCV, section 3.2)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.operations.exhibits import Exhibits
from system.records import Content, Verdict
from system.speech import Argument, Ruling
from system.tasks.debate import GO_ON, CloseDebate, Moderate
from system.thoughts import Thought


async def moderate(
    case: Case, exhibits: Exhibits, transcript: Sequence[Thought[Argument]], rulings: Sequence[Thought[Ruling]]
) -> Thought[Ruling] | None:
    """Sum up the round that has just ended, and decide, or say why the debate must go on.

    Returns:
        The ruling, or None when the model failed.
    """
    parents: list[Thought[Content]] = [*transcript, *rulings]
    task = Moderate(
        claim=case.claim,
        pairs=exhibits.pairs,
        evidence=exhibits.passages,
        transcript=tuple(thought.content for thought in transcript),
        rulings=tuple(thought.content for thought in rulings),
    )
    (result,) = await case.generate("moderate", [task])
    if isinstance(result, ModelError):
        case.fail("moderate", result, parents)
        return None
    reply = result.reply
    ruling = Ruling(
        round=len(rulings) + 1,
        insight=reply.insight.strip(),
        gaps=reply.gaps.strip(),
        reason=reply.reason.strip(),
        decision=None if reply.decision == GO_ON else reply.decision,
        confidence=result.confidence,
    )
    return case.graph.add(ruling, parents, "moderate", result.cost, under=case.graph.root)


async def repeats(case: Case, rulings: Sequence[Thought[Ruling]]) -> bool:
    """Whether the last round brought nothing new: its insight is a near-duplicate of the one before."""
    if len(rulings) < 2:
        return False
    before, last = await case.embed("moderate", [thought.content.insight for thought in rulings[-2:]])
    return bool((before @ last).round(4) >= case.settings.graph.duplicate)


async def close_debate(
    case: Case, exhibits: Exhibits, transcript: Sequence[Thought[Argument]], rulings: Sequence[Thought[Ruling]]
) -> Thought[Verdict] | None:
    """The verdict of a debate that has converged or has run out of rounds or time; may use the reserve.

    Returns:
        The verdict, or None when the model failed.
    """
    parents: list[Thought[Content]] = [*transcript, *rulings]
    task = CloseDebate(
        claim=case.claim,
        pairs=exhibits.pairs,
        evidence=exhibits.passages,
        transcript=tuple(thought.content for thought in transcript),
        rulings=tuple(thought.content for thought in rulings),
    )
    (result,) = await case.generate("moderate", [task], final=True)
    if isinstance(result, ModelError):
        case.fail("moderate", result, parents)
        return None
    verdict = Verdict(
        label=result.reply.label, justification=result.reply.justification.strip(), confidence=result.confidence
    )
    return case.graph.add(verdict, parents, "moderate", result.cost, under=case.graph.root)
