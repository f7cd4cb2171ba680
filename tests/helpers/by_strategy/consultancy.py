"""Consultancy: ordinary replies about the bridge, a task of every kind, and records for a graph."""

from knowledge_store.pages.page import Passage
from system.graph.records import Claim, Content, Label, QuestionAnswer
from system.graph.thoughts import Argument, Speaker
from system.strategies.consultancy.strategy import PERSONAS
from system.strategies.consultancy.tasks import (
    Advise,
    Belief,
    BeliefReply,
    JudgeSpeakers,
    QuestionSpeakers,
    StateBelief,
)
from system.strategies.steps.tasks import ArgumentReply, QuestionReply, VerdictReply
from system.tasks.base import Reply, Task
from tests.helpers.scripted import Line

GATHERING = ("consultancy", "ai_debate")

_ITS: dict[str, object] = {"strategy": "consultancy"}
RUNS = {"options.personas": (2, _ITS), "options.beliefs": (True, _ITS)}
CONTENTS: tuple[Content, ...] = (Belief(persona="", after=True, percent=80),)


def reply_to(task: Task) -> Line:
    """The ordinary reply to a task; None to one of another strategy."""
    match task:
        case Advise(evidence=evidence):
            return ArgumentReply(argument="It opened in 1932.", citations=[1] if evidence else [])
        case QuestionSpeakers():
            return QuestionReply(question="Who says so?")
        case JudgeSpeakers():
            return VerdictReply(justification="The speaker cites a history.", label=Label.SUPPORTED)
        case StateBelief(transcript=transcript):
            return BeliefReply(belief=80 if transcript else 40)
    return None


def tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """Tasks by name; each prompt in all the forms that it has."""

    def said(*speakers: Speaker, cites: tuple[Passage, ...]) -> tuple[Argument, ...]:
        return tuple(Argument(speaker=one, round=1, text="It was 4.2 million.", passages=cites) for one in speakers)

    body = {"claim": claim, "pairs": (pair,), "evidence": evidence}
    both = said(Speaker.AFFIRMATIVE, Speaker.NEGATIVE, cites=evidence[:1])
    advised = said(Speaker.CONSULTANT, Speaker.JUDGE, cites=evidence[1:])
    return {
        "open the consultancy": Advise(**body, side=Speaker.NEGATIVE, transcript=()),
        "advise": Advise(**body, side=Speaker.AFFIRMATIVE, transcript=advised),
        "question the speakers": QuestionSpeakers(claim=claim, persona="", transcript=both),
        "judge the speakers": JudgeSpeakers(claim=claim, persona=PERSONAS[0], transcript=both),
        "believe before": StateBelief(claim=claim, persona=PERSONAS[0], transcript=()),
        "believe after": StateBelief(claim=claim, persona="", transcript=advised),
    }
