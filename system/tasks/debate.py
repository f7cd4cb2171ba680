"""The tasks of a debate (DebateCV, sections 3.1 and 3.2, appendix B), and of consultancy (Rahman et al., 2025).

In consultancy, and in debate in the same frame, judges read only what is said.
"""

from typing import Generic, Literal

from system.records import Label
from system.tasks.ask_question import QuestionReply
from system.tasks.base import Adapter, EvidenceTask, R, Reply, Task, Text
from system.tasks.judge_claim import VerdictReply
from system.thoughts import Argument, Ruling, Speaker

CONTINUE: Literal["Go on"] = "Go on"


class ArgumentReply(Reply):
    """An argument and the numbers (from 1) of the passages that it cites; none where none is on its side."""

    argument: Text
    citations: list[int]


class Argue(EvidenceTask[ArgumentReply]):
    """Argue for one side, answering what the other side said last.

    Attributes:
        transcript: the debate so far; empty for the opening.
    """

    name = "argue"
    reply_type = ArgumentReply
    max_tokens = 512

    side: Speaker
    transcript: tuple[Argument, ...]


class RulingReply(Reply):
    """What was new, what is missing, why, and the decision: a label, or another round.

    One field holds the decision, so that a reply can neither continue with a verdict nor end without one.
    """

    label_field = "decision"

    insight: Text
    gaps: str
    reason: Text
    decision: Label | Literal["Go on"]


class ModeratorTask(EvidenceTask[R], Generic[R]):
    """Base of the tasks over a debate.

    Attributes:
        transcript: the debate so far, with the round that has just ended.
        rulings: those of the rounds before.
    """

    max_tokens = 512

    transcript: tuple[Argument, ...]
    rulings: tuple[Ruling, ...]


class Moderate(ModeratorTask[RulingReply]):
    """After a round, say whether another is needed, or give the verdict."""

    name = "moderate"
    adapter = Adapter.MODERATOR
    reply_type = RulingReply


class CloseDebate(ModeratorTask[VerdictReply]):
    """Give the verdict of a debate that has run its course."""

    name = "close_debate"
    adapter = Adapter.MODERATOR
    reply_type = VerdictReply


class JustificationReply(Reply):
    """The reasons for a verdict that was given."""

    justification: Text


class CorrectVerdict(ModeratorTask[JustificationReply]):
    """Explain, from a debate, the verdict that annotators gave it (DebateCV's Corrector).

    Only training asks for it: no run ever knows the right verdict.

    Attributes:
        label: the annotators' verdict.
    """

    name = "correct_verdict"
    reply_type = JustificationReply

    label: Label


PERSONAS = (
    "A retired nurse of 68 from a small town, conservative, who trusts doctors she knows more than agencies.",
    "A software developer of 29 in a large city, liberal, who trusts published studies and official statistics.",
    "A farmer of 51 with a high-school diploma, independent, who suspects that experts serve those who pay them.",
    "A teacher of 42 from a suburb, moderate, who trusts newspapers but wants to see the original source.",
    "A student of 21 in a university town, progressive, who follows the news on social media and doubts all of it.",
    "A shop owner of 58 in a mid-sized city, conservative, who believes that most official figures are embellished.",
)
"""Personas of judges (study II): people of different age, place, schooling and trust in official sources; invented."""


class Advise(EvidenceTask[ArgumentReply]):
    """Argue for the side that the consultant was assigned: open, answer the judge's questions, or close.

    Attributes:
        transcript: the session so far; empty for the opening.
    """

    name = "advise"
    reply_type = ArgumentReply
    max_tokens = 512

    side: Speaker
    transcript: tuple[Argument, ...]


class QuestionSpeakers(Task[QuestionReply]):
    """Ask, as the judge, what the speakers have left open.

    Attributes:
        persona: who the judge is, in the second person; empty for a judge without a persona.
    """

    name = "question_speakers"
    reply_type = QuestionReply
    max_tokens = 128

    persona: str
    transcript: tuple[Argument, ...]


class JudgeSpeakers(Task[VerdictReply]):
    """Judge the claim, as the judge, by what the speakers said and cited."""

    name = "judge_speakers"
    reply_type = VerdictReply
    max_tokens = 512

    persona: str
    transcript: tuple[Argument, ...]
