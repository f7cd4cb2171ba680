"""What agents say to each other in debates, consultancies and teams; each is a thought that models read again."""

from enum import StrEnum

from knowledge_store.pages.page import Passage
from system.records import Label, Record


class Speaker(StrEnum):
    """Who speaks, by the role's name in its paper."""

    AFFIRMATIVE = "affirmative"
    NEGATIVE = "negative"
    CONSULTANT = "consultant"
    JUDGE = "judge"
    INSTRUCTOR = "instructor"
    ASSISTANT = "assistant"


SIDES = (Speaker.AFFIRMATIVE, Speaker.NEGATIVE)  # in the order in which they speak


class Argument(Record):
    """One contribution to a debate, a consultancy or a conversation.

    Attributes:
        round: counted from 1.
        passages: what it cites, content and address; the speaker names passages by number and cannot make one up.
    """

    speaker: Speaker
    round: int
    text: str
    passages: tuple[Passage, ...]


class Ruling(Record):
    """What the moderator says after a round (DebateCV, appendix B.2).

    Attributes:
        insight: what the round brought that is new.
        gaps: evidence or arguments that either side lacks.
        reason: why the debate goes on, or the justification of the verdict.
        decision: the verdict; None while the debate goes on.
        confidence: probability of the decision in [0, 1], as far as the model can tell.
    """

    round: int
    insight: str
    gaps: str
    reason: str
    decision: Label | None
    confidence: float


class Skipped(Record):
    """A step that was left out, and why."""

    step: str
    reason: str
