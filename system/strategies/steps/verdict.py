"""Verdict: judge what was found (section 3.2.4), vote (table 1), hold the result to its evidence, and conclude."""

from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import Any

from system.case import Case, Outcome, Step
from system.deadline import DeadlineExpired
from system.graph.records import Content, Failure, Label, QuestionAnswer, Verdict
from system.graph.thoughts import Argument, Question, Thought
from system.models.base import Completion
from system.strategies.steps.evidence import all_answered_so_far, cited_beside, question_of
from system.strategies.steps.tasks import JudgeClaim

DECIMALS = 4  # of a cosine; the batch that a sentence was embedded in shows only in later ones
# What a full tie falls back on: labels by their frequency in AVeriTeC's training split.
ORDER = (Label.REFUTED, Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE, Label.CONFLICTING)


async def judge(
    case: Case, pairs: Sequence[Thought[QuestionAnswer]], *, final: bool = False
) -> Thought[Verdict] | None:
    """Judge the claim by the questions and answers of a branch; None when the model failed.

    Args:
        final: whether this is the last judgement, which may use the reserve of the budget.
    """
    latest = question_of(case, pairs[-1]) if pairs else None
    task = JudgeClaim(claim=case.claim, pairs=tuple(pair.content for pair in pairs))
    parents: list[Thought[Content]] = [*reversed(pairs)] or [case.graph.root]
    (verdict,) = await case.think("judge", [Step(task, as_verdict, parents, latest or case.graph.root)], final=final)
    return verdict


async def judge_together(
    case: Case, verdicts: Sequence[Thought[Verdict]], pairs: Sequence[Thought[QuestionAnswer]]
) -> Thought[Verdict]:
    """One judgement of all that the branches found, in place of their vote.

    A reader without a language model learns little from the answer to one question (docs/engine.md). Without answers,
    without time, or if the model fails, the branches vote.
    """
    answered = tuple(pair.content for pair in pairs if pair.content.answered)
    with suppress(DeadlineExpired):  # the case is marked as timed out
        if answered:
            task = JudgeClaim(claim=case.claim, pairs=answered)
            (verdict,) = await case.think("judge", [Step(task, as_verdict, [*verdicts], under=case.graph.root)])
            if verdict:
                return verdict
    return vote(case, verdicts)


def as_verdict(result: Completion[Any]) -> Verdict:
    """The verdict of a reply that has a justification and a label."""
    reply = result.reply
    return Verdict(label=reply.label, justification=reply.justification.strip(), confidence=result.confidence)


def vote(case: Case, verdicts: Sequence[Thought[Verdict]]) -> Thought[Verdict]:
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


def has_majority(verdicts: Sequence[Thought[Verdict]], branches: int) -> bool:
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
    verdict = Verdict(
        label=Label.NOT_ENOUGH_EVIDENCE, justification=f"The claim was not judged: {reason}.", confidence=0.0
    )
    return case.graph.add(verdict, [case.graph.root], "final verdict")


def demote_uncited(case: Case, verdict: Verdict, pairs: Sequence[QuestionAnswer]) -> Verdict:
    """Take back Supported or Refuted if no answer rests on a retrieved passage, unless evidence was not wanted."""
    conclusive = verdict.label in (Label.SUPPORTED, Label.REFUTED)
    closed_book = case.settings.debate.evidence == "none"
    if not conclusive or closed_book or any(pair.passages for pair in pairs):
        return verdict
    message = f"expected {verdict.label} to cite a retrieved passage, but none of its answers rests on one"
    case.failures.append(Failure(operation="cite", message=message))
    return Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=verdict.justification, confidence=0.0)


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
    """A verdict with all that was learned: answered questions first."""
    found = [pair.content for pair in all_answered_so_far(case)]
    pairs = sorted([*found, *cited_beside(case, found)], key=lambda pair: not pair.answered)
    return Outcome(
        verdict=demote_uncited(case, verdict.content, pairs),
        pairs=tuple(pairs),
        rounds=max((said.content.round for said in case.graph.holding(Argument)), default=1),
        branches=len(case.graph.holding(Question)),
    )
