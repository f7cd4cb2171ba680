"""What agents say to each other in debates, consultancies and teams; each is a thought that models read again."""

from enum import StrEnum

from knowledge_store.pages.page import Passage
from system.records import Content, Label


class Speaker(StrEnum):
    """Who speaks, by the role's name in its paper."""

    AFFIRMATIVE = "affirmative"
    NEGATIVE = "negative"
    CONSULTANT = "consultant"
    JUDGE = "judge"
    INSTRUCTOR = "instructor"
    ASSISTANT = "assistant"


SIDES = (Speaker.AFFIRMATIVE, Speaker.NEGATIVE)  # in the order in which they speak


class Argument(Content):
    """One contribution to a debate, a consultancy or a conversation.

    Attributes:
        round: counted from 1.
        passages: what it cites, content and address; the speaker names passages by number and cannot make one up.
    """

    kind = "argument"
    letter = "d"

    speaker: Speaker
    round: int
    text: str
    passages: tuple[Passage, ...]


class Ruling(Content):
    """What the moderator says after a round (DebateCV, appendix B.2).

    Attributes:
        insight: what the round brought that is new.
        gaps: evidence or arguments that either side lacks.
        reason: why the debate goes on, or the justification of the verdict.
        decision: the verdict; None while the debate goes on.
        confidence: probability of the decision in [0, 1], as far as the model can tell.
    """

    kind = "ruling"
    letter = "r"

    round: int
    insight: str
    gaps: str
    reason: str
    decision: Label | None
    confidence: float


class Skipped(Content):
    """A step that was left out, and why."""

    kind = "skipped"
    letter = "x"

    step: str
    reason: str
