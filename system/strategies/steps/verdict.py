"""Verdict: judge what was found (section 3.2.4), vote (table 1), hold the result to its evidence, and conclude."""

from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import Any

from system.case import Case, Outcome, Step
from system.deadline import DeadlineExpired
from system.graph.records import Content, Failure, Label, Verdict
from system.graph.thoughts import Argument, Question, Thought
from system.models.base import Completion
from system.strategies.steps.evidence import Pairs, all_answered_so_far, cited_beside
from system.strategies.steps.options import examples_like
from system.strategies.steps.tasks import JudgeClaim

# What a full tie falls back on: labels by their frequency in AVeriTeC's training split.
ORDER = (Label.REFUTED, Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE, Label.CONFLICTING)

Verdicts = Sequence[Thought[Verdict]]


async def judge(case: Case, pairs: Pairs, verdicts: Verdicts = (), *, final: bool = False) -> Thought[Verdict] | None:
    """Judge the claim by the answers of a branch, or of all with verdicts; a final judgement may use the reserve."""
    latest = case.graph[pairs[-1].above] if pairs and not verdicts else case.graph.root
    under = latest if isinstance(latest.content, Question) else case.graph.root
    known = tuple(pair.content for pair in pairs)
    task = JudgeClaim(claim=case.claim, pairs=known, examples=examples_like(case))
    parents: list[Thought[Content]] = [*verdicts] or [*reversed(pairs)] or [case.graph.root]
    (verdict,) = await case.think("judge", [Step(task, as_verdict, parents, under)], final=final)
    return verdict


def as_verdict(result: Completion[Any]) -> Verdict:
    """The verdict of a reply that has a justification and a label."""
    reply = result.reply
    return Verdict(label=reply.label, justification=reply.justification.strip(), confidence=result.confidence)


def vote(case: Case, verdicts: Verdicts) -> Thought[Verdict]:
    """The label that most branches gave.

    Of labels with equally many votes a conclusive one beats Not Enough Evidence; then the greater summed confidence
    counts, then the label's frequency in AVeriTeC. The justification is that of the most confident winning branch.
    """
    if not verdicts:
        return no_verdict(case)
    cast = [thought.content for thought in verdicts]
    votes = Counter(verdict.label for verdict in cast)

    def rank(label: Label) -> tuple[int, bool, float, int]:
        conclusive = label is not Label.NOT_ENOUGH_EVIDENCE
        return votes[label], conclusive, round(share(label, cast), 6), -ORDER.index(label)

    label = max(votes, key=rank)
    best = max((verdict for verdict in cast if verdict.label is label), key=lambda verdict: verdict.confidence)
    merged = Verdict(label=label, justification=best.justification, confidence=share(label, cast))
    return case.graph.add(merged, verdicts, "final verdict", under=case.graph.root)


def has_majority(verdicts: Verdicts, branches: int) -> bool:
    """Whether more than half of the branches give one label other than Not Enough Evidence: no vote can change it."""
    votes = Counter(thought.content.label for thought in verdicts)
    del votes[Label.NOT_ENOUGH_EVIDENCE]
    return 2 * max(votes.values(), default=0) > branches


def share(label: Label, cast: Sequence[Verdict]) -> float:
    """The share of the votes that a label has, each vote counted by its confidence."""
    return sum(verdict.confidence for verdict in cast if verdict.label is label) / len(cast)


def no_verdict(case: Case) -> Thought[Verdict]:
    """Not Enough Evidence for a claim that no branch could judge, marked as a failure."""
    reason = "the time ran out" if case.stopwatch.timed_out else "no branch reached a verdict"
    message = f"expected a verdict of at least one branch, but {reason}"
    case.failures.append(Failure(operation="final verdict", message=message, unanswered=True))
    justification = f"The claim was not judged: {reason}."
    verdict = Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=justification, confidence=0.0)
    return case.graph.add(verdict, [case.graph.root], "final verdict")


async def conclude(case: Case, work: Awaitable[Thought[Verdict] | None]) -> Outcome:
    """Await a strategy's verdict; if time or model failed it, judge what was found, in the reserve of the budget."""
    verdict: Thought[Verdict] | None = None
    with suppress(DeadlineExpired):
        verdict = await work
    return outcome(case, verdict or await judge_in_reserve(case) or no_verdict(case))


async def judge_in_reserve(case: Case) -> Thought[Verdict] | None:
    """Judge all that was learned, in the time that was kept for it; otherwise vote on the existing verdicts."""
    with suppress(DeadlineExpired):
        if verdict := await judge(case, all_answered_so_far(case), final=True):
            return verdict
    earlier = case.graph.holding(Verdict)
    return vote(case, earlier) if earlier else None


def outcome(case: Case, verdict: Thought[Verdict]) -> Outcome:
    """A verdict with all that was learned: answered questions first, and of these what verdicts of its label rest on.

    Supported and Refuted are taken back if no answer rests on a retrieved passage, unless evidence was not wanted.
    """
    held = verdict.content
    agreeing = [one for one in case.graph.holding(Verdict) if one.content.label is held.label]
    carrying = {parent for one in agreeing for parent in one.parents}
    found = [pair.content for pair in sorted(all_answered_so_far(case), key=lambda pair: pair.id not in carrying)]
    pairs = sorted([*found, *cited_beside(case, found)], key=lambda pair: not pair.answered)
    wanted = held.label in (Label.SUPPORTED, Label.REFUTED) and case.settings.debate.evidence != "none"
    if wanted and not any(pair.passages for pair in pairs):
        message = f"expected {held.label} to cite a retrieved passage, but none of its answers rests on one"
        case.failures.append(Failure(operation="cite", message=message))
        why = f"{held.label} was taken back, because no answer rests on a passage: {held.justification}"
        held = Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=why, confidence=0.0)
    rounds = max((said.content.round for said in case.graph.holding(Argument)), default=1)
    return Outcome(verdict=held, pairs=tuple(pairs), rounds=rounds, branches=len(case.graph.holding(Question)))
