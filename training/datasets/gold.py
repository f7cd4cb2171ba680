"""Data sets made of annotations alone: question generation and verdict prediction (sections 3.2.1 and 3.2.4)."""

import hashlib
from collections.abc import Iterator, Sequence

from knowledge_store.tokenization import tokenize
from system.averitec.gold import GoldAnswer, GoldClaim
from system.graph.records import NO_ANSWER, Claim, Label, QuestionAnswer
from system.strategies.steps.tasks.ask_question import AskQuestion, QuestionReply
from system.strategies.steps.tasks.judge_claim import JudgeClaim, VerdictReply
from system.tasks.base import Adapter
from training.datasets.samples import DataSet, Drops, Sample


def answer_text(answer: GoldAnswer) -> str:
    """An answer as the engine's question answering writes it: a Boolean one is followed by its reason.

    Unanswerable questions have the text that the engine gives them, whatever annotators wrote there.
    """
    return answer.full if answer.answered else NO_ANSWER


def gold_pairs(annotated: GoldClaim) -> tuple[QuestionAnswer, ...]:
    """One pair for each question that says something; several answers to a question stand one after the other."""
    return tuple(
        QuestionAnswer(question=one.text, answer=" ".join(dict.fromkeys(map(answer_text, one.answers))), answers=())
        for one in annotated.questions
        if one.text and one.answers
    )


MONTHS = tuple(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
SMALL = frozenset({"the", "in", "on", "at", "of", "by", "it", "was", "st", "nd", "rd", "th"})


def states(claim: Claim, answer: str) -> bool:
    """Whether all words of an answer stand in the claim's metadata, its date in words or in numbers.

    Annotators marked many answers "Metadata" that no field of the claim holds; a model trained to name the metadata as
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
    """The words of the claim's date, as "9 April 2021" and as "09/04/2021"."""
    if not (day := claim.day):
        return [set(tokenize(claim.date))]
    month = MONTHS[day.month - 1]
    days, year = {str(day.day), f"{day.day:02}"}, str(day.year)
    return [{*days, month, month[:3], year}, {*days, str(day.month), f"{day.month:02}", year}]


def question_generation(claims: Sequence[GoldClaim]) -> DataSet:
    """A sample for each question: the first without context, question i + 1 with the i pairs before it (3.2.1).

    The engine asks again where a question repeats another, with a list of all that were asked, of which the branch has
    answers to some. So each question after the first is a sample once more: with such a list, and the first so many
    pairs, none to all.
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
    """The sample of a question, which sees the first pairs, and the first questions in a list of those asked."""
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


NO_JUSTIFICATION = "claim without a justification"


def verdict_prediction(claims: Sequence[GoldClaim]) -> DataSet:
    """A sample for each claim with all of its n pairs, and one for each i < n: i pairs are not enough (3.2.4).

    The annotation has no reasons for the latter; they name the question that is asked next, which is what is missing.
    """
    drops = Drops()
    samples = [sample for annotated in claims for sample in _verdicts(annotated, drops)]
    return DataSet(Adapter.VERDICT_PREDICTION, samples, drops, {"reasons of partial evidence": _open_question("…")})


def _verdicts(annotated: GoldClaim, drops: Drops) -> Iterator[Sample]:
    claim, pairs = annotated.claim, gold_pairs(annotated)
    for count in range(1, len(pairs)):
        yield Sample(
            id=f"verdict-{claim.id}-first-{count}",
            label=Label.NOT_ENOUGH_EVIDENCE,
            task=JudgeClaim(claim=claim, pairs=pairs[:count]),
            reply=VerdictReply(justification=_open_question(pairs[count].question), label=Label.NOT_ENOUGH_EVIDENCE),
            kind="partial evidence",
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
