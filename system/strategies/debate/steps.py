"""Debate: two sides argue, a moderator rules (He et al., 2026, figure 1 and section 3.2).

Two debaters take turns, the affirmative first; after each round the moderator gives a verdict or asks for another
round. The debate ends with its first verdict, and with a last ruling when rounds or time run out.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from system.case import Case, Outcome, Step
from system.deadline import DeadlineExpired
from system.graph.records import Content, Label, Verdict
from system.graph.thoughts import SIDES, Argument, D, Speaker, Thought
from system.models.base import Completion
from system.strategies.base import strategy
from system.strategies.debate.records import Ruling, Skipped
from system.strategies.debate.tasks import CONTINUE, Argue, CloseDebate, Moderate, ModeratorTask, RulingReply
from system.strategies.steps.evidence import GATHERING, Pairs, SharedEvidence, gather, share_evidence
from system.strategies.steps.tasks import ArgumentReply, Speech
from system.strategies.steps.verdict import Verdicts, as_verdict, conclude, has_majority, share
from system.tasks.base import R

ROUND = ("argue", "argue", "moderate")


@strategy(uses=(*GATHERING, "rounds"))
async def debatecv(case: Case) -> Outcome:
    """Check a claim by debate alone, over evidence that is gathered once (DebateCV)."""

    async def verdict() -> Thought[Verdict] | None:
        return await debate(case, share_evidence(case, await gather(case)))

    return await conclude(case, verdict())


@dataclass
class Conversation:
    """A debate or a consultancy over a body of evidence, and what was said in it so far."""

    case: Case
    evidence: SharedEvidence
    transcript: list[Thought[Argument]] = field(default_factory=list)
    rulings: list[Thought[Ruling]] = field(default_factory=list)

    @property
    def said(self) -> tuple[Argument, ...]:
        """The transcript, as tasks have it."""
        return tuple(thought.content for thought in self.transcript)

    async def speak(self, kind: type[Speech], speaker: Speaker, side: Speaker, number: int) -> Thought[Argument] | None:
        """Take a turn for a side in a round, with citations; None when the model failed.

        If there are other models, speakers run on these, so that judges keep the first to themselves.
        """
        others = len(self.case.settings.model.other_models)
        agent = 1 + SIDES.index(side) % others if others else 0
        parents: list[Thought[Content]] = [*self.evidence.thoughts, *self.transcript]

        def argument(result: Completion[ArgumentReply]) -> Argument:
            passages = self.evidence.cited(self.case, kind.name, result.reply.citations, parents)
            return Argument(speaker=speaker, round=number, text=result.reply.argument.strip(), passages=passages)

        task = kind(**self.evidence.read, agent=agent, side=side, transcript=self.said)
        (spoken,) = await self.case.think(kind.name, [Step(task, argument, parents, under=self.case.graph.root)])
        self.transcript += [spoken] if spoken else []
        return spoken

    async def ask_moderator(
        self, kind: type[ModeratorTask[R]], build: Callable[[Completion[R]], D], *, final: bool = False
    ) -> Thought[D] | None:
        """Have the moderator do a task by all that it has heard and said; None when the model failed."""
        task = kind(**self.evidence.read, transcript=self.said, rulings=tuple(one.content for one in self.rulings))
        step = Step(task, build, [*self.transcript, *self.rulings], under=self.case.graph.root)
        (thought,) = await self.case.think("moderate", [step], final=final)
        return thought


async def resolve_disagreement(case: Case, verdicts: Verdicts, pairs: Pairs) -> Thought[Verdict] | None:
    """The verdict of a debate if branches disagree; None if they agree, without time, or if the debate fails.

    Branches that all found Not Enough Evidence are debated too, if both sides can cite something of what was found.
    Where the search ends early (``graph.stop_early``), those that found not enough do not disagree with a majority.
    """
    labels = {thought.content.label for thought in verdicts}
    if case.settings.graph.stop_early and has_majority(verdicts, len(verdicts)):
        labels.discard(Label.NOT_ENOUGH_EVIDENCE)
    if labels != {Label.NOT_ENOUGH_EVIDENCE} and len(labels) < 2:
        return None
    if not any(pair.content.passages for pair in pairs):
        skip(case, verdicts, "there is no evidence to debate")
    elif not case.stopwatch.has_time_for("judge", "judge", "judge"):  # no step of a round is slower than a judgement
        skip(case, verdicts, "there is no time left")
    elif ruled := await debate(case, share_evidence(case, pairs), both_sides=len(labels) == 1):
        # The branches that agree with the moderator count as much as its own confidence.
        agreement = share(ruled.content.label, [thought.content for thought in verdicts])
        merged = ruled.content.model_copy(update={"confidence": (ruled.content.confidence + agreement) / 2})
        return case.graph.add(merged, [ruled, *verdicts], "merge verdicts", under=case.graph.root)
    return None


async def debate(case: Case, shared_evidence: SharedEvidence, *, both_sides: bool = False) -> Thought[Verdict] | None:
    """Debate the claim over a body of evidence; if ``both_sides`` must cite, give up after an opening that does not.

    Return the moderator's verdict, or None when the debate was given up, failed, or had no time for one round.
    """
    held = Conversation(case, shared_evidence)
    with suppress(DeadlineExpired):  # what was said until then is ruled on in the reserve
        for number in range(1, case.settings.debate.rounds + 1):
            if number > 1 and not case.stopwatch.has_time_for(*ROUND):
                break
            if not all([await held.speak(Argue, side, side, number) for side in SIDES]):
                break
            if both_sides and number == 1 and not all(opening.passages for opening in held.said):
                skip(case, held.transcript, "only one side has evidence")
                return None
            ruling = await held.ask_moderator(Moderate, partial(_as_ruling, number))
            if ruling is None:
                break
            held.rulings.append(ruling)
            if label := ruling.content.decision:
                reason, confidence = ruling.content.reason, ruling.content.confidence
                verdict = Verdict(label=label, justification=reason, confidence=confidence)
                return case.graph.add(verdict, [ruling], "moderate", under=case.graph.root)
    if len(held.transcript) % len(SIDES):  # a round in which only one side spoke does not count
        held.transcript.pop()
    with suppress(DeadlineExpired):  # not even the reserve was enough; the case is marked as timed out
        if held.transcript:
            return await held.ask_moderator(CloseDebate, as_verdict, final=True)
    if case.stopwatch.timed_out:
        skip(case, held.transcript or shared_evidence.thoughts, "the time ran out")
    return None


def _as_ruling(number: int, result: Completion[RulingReply]) -> Ruling:
    reply = result.reply
    return Ruling(
        round=number,
        insight=reply.insight.strip(),
        gaps=reply.gaps.strip(),
        reason=reply.reason.strip(),
        decision=None if reply.decision == CONTINUE else reply.decision,
        confidence=result.confidence,
    )


def skip(case: Case, parents: Sequence[Thought[Content]], reason: str) -> None:
    """Mark in the graph that there was no debate, or no more of it."""
    case.graph.add(Skipped(step="debate", reason=reason), [*parents], "moderate", under=case.graph.root)
