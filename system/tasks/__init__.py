"""The tasks that a model is asked to do, by the part of the system that asks."""

from system.tasks.agents import AskOfPassage, CarryOut, Instruct, InstructionReply, VerifyClaim
from system.tasks.base import Adapter, R, Reply, Task, Text
from system.tasks.consultancy import Advise, JudgeSpeakers, QuestionSpeakers
from system.tasks.debate import GO_ON, Argue, ArgumentReply, CloseDebate, Moderate, RulingReply
from system.tasks.evidence import EvidenceTask
from system.tasks.graph import (
    AnswerQuestion,
    AnswerReply,
    AskQuestion,
    JudgeClaim,
    MergeAnswers,
    MergeReply,
    QuestionReply,
    VerdictReply,
    VerificationReply,
    VerifyAnswer,
)

__all__ = [
    "GO_ON",
    "Adapter",
    "Advise",
    "AnswerQuestion",
    "AnswerReply",
    "Argue",
    "ArgumentReply",
    "AskOfPassage",
    "AskQuestion",
    "CarryOut",
    "CloseDebate",
    "EvidenceTask",
    "Instruct",
    "InstructionReply",
    "JudgeClaim",
    "JudgeSpeakers",
    "MergeAnswers",
    "MergeReply",
    "Moderate",
    "QuestionReply",
    "QuestionSpeakers",
    "R",
    "Reply",
    "RulingReply",
    "Task",
    "Text",
    "VerdictReply",
    "VerificationReply",
    "VerifyAnswer",
    "VerifyClaim",
]
