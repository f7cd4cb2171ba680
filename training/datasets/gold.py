"""Data sets made of annotations alone: question generation and verdict prediction (sections 3.2.1 and 3.2.4)."""

import hashlib
from calendar import month_name
from collections.abc import Iterator, Sequence

from knowledge_store.tokenization import tokenize
from system.averitec.gold import GoldAnswer, GoldClaim
from system.graph.records import NO_ANSWER, Claim, Label, QuestionAnswer
from system.strategies.steps.tasks import AskQuestion, JudgeClaim, QuestionReply, VerdictReply
from system.tasks.base import Adapter
from training.datasets.samples import DataSet, Drops, Sample, in_share

SMALL = frozenset({"the", "in", "on", "at", "of", "by", "it", "was", "st", "nd", "rd", "th"})
NO_JUSTIFICATION = "claim without a justification"
LEFT_OUT = "partial evidence, left out to balance the labels"
PARTIAL = "partial evidence"
"""Kind of a verdict sample with fewer pairs than the annotators had."""


def answer_text(answer: GoldAnswer) -> str:
    """Return an answer as the engine writes it: a Boolean one is followed by its reason.

    Unanswerable questions have the engine's text for them, whatever the annotators wrote there.
    """
    return answer.full if answer.answered else NO_ANSWER


def gold_pairs(annotated: GoldClaim) -> tuple[QuestionAnswer, ...]:
    """Return one pair for each question that has text and answers; several answers are joined."""
    return tuple(
        QuestionAnswer(question=one.text, answer=" ".join(dict.fromkeys(map(answer_text, one.answers))), answers=())
        for one in annotated.questions
        if one.text and one.answers
    )


def states(claim: Claim, answer: str) -> bool:
    """Return whether the claim's metadata has all words of an answer, with its date in words or in numbers.

    Annotators marked many answers "Metadata" that no field of the claim holds. A model trained to name the metadata as
    their source would learn to make answers up.

    >>> states(Claim("C.", date="9-4-2021", speaker="Mira Halvers"), "April 9th, 2021")
    True
    >>> states(Claim("C.", date="9-4-2021", speaker="Mira Halvers"), "April 4th, 2021")
    False
    """
    words = set(tokenize(answer)) - SMALL
    held = {word for value in claim.metadata.values() for word in tokenize(value)} - set(tokenize(claim.date))
    return bool(words) and any(words <= held | date for date in _date_forms(claim))


def _date_forms(claim: Claim) -> list[set[str]]:
    """Return the words of the claim's date, as "9 April 2021" and as "09/04/2021"."""
    if not (day := claim.day):
        return [set(tokenize(claim.date))]
    month = month_name[day.month].lower()
    days, year = {str(day.day), f"{day.day:02}"}, str(day.year)
    return [{*days, month, month[:3], year}, {*days, str(day.month), f"{day.month:02}", year}]


def question_generation(claims: Sequence[GoldClaim]) -> DataSet:
    """Make a sample of each question: the first without context, question i + 1 with the i pairs before it (3.2.1).

    If a question repeats another, the engine asks again with a list of all questions so far, some of which the branch
    has answers to. So each question after the first becomes a second sample, with such a list and the first few pairs.
    """
    samples = [sample for annotated in claims for sample in _questions(annotated)]
    return DataSet(Adapter.QUESTION_GENERATION, samples, Drops(), {})


def _questions(annotated: GoldClaim) -> Iterator[Sample]:
    pairs = gold_pairs(annotated)
    for place, pair in enumerate(pairs):
        yield _question(annotated, pairs, place, known=place, asked=0)
        if place:
            drawn = hashlib.sha256(f"{annotated.claim.text}\n{pair.question}".encode()).digest()[0]
            yield _question(annotated, pairs, place, known=drawn % (place + 1), asked=place)


def _question(annotated: GoldClaim, pairs: Sequence[QuestionAnswer], place: int, *, known: int, asked: int) -> Sample:
    """Make the sample of a question that sees ``known`` pairs and a list of ``asked`` questions."""
    kind = "next question" if place else "first question"
    return Sample(
        id=f"question-{annotated.claim.id}-{place + 1}{'-again' if asked else ''}",
        label=annotated.label,
        task=AskQuestion(
            claim=annotated.claim,
            context=tuple(pairs[:known]),
            index=0,
            asked=tuple(pair.question for pair in pairs[:asked]),
        ),
        reply=QuestionReply(question=pairs[place].question),
        kind=f"{kind}, asked again" if asked else kind,
    )


def verdict_prediction(claims: Sequence[GoldClaim], partial: float = 1.0) -> DataSet:
    """Make a sample of each claim with all of its n pairs, and one for each i < n: i pairs are not enough (3.2.4).

    The annotation has no reasons for the latter; they name the question that is asked next.

    Args:
        partial: share of the samples on partial evidence that is kept, the same ones every time. The paper keeps all,
            which makes 76.5% of the one-pair samples of AVeriTeC's train split Not Enough Evidence.
    """
    drops = Drops()
    samples = [sample for annotated in claims for sample in _verdicts(annotated, partial, drops)]
    notes = {"reasons of partial evidence": _open_question("…"), "share of partial evidence": partial}
    return DataSet(Adapter.VERDICT_PREDICTION, samples, drops, {**notes, "not enough by pairs": abstained(samples)})


def abstained(samples: Sequence[Sample]) -> dict[str, str]:
    """Return the share of Not Enough Evidence among verdict samples by number of pairs, five and more together."""
    labels: dict[str, list[Label]] = {}
    for sample in samples:
        assert isinstance(sample.task, JudgeClaim)
        pairs = len(sample.task.pairs)
        labels.setdefault("5 or more" if pairs >= 5 else str(pairs), []).append(sample.label)
    return {
        pairs: f"{found.count(Label.NOT_ENOUGH_EVIDENCE) / len(found):.1%} of {len(found)}"
        for pairs, found in sorted(labels.items())
    }


def _verdicts(annotated: GoldClaim, partial: float, drops: Drops) -> Iterator[Sample]:
    claim, pairs = annotated.claim, gold_pairs(annotated)
    for count in range(1, len(pairs)):
        if not in_share(partial, f"{claim.text}\n{count} pairs"):
            drops[LEFT_OUT] += 1
            continue
        yield Sample(
            id=f"verdict-{claim.id}-first-{count}",
            label=Label.NOT_ENOUGH_EVIDENCE,
            task=JudgeClaim(claim=claim, pairs=pairs[:count]),
            reply=VerdictReply(justification=_open_question(pairs[count].question), label=Label.NOT_ENOUGH_EVIDENCE),
            kind=PARTIAL,
        )
    if not annotated.justification:
        drops[NO_JUSTIFICATION] += 1
        return
    yield Sample(
        id=f"verdict-{claim.id}",
        label=annotated.label,
        task=JudgeClaim(claim=claim, pairs=pairs),
        reply=VerdictReply(justification=annotated.justification, label=annotated.label),
        kind="all evidence",
    )


def _open_question(question: str) -> str:
    return f"The answers so far do not decide the claim. What is still open: {question}"
