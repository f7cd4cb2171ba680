"""The tasks that a model is asked to do, by the part of the system that asks."""

from system.tasks.base import Adapter, R, Reply, Task, Text
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
    "Adapter",
    "AnswerQuestion",
    "AnswerReply",
    "AskQuestion",
    "JudgeClaim",
    "MergeAnswers",
    "MergeReply",
    "QuestionReply",
    "R",
    "Reply",
    "Task",
    "Text",
    "VerdictReply",
    "VerificationReply",
    "VerifyAnswer",
]
