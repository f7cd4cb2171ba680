"""Personas of judges (Rahman et al., 2025, study II): people of different age, place, schooling and trust.

They are invented, and differ in what the study's did: demography, and what the person believes of official sources.
"""

PERSONAS = (
    "A retired nurse of 68 from a small town, conservative, who trusts doctors she knows more than agencies.",
    "A software developer of 29 in a large city, liberal, who trusts published studies and official statistics.",
    "A farmer of 51 with a high-school diploma, independent, who suspects that experts serve those who pay them.",
    "A teacher of 42 from a suburb, moderate, who trusts newspapers but wants to see the original source.",
    "A student of 21 in a university town, progressive, who follows the news on social media and doubts all of it.",
    "A shop owner of 58 in a mid-sized city, conservative, who believes that most official figures are embellished.",
)
