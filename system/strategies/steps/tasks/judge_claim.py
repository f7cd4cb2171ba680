"""Judge a claim by questions and answers (section 3.2.4)."""

from system.graph.records import Label, QuestionAnswer
from system.tasks.base import Adapter, Reply, Task, Text


class VerdictReply(Reply):
    """Justification before label, so that the label is conditioned on the reasons (section 3.2.4)."""

    label_field = "label"

    justification: Text
    label: Label


class JudgeClaim(Task[VerdictReply]):
    """Judge the claim by the questions and answers of a branch (section 3.2.4)."""

    name = "judge_claim"
    adapter = Adapter.VERDICT_PREDICTION
    reply_type = VerdictReply
    max_tokens = 320

    pairs: tuple[QuestionAnswer, ...]


EVIDENCE_QUESTION = "What does the evidence say?"
"""The question of sentences that no question was asked for."""
NEAREST = 5
"""Limit of sentences nearest to the claim that a judge of sentences reads."""
