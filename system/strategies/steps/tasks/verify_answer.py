"""Check an answer against its passage (figure 1, optional step)."""

from system.graph.records import Answer
from system.tasks.base import Reply, Task, Text


class VerificationReply(Reply):
    """Whether the passage entails the answer, after the reason."""

    reason: Text
    entailed: bool


class VerifyAnswer(Task[VerificationReply]):
    """Say whether an answer follows from its passage (the paper's figure 1, optional step)."""

    name = "verify_answer"
    reply_type = VerificationReply
    max_tokens = 160

    question: str
    answer: Answer
