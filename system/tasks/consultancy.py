"""The tasks of consultancy and of debate in the same frame (Rahman et al., 2025): judges read only what is said."""

from system.tasks.ask_question import QuestionReply
from system.tasks.base import EvidenceTask, Task
from system.tasks.debate import ArgumentReply
from system.tasks.judge_claim import VerdictReply
from system.thoughts import Argument, Speaker

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
