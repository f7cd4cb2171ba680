"""Debate: ordinary replies about the bridge, a task of every kind, and records for a graph."""

from knowledge_store.pages.page import Passage
from system.graph.records import Claim, Content, Label, QuestionAnswer
from system.graph.thoughts import Argument, Speaker
from system.strategies.debate.records import Ruling, Skipped
from system.strategies.debate.tasks import Argue, CloseDebate, CorrectVerdict, Moderate, RulingReply
from system.strategies.steps.tasks import ArgumentReply, VerdictReply
from system.tasks.base import Reply, Task
from tests.helpers.scripted import Line

GATHERING = ("debatecv",)
CONTENTS: tuple[Content, ...] = (
    Ruling(round=1, insight="A date.", gaps="", reason="Enough.", decision=Label.REFUTED, confidence=0.5),
    Ruling(round=1, insight="A date.", gaps="A source.", reason="Not yet.", decision=None, confidence=1.0),
    Skipped(step="debate", reason="no time"),
)


def ruling(task: Moderate | CloseDebate, decision: Label = Label.REFUTED) -> Line:
    """A verdict in the form that the task wants."""
    if isinstance(task, Moderate):
        return RulingReply(insight="A date.", gaps="", reason="The history is vague.", decision=decision)
    return VerdictReply(justification="The history is vague.", label=decision)


def reply_to(task: Task) -> Line:
    """The ordinary reply to a task; None to one of another strategy."""
    match task:
        case Argue(side=Speaker.AFFIRMATIVE, evidence=evidence):
            return ArgumentReply(argument="It opened in 1932, says a history.", citations=[1] if evidence else [])
        case Argue(evidence=evidence):
            return ArgumentReply(argument="Nobody remembers when.", citations=[len(evidence)] if evidence else [])
        case Moderate() | CloseDebate():
            return ruling(task)
    return None


def tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """Tasks by name; each prompt in all the forms that it has."""
    body = {"claim": claim, "pairs": (pair,), "evidence": evidence}
    both = tuple(
        Argument(speaker=speaker, round=1, text="It was 4.2 million.", passages=evidence[:1])
        for speaker in (Speaker.AFFIRMATIVE, Speaker.NEGATIVE)
    )
    ruled = Ruling(round=1, insight="A sum.", gaps="A date.", reason="One source.", decision=None, confidence=0.5)
    return {
        "open the debate": Argue(**body, side=Speaker.AFFIRMATIVE, transcript=()),
        "argue": Argue(**body, side=Speaker.NEGATIVE, transcript=both[:1]),
        "moderate": Moderate(**body, transcript=both, rulings=()),
        "moderate again": Moderate(**body, transcript=both, rulings=(ruled,)),
        "close the debate": CloseDebate(**body, transcript=both, rulings=(ruled,)),
        "correct the verdict": CorrectVerdict(**body, transcript=both, rulings=(ruled,), label=Label.REFUTED),
    }
