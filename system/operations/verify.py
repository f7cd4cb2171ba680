"""Verify: drop answers that do not follow from their passage (the optional step of figure 1)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.records import Answer, Source
from system.tasks.verify_answer import VerifyAnswer
from system.thoughts import Question, Thought, Verification


async def verify(case: Case, question: Thought[Question], answers: Sequence[Thought[Answer]]) -> list[Thought[Answer]]:
    """Keep the answers that their passage entails.

    Answers from the metadata and refusals to answer have nothing to be checked against and pass. An answer whose
    check failed for technical reasons passes too: a broken check is no reason to lose evidence.
    """
    checked = [thought for thought in answers if _checkable(thought.content)]
    tasks = [VerifyAnswer(claim=case.claim, question=question.content.text, answer=t.content) for t in checked]
    rejected = set()
    for thought, result in zip(checked, await case.generate("verify", tasks), strict=True):
        if isinstance(result, ModelError):
            case.fail("verify", result, [thought])
            continue
        content = Verification(entailed=result.reply.entailed, reason=result.reply.reason)
        case.graph.add(content, [thought], "verify", result.cost)
        if not content.entailed:
            rejected.add(thought.id)
    return [thought for thought in answers if thought.id not in rejected]


def _checkable(answer: Answer) -> bool:
    return answer.answered and answer.source is Source.EVIDENCE
