"""A task of every kind besides those of the graph, about a bridge, with all that a prompt may have to show."""

from knowledge_store.pages.page import Passage
from submission.ev2r.judge import FreePrompt
from system.graph.records import Claim, Label, QuestionAnswer
from system.strategies.steps.tasks import AskQuestion, Example, WritePassage
from system.tasks.base import Reply, Task, registered
from tests.helpers import by_strategy


def agent_tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """Tasks of debates, consultancies, teams and judges by name; each prompt in all the forms that it has."""
    example = Example(claim=claim.text, pairs=((pair.question, pair.answer),), label=Label.REFUTED)
    return {
        "ask something else": AskQuestion(claim=claim, context=(), index=2, asked=(pair.question,)),
        "ask beside examples": AskQuestion(claim=claim, context=(), index=0, examples=(example,)),
        "write passage": WritePassage(claim=claim),
        "free prompt": FreePrompt(claim=claim, prompt="Say anything at all."),
    } | {name: task for of in by_strategy.functions("tasks") for name, task in of(claim, pair, evidence).items()}


def ours() -> set[type[Task[Reply]]]:
    """The registered tasks less those that tests define."""
    return {task for task in registered() if task.__module__.startswith(("system.", "submission."))}
