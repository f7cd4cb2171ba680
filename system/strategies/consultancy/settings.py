"""The settings of a consultancy."""

from typing import Literal

from pydantic import Field

from system.graph.records import Record
from system.settings import section

PERSONAS = (
    "A retired nurse of 68 from a small town, conservative, who trusts doctors she knows more than agencies.",
    "A software developer of 29 in a large city, liberal, who trusts published studies and official statistics.",
    "A farmer of 51 with a high-school diploma, independent, who suspects that experts serve those who pay them.",
    "A teacher of 42 from a suburb, moderate, who trusts newspapers but wants to see the original source.",
    "A student of 21 in a university town, progressive, who follows the news on social media and doubts all of it.",
    "A shop owner of 58 in a mid-sized city, conservative, who believes that most official figures are embellished.",
)
"""Personas of judges (study II): people of different age, place, schooling and trust in official sources; invented."""


@section("consultancy")
class ConsultancySettings(Record):
    """Who argues and who judges in a consultancy (Rahman et al., 2025)."""

    consultant_side: Literal["affirmative", "negative"] = Field(
        "affirmative", description="side that the consultant argues"
    )
    personas: int = Field(
        0,
        ge=0,
        le=len(PERSONAS),
        description="judges of a consultancy, each with a persona; 0: one judge without a persona",
    )
    own_personas: list[str] = Field(
        default_factory=list, description="personas of your own, a judge for each, in place of the bundled ones"
    )
    beliefs: bool = Field(
        False, description="ask each judge of a consultancy how likely the claim is true, before the speakers and after"
    )
    persuasion: bool = Field(
        False, description="rate how much each turn of a consultancy's speakers uses seven persuasion strategies"
    )
