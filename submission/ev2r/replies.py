"""Read a judge's reply as the official scorer does: its counts are believed, whatever they are.

A reply is a JSON object whose keys say of each side ("predicted", "reference") and unit ("evidence", "questions"):
``facts in …``, ``fact check …``, ``facts count …``, ``support …``.
"""

import json
from enum import StrEnum
from math import isfinite

from system.graph.records import Record


class Unit(StrEnum):
    """The unit of comparison, as the judge's replies name it: questions with answers, or only questions."""

    EVIDENCE = "evidence"
    QUESTIONS = "questions"


class Judgement(Record):
    """The share of each side that the other supports; above 1 if the judge counts more supported facts than facts."""

    precision: float
    recall: float


class UnreadableReply(ValueError):
    """A reply without the required numbers; the message says what is wrong with it."""


def read_reply(raw: str, unit: Unit) -> Judgement:
    """Read from the first brace to the next closing one; an ``UnreadableReply`` counts 0 for the official scorer."""
    opening = raw.find("{")
    closing = raw.find("}", opening)
    if opening < 0 or closing < 0:
        raise UnreadableReply("no pair of braces found")
    try:
        reply = json.loads(raw[opening : closing + 1])
        precision = reply[f"support predicted {unit}"] / reply[f"facts count predicted {unit}"]
        recall = reply[f"support reference {unit}"] / reply[f"facts count reference {unit}"]
    except (ValueError, KeyError, TypeError, ZeroDivisionError, OverflowError, RecursionError) as error:
        raise UnreadableReply(f"the official scorer stops at it: {type(error).__name__}: {error}") from error
    if not (isfinite(precision) and isfinite(recall)):
        raise UnreadableReply("its counts are not finite numbers, which would spoil every mean")
    return Judgement(precision=precision, recall=recall)
