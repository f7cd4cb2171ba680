"""Vote: merge the verdicts of the branches by majority (table 1), and hold the result to its evidence."""

from collections import Counter
from collections.abc import Sequence

from system.case import Case
from system.records import Failure, Label, QuestionAnswer, Verdict
from system.thoughts import Thought

# What a full tie falls back on: labels by their frequency in AVeriTeC's training split.
ORDER = (Label.REFUTED, Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE, Label.CONFLICTING)


def vote(case: Case, verdicts: Sequence[Thought[Verdict]]) -> Thought[Verdict]:
    """The label that most branches gave.

    Of labels with equally many votes a conclusive one beats Not Enough Evidence; then the greater summed confidence
    counts, then the label's frequency in AVeriTeC. The justification is that of the most confident winning branch.
    """
    if not verdicts:
        return no_verdict(case)
    cast = [thought.content for thought in verdicts]
    votes = Counter(verdict.label for verdict in cast)
    label = max(votes, key=lambda label: (votes[label], *_tie_break(label, cast)))
    winners = [verdict for verdict in cast if verdict.label is label]
    best = max(winners, key=lambda verdict: verdict.confidence)
    merged = Verdict(label=label, justification=best.justification, confidence=share(label, cast))
    return case.graph.add(merged, verdicts, "vote", under=case.graph.root)


def share(label: Label, cast: Sequence[Verdict]) -> float:
    """The share of the votes that a label has, each vote counted by its confidence."""
    return sum(verdict.confidence for verdict in cast if verdict.label is label) / len(cast)


def no_verdict(case: Case) -> Thought[Verdict]:
    """Not Enough Evidence for a claim that no branch could judge, marked as a failure."""
    reason = "the time ran out" if case.cut_short else "no branch reached a verdict"
    case.failures.append(Failure(operation="vote", message=f"expected a verdict of at least one branch, but {reason}"))
    verdict = Verdict(
        label=Label.NOT_ENOUGH_EVIDENCE, justification=f"The claim was not judged: {reason}.", confidence=0.0
    )
    return case.graph.add(verdict, [case.graph.root], "vote")


def hold_to_evidence(case: Case, verdict: Verdict, pairs: Sequence[QuestionAnswer]) -> Verdict:
    """Take back Supported or Refuted where no answer rests on a retrieved passage.

    In the experiment without any evidence (``debate.evidence`` is "none") nothing can be cited, and verdicts stand.
    """
    conclusive = verdict.label in (Label.SUPPORTED, Label.REFUTED)
    closed_book = case.settings.debate.evidence == "none"
    if not conclusive or closed_book or any(pair.passages for pair in pairs):
        return verdict
    message = f"expected {verdict.label} to cite a retrieved passage, but none of its answers rests on one"
    case.failures.append(Failure(operation="cite", message=message))
    return Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=verdict.justification, confidence=0.0)


def _tie_break(label: Label, cast: Sequence[Verdict]) -> tuple[bool, float, int]:
    confidence = sum(verdict.confidence for verdict in cast if verdict.label is label)
    return label is not Label.NOT_ENOUGH_EVIDENCE, round(confidence, 6), -ORDER.index(label)
