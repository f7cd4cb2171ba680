"""The options of a consultancy."""

from pydantic import Field

from system.graph.records import Record

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
    persuasion: bool = Field(
        False, description="rate how much each turn of a consultancy's speakers uses seven persuasion strategies"
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
