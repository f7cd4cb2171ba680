"""Ask: generate questions about the claim (section 3.2.1)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.records import Content, QuestionAnswer, Verdict
from system.tasks.ask_question import AskQuestion
from system.thoughts import Question, Thought


async def ask_first(case: Case) -> list[Thought[Question]]:
    """Ask the first questions, as many as the settings say, all from the claim and its metadata alone.

    When the model gives none, the claim itself becomes the question, so that there is evidence to show.
    """
    root = case.graph.root
    asked = await _ask(case, [root], (), range(case.settings.graph.questions))
    if asked:
        return asked
    question = Question(text=f"Is it true that {case.claim.text.rstrip('.?! ')}?")
    return [case.graph.add(question, [root], "ask fallback")]


async def ask_next(
    case: Case, pairs: Sequence[Thought[QuestionAnswer]], verdict: Thought[Verdict]
) -> Thought[Question] | None:
    """Ask one more question of a branch that found not enough, seeing the branch's earlier pairs.

    Returns:
        The question, or None when the model had none.
    """
    asked = await _ask(case, [verdict, *pairs], tuple(pair.content for pair in pairs), range(1))
    return asked[0] if asked else None


async def _ask(
    case: Case, parents: Sequence[Thought[Content]], context: tuple[QuestionAnswer, ...], indices: range
) -> list[Thought[Question]]:
    tasks = [AskQuestion(claim=case.claim, context=context, index=i, leads=case.leads) for i in indices]
    asked = []
    for result in await case.generate("ask", tasks):
        if isinstance(result, ModelError):
            case.fail("ask", result, parents)
        else:
            question = Question(text=result.reply.question.strip())
            asked.append(case.graph.add(question, parents, "ask", result.cost))
    return asked
