"""The tasks of a debate (DebateCV, sections 3.1 and 3.2, appendix B)."""

from typing import Generic, Literal

from system.graph.records import Label
from system.graph.thoughts import Argument
from system.strategies.debate.records import Ruling
from system.strategies.steps.tasks import Speech, VerdictReply
from system.tasks.base import Adapter, EvidenceTask, R, Reply, Text

CONTINUE: Literal["Go on"] = "Go on"


class Argue(Speech):
    """Argue for one side, answering what the other side said last."""

    name = "argue"


class RulingReply(Reply):
    """News, gaps, reasons and the decision: a label, or another round.

    One field holds the decision, so that a reply can neither continue with a verdict nor end without one.
    """

    label_field = "decision"

    insight: Text
    gaps: str
    reason: Text
    decision: Label | Literal["Go on"]


class ModeratorTask(EvidenceTask[R], Generic[R]):
    """Base of the tasks over the debate so far, with the round that has just ended, and the rulings before it."""

    max_tokens = 512

    transcript: tuple[Argument, ...]
    rulings: tuple[Ruling, ...]


class Moderate(ModeratorTask[RulingReply]):
    """After a round, say whether another is needed, or give the verdict."""

    name = "moderate"
    adapter = Adapter.MODERATOR


class CloseDebate(ModeratorTask[VerdictReply]):
    """Give the verdict of a debate that has run its course."""

    name = "close_debate"
    adapter = Adapter.MODERATOR


class JustificationReply(Reply):
    """The reasons for a verdict that was given."""

    justification: Text


class CorrectVerdict(ModeratorTask[JustificationReply]):
    """Explain, from a debate, the verdict that annotators gave it: DebateCV's Corrector, only for training."""

    name = "correct_verdict"

    label: Label
