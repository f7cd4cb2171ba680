"""Gold questions with their answers, in the form in which the engine passes them on."""

from system.gold import GoldAnswer, GoldClaim
from system.records import NO_ANSWER, QuestionAnswer


def answer_text(answer: GoldAnswer) -> str:
    """An answer as the engine's question answering writes it: a Boolean one goes on with its reason.

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
