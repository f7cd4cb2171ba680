"""Follow: carry out a phase of a verification plan, that is, find what its steps ask for (CARP, sections 3.4, 3.5)."""

from collections.abc import Iterator

from system.case import Case
from system.claim_analysis import Phase, Plan, Step, Subclaims
from system.operations.look_up import look_up_all
from system.records import QuestionAnswer
from system.thoughts import Question, Thought


async def follow(
    case: Case, subclaims: Thought[Subclaims], plan: Thought[Plan], phase: Phase
) -> list[Thought[QuestionAnswer]]:
    """The answers to the questions of a phase's steps, all looked up together."""
    wanted = [pair for step in phase.steps for pair in _questions(step, subclaims.content.subclaims)]
    questions = [
        (case.graph.add(Question(text=text), [subclaims, plan], "follow"), query)
        for text, query in dict(wanted).items()  # steps with the same question share its evidence
    ]
    return await look_up_all(case, *questions)


def _questions(step: Step, subclaims: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The questions of a step, each with its query: the implicit one if there is one, then the subclaim itself."""
    if step.derived_question:
        yield step.derived_question, step.derived_question
    yield f"Is it true that {subclaims[step.subclaim - 1].rstrip('.?! ')}?", step.query_hint
