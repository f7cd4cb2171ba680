"""The baselines: ordinary replies about the bridge, and a task of every kind."""

from knowledge_store.pages.page import Passage
from system.graph.records import Claim, Label, QuestionAnswer
from system.graph.thoughts import Argument, Speaker
from system.models.scripted import Line
from system.strategies.baselines.tasks import AskOfPassage, CarryOut, Instruct, InstructionReply, VerifyClaim
from system.strategies.steps.tasks.argument import ArgumentReply
from system.strategies.steps.tasks.ask_question import QuestionReply
from system.strategies.steps.tasks.judge_claim import VerdictReply
from system.tasks.base import Reply, Task

GATHERING = ("single", "majority", "cooperation")


def reply_to(task: Task) -> Line:
    """The ordinary reply to a task; None to one of another strategy."""
    match task:
        case VerifyClaim():
            return VerdictReply(justification="A history says 1932.", label=Label.SUPPORTED)
        case Instruct(transcript=transcript):
            return InstructionReply(instruction="Compare the dates.", done=len(transcript) >= 2)
        case CarryOut(evidence=evidence):
            return ArgumentReply(argument="There is only one date.", citations=[1] if evidence else [])
        case AskOfPassage(passage=passage):
            return QuestionReply(question=f"What is known of {passage.text.split()[-1]}")
    return None


def tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """Tasks by name; each prompt in all the forms that it has."""
    body = {"claim": claim, "pairs": (pair,), "evidence": evidence}
    worked = (Argument(speaker=Speaker.INSTRUCTOR, round=1, text="It was 4.2 million.", passages=()),)
    return {
        "verify the claim": VerifyClaim(**body, transcript=()),
        "verify the claim together": VerifyClaim(**body, transcript=worked),
        "instruct": Instruct(**body, transcript=()),
        "carry out": CarryOut(**body, transcript=worked),
        "ask of a passage": AskOfPassage(claim=claim, passage=evidence[0]),
    }
