"""The tasks of strategies without a debate: one agent, several who vote, two who work together, the baseline."""

from knowledge_store.pages.page import Passage
from system.graph.thoughts import Argument
from system.strategies.steps.tasks.argument import ArgumentReply
from system.strategies.steps.tasks.ask_question import QuestionReply
from system.strategies.steps.tasks.judge_claim import VerdictReply
from system.tasks.base import EvidenceTask, Reply, Task, Text


class VerifyClaim(EvidenceTask[VerdictReply]):
    """Reason step by step from the evidence to a verdict (chain of thought).

    Attributes:
        transcript: what was worked out together before; empty for an agent on its own.
    """

    name = "verify_claim"
    reply_type = VerdictReply
    max_tokens = 512

    transcript: tuple[Argument, ...]


class InstructionReply(Reply):
    """The assistant's next instruction, and whether the task is done."""

    instruction: Text
    done: bool


class Instruct(EvidenceTask[InstructionReply]):
    """Lead an assistant to the verdict, one instruction at a time (CAMEL, Li et al., 2023)."""

    name = "instruct"
    reply_type = InstructionReply
    max_tokens = 256

    transcript: tuple[Argument, ...]


class CarryOut(EvidenceTask[ArgumentReply]):
    """Carry out the last instruction of the transcript (CAMEL)."""

    name = "carry_out"
    reply_type = ArgumentReply
    max_tokens = 512

    transcript: tuple[Argument, ...]


class AskOfPassage(Task[QuestionReply]):
    """Ask the question that a passage answers (the shared task's baseline)."""

    name = "ask_of_passage"
    reply_type = QuestionReply
    max_tokens = 128

    passage: Passage
