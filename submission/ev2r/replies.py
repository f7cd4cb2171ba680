"""Turn a judge's reply into precision and recall: as the official scorer reads it, or strictly.

A reply is a JSON object whose keys say of each side ("predicted", "reference") and unit ("evidence", "questions"):
``facts in …``, ``fact check …``, ``facts count …``, ``support …``; our own prompts ask for ``verdicts …`` as well.
"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from math import isfinite
from typing import Any

from system.graph.records import Record

SUPPORTED = "supported"
MAX_DIGITS = 9  # of a plausible count
_DECODER = json.JSONDecoder(strict=False)  # accepts raw newlines within strings


class Unit(StrEnum):
    """The unit of comparison, as the judge's replies name it: questions with answers, or only questions."""

    EVIDENCE = "evidence"
    QUESTIONS = "questions"


class Mode(StrEnum):
    """Ways to read a reply."""

    STRICT = "strict"
    COMPATIBLE = "compatible"


class Judgement(Record):
    """The share of each side that the other supports; above 1 if the official scorer believes a judge's count."""

    precision: float
    recall: float


class UnreadableReply(ValueError):
    """A reply without the required numbers; the message says what is wrong with it."""


def read_reply(raw: str, unit: Unit, mode: Mode) -> Judgement:
    """Read a judge's reply; strictly: the first whole object with the keys, with its facts recounted.

    Raises:
        UnreadableReply: it cannot be read.
    """
    if mode is Mode.COMPATIBLE:
        return _read_compatible(raw, unit)
    reply = _object_with(raw, f"support reference {unit}")
    supported, facts = _counts(reply, f"predicted {unit}")
    supported_gold, facts_gold = _counts(reply, f"reference {unit}")
    if not facts_gold:
        raise UnreadableReply("it finds no fact in the reference")
    return Judgement(precision=supported / facts if facts else 0.0, recall=supported_gold / facts_gold)


def _read_compatible(raw: str, unit: Unit) -> Judgement:
    """Read from the first brace to the next closing one and believe the counts, as the official scorer does."""
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


def _object_with(raw: str, key: str) -> Mapping[str, Any]:
    """Return the first balanced JSON object in a text that has the key."""
    for opening in re.finditer(r"\{", raw):
        try:
            value: Mapping[str, Any] = _DECODER.raw_decode(raw, opening.start())[0]
        except ValueError:
            continue
        except RecursionError:
            raise UnreadableReply("its objects are nested too deeply") from None
        if key in value:
            return value
    raise UnreadableReply(f"no complete JSON object found with the key {key!r}")


def _counts(reply: Mapping[str, Any], side: str) -> tuple[int, int]:
    """Count supported facts and facts of a side: by the verdicts if there are any, else by the list of facts."""
    facts = _listed(reply.get(f"facts in {side}"))
    verdicts = reply.get(f"verdicts {side}")
    if isinstance(verdicts, list):
        if facts not in (None, len(verdicts)):
            raise UnreadableReply(f"'verdicts {side}': expected {facts}, one for each fact, got {len(verdicts)}")
        return verdicts.count(SUPPORTED), len(verdicts)
    if facts is None:
        facts = _number(reply, f"facts count {side}")
    return min(_number(reply, f"support {side}"), facts), facts


def _listed(facts: object) -> int | None:
    """Count facts, in an array or numbered "1. … 2. …" in a text; None for text without numbers."""
    if isinstance(facts, list):
        return len(facts)
    if not isinstance(facts, str):
        return None
    found = 0
    for number in map(int, re.findall(r"(?:^|(?<=\s))(\d{1,9})[.)](?=\s)", facts)):
        found += number == found + 1
    return found or None


def _number(reply: Mapping[str, Any], key: str) -> int:
    """Return a count that is a number or digits."""
    value = reply.get(key)
    digits = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not (digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS):
        raise UnreadableReply(f"{key!r}: expected an integer, got {value!r:.60}")
    return int(digits)
