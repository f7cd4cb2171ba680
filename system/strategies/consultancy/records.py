"""What can be set for a consultancy, and what its judges believe (Rahman et al., 2025)."""

from typing import Annotated

from pydantic import Field

from system.graph.records import Content, Record, Summary

PERSONAS = (
    "A retired nurse of 68 from a small town, conservative, who trusts doctors she knows more than agencies.",
    "A software developer of 29 in a large city, liberal, who trusts published studies and official statistics.",
    "A farmer of 51 with a high-school diploma, independent, who suspects that experts serve those who pay them.",
    "A teacher of 42 from a suburb, moderate, who trusts newspapers but wants to see the original source.",
    "A student of 21 in a university town, progressive, who follows the news on social media and doubts all of it.",
    "A shop owner of 58 in a mid-sized city, conservative, who believes that most official figures are embellished.",
)
"""Personas of judges (study II): people of different age, place, schooling and trust in official sources; invented."""


class ConsultancyOptions(Record):
    """Who judges in a consultancy (Rahman et al., 2025), and what is measured."""

    personas: int | str = Field(
        0, description="judges: the first N bundled personas, or descriptions of your own with ; between them"
    )
    beliefs: bool = Field(
        False, description="ask each judge of a consultancy how likely the claim is true, before the speakers and after"
    )

    @property
    def chosen(self) -> tuple[str, ...]:
        """The descriptions of the judges.

        >>> ConsultancyOptions(personas="A miller of 60.; A nurse of 30.").chosen
        ('A miller of 60.', 'A nurse of 30.')
        """
        given = str(self.personas)
        if given.isdecimal():
            return PERSONAS[: int(given)]
        return tuple(text.strip() for text in given.split(";") if text.strip())


Percent = Annotated[int, Field(ge=0, le=100)]


class Belief(Content):
    """How likely a judge thinks it that the claim is true.

    Attributes:
        persona: of the judge; empty for a judge without one.
        after: whether the speakers had spoken.
    """

    kind = "belief"
    letter = "b"

    persona: str
    after: bool
    percent: Percent

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        heading = f"belief {'after' if self.after else 'before'} the speakers: {self.percent}%"
        return Summary(heading=heading, text=self.persona or "a judge without a persona")
