"""Correct a refuted claim: put the number, date or name of one sentence of the evidence in the place of the claim's.

Claim and sentence must differ in exactly one such value, and the sentence must have the claim's other words. The reader
must find that the sentence refutes the claim and supports the corrected one. All such sentences must agree on it.
"""

import calendar
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge_store.pages.page import Passage
from system.graph.records import ClaimResult, Correction, Failure, Label
from system.reader.base import Reader, Relation
from system.text.quantities import Kind, Quantity, quantities
from system.text.words import STOP_WORDS, content_stems, quotation, sentences

log = logging.getLogger(__name__)

BEFORE = 2  # sentences before it that are read with it
PAIRS = 16  # that are read for one claim at most
SURE = 0.93  # probability of a corrected claim: what a sentence says has 0.97, what it says of the future up to 0.91
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{'|'.join(calendar.month_name[1:])})\b"
    r"(?: (?P<second>\d{1,2})(?:st|nd|rd|th)?\b(?!\s?%|[.,]\d))?(?:,? (?P<year>\d{4})\b)?"
)
_NO_NAME = "|".join([*STOP_WORDS, *calendar.month_name[1:], *calendar.day_name])
_CAPITAL = r"[^\W\d_a-zß-ÿ][\w’'-]*"
_NAME = re.compile(rf"\b(?!(?i:{_NO_NAME})\b){_CAPITAL}(?: (?:(?:of|de|van|von|der) )?{_CAPITAL})*")


@dataclass(frozen=True)
class Value:
    """A number, date or name, and where it stands; of a date, day, month and year are 0 or "" if they are not given."""

    text: str
    start: int
    date: tuple[int, str, int] | None = None
    quantity: Quantity | None = None

    def agrees(self, other: "Value") -> bool:
        """Whether both can be the same."""
        if self.quantity and other.quantity:
            return self.quantity.kind is other.quantity.kind and self.quantity.agrees(other.quantity)
        if self.date and other.date:
            return all(one == two or not (one and two) for one, two in zip(self.date, other.date, strict=True))
        return self.text.casefold() == other.text.casefold()

    def replacing(self, other: "Value") -> str:
        """The text with which this value takes another's place; empty for another kind, or a date that has less."""
        if self.date and other.date:
            parts = [str(own or "") for own, theirs in zip(self.date, other.date, strict=True) if theirs]
            return " ".join(parts) if all(parts) else ""
        kinds = [one.quantity.kind if one.quantity else one.date is None for one in (self, other)]
        return self.text if kinds[0] is kinds[1] else ""


def with_correction(result: ClaimResult, reader: Reader) -> ClaimResult:
    """Return the result with its correction, if it has one; a fault is named in the result and costs nothing else.

    The verdict quotes the sentence that corrects the claim, if it does not yet.
    """
    try:
        found, verdict = correction_of(result, reader), result.verdict
        if found and (quoted := quotation(found.quotation)) not in verdict.justification:
            verdict = verdict.model_copy(update={"justification": f"{verdict.justification} Corrected by {quoted}"})
        return result.model_copy(update={"correction": found, "verdict": verdict})
    except Exception as error:
        log.exception("correcting %r", result.claim.text)
        failure = Failure(operation="correct", message=f"{type(error).__name__}: {error}", cause="no correction")
        return result.model_copy(update={"failures": (*result.failures, failure)})


def correction_of(result: ClaimResult, reader: Reader) -> Correction | None:
    """Return the correction of a refuted claim; None if none is sure."""
    if result.verdict.label is not Label.REFUTED:
        return None
    claim = " ".join(result.claim.text.split())
    context = f"[{result.claim.context}] " if result.claim.context else ""
    passages = {passage.key: passage for pair in result.pairs for passage in pair.passages}.values()
    found = [one for passage in passages for one in _candidates(claim, passage)][:PAIRS]
    given = reader.probabilities([(premise, context + claim) for premise, _ in found])
    corrected = reader.probabilities([(premise, context + one.text) for premise, one in found])
    sure = [
        one
        for (_, one), before, after in zip(found, given, corrected, strict=True)
        if after[Relation.SUPPORTED] >= SURE and before[Relation.SUPPORTED] < before[Relation.REFUTED]
    ]
    return sure[0] if len({one.text for one in sure}) == 1 else None


def _candidates(claim: str, passage: Passage) -> Iterator[tuple[str, Correction]]:
    """Corrections by the sentences of a passage, each behind the premise that it is read from."""
    said, own = sentences(passage.text), values_of(claim)
    for place, sentence in enumerate(said):
        premise = " ".join(said[max(0, place - BEFORE) : place + 1])
        known, stems = values_of(premise), content_stems(premise)
        lacking = [one for one in own if not any(map(one.agrees, known))]
        lacking = [one for one in lacking if one.date or one.quantity or not content_stems(one.text) <= stems]
        if len(lacking) != 1 or not content_stems(claim) - content_stems(lacking[0].text) <= stems:
            continue
        (value,) = lacking
        for other in values_of(sentence):
            if (instead := other.replacing(value)) and not any(map(other.agrees, own)):
                text = f"{claim[: value.start]}{instead}{claim[value.start + len(value.text) :]}"
                given = {"said": value.text, "instead": instead, "quotation": sentence, "address": passage.url}
                yield premise, Correction(text=text, **given)


def values_of(text: str) -> list[Value]:
    """Return the dates, numbers and names of a text.

    >>> [one.text for one in values_of("Mara Quill paid 412 euros on 3 May 1932.")]
    ['3 May 1932', '412 euros', 'Mara Quill']
    """
    found: list[Value] = []
    for match in _DATE.finditer(text):
        date = int(match["day"] or match["second"] or 0), match["month"], int(match["year"] or 0)
        if date != (0, "May", 0) or re.search(r"\b(?:in|of|since|until|by|last|this) $", text[: match.start()], re.I):
            found.append(Value(match[0], match.start(), date))
    for one in quantities(_DATE.sub(lambda match: " " * len(match[0]), text)):
        year = one.kind is Kind.YEAR
        found.append(Value(one.text, one.start, (0, "", int(one.value)) if year else None, None if year else one))
    found += [Value(re.sub("['’]s$", "", match[0]), match.start()) for match in _NAME.finditer(text)]
    return found
