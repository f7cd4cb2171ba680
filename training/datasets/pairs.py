"""Gold questions with their answers, in the form in which the engine passes them on."""

from itertools import groupby

from system.records import NO_ANSWER, AnswerType, QuestionAnswer
from training.annotated import AnnotatedClaim, GoldAnswer


def answer_text(answer: GoldAnswer) -> str:
    """An answer as the engine's question answering writes it: a Boolean one goes on with its reason.

    Unanswerable questions have the text that the engine gives them, whatever annotators wrote there.
    """
    if answer.type is AnswerType.UNANSWERABLE:
        return NO_ANSWER
    if not answer.explanation:
        return answer.text
    return f"{answer.text.rstrip('. ')}. {answer.explanation}"


def gold_pairs(annotated: AnnotatedClaim) -> tuple[QuestionAnswer, ...]:
    """One pair for each question that says something; several answers to a question stand one after the other."""
    return tuple(
        QuestionAnswer(question=question, answer=" ".join(dict.fromkeys(map(answer_text, answers))), answers=())
        for (_, question), answers in groupby(annotated.answers, key=lambda answer: (answer.place, answer.question))
        if question
    )
