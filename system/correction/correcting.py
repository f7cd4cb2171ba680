"""Correct a refuted claim: put the number, date or name of one sentence of the evidence in the place of the claim's.

Claim and sentence must differ in exactly one such value, and the sentence's value must stand in a clause that has the
claim's other words. The reader must find that the sentence refutes the claim and supports the corrected one. Several
sentences must give one correction. Without this rule, the reader wrongly corrected 16 of 57 pairs.

    with_correction(result, reader).correction  # said "1931", instead "1932"
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge_store.pages.page import Passage
from system.graph.records import ClaimResult, Correction, Failure, Label
from system.reader.base import Reader, Relation
from system.text.quantities import Kind, Quantity, quantities
from system.text.words import STOP_WORDS, content_stems, sentences

log = logging.getLogger(__name__)

BEFORE = 2  # sentences before it that are read with it
PAIRS = 16  # that are read for one claim at most
_ENDS = re.compile(r"[,;:–—] |\b(?:and|but|while|whereas|although|which|who)\b", re.IGNORECASE)  # of a clause
_OPEN = re.compile(  # words that make something unreal, or only roughly so
    r"\b(?:not|\w+n['’]t|no|never|none|hardly|will|would|(?-i:may)|might|could|should|plan(?:s|ned)?|hope[sd]?|want(?:s|ed)?|"
    r"expect(?:s|ed)?|fail(?:s|ed)?|if|almost|nearly|about|over|under|more|less|than|least|most)\b",
    re.IGNORECASE,
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{_MONTHS})\b"
    r"(?: (?P<second>\d{1,2})(?:st|nd|rd|th)?\b(?!\s?%|[.,]\d))?(?:,? (?P<year>\d{4})\b)?"
)
_NAME = re.compile(
    rf"\b(?!(?:{_MONTHS}|{_DAYS})\b)[^\W\d_a-zß-ÿ][\w’'-]*(?: (?:(?:of|de|van|von|der) )?[^\W\d_a-zß-ÿ][\w’'-]*)*"
)


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
            wanted = [(own, bool(theirs)) for own, theirs in zip(self.date, other.date, strict=True)]
            if all(bool(own) == given for own, given in wanted):
                return self.text
            parts = [str(own) for own, given in wanted if given]
            return "" if {"", "0"} & {*parts} else " ".join(parts)
        kinds = [one.quantity.kind if one.quantity else one.date is None for one in (self, other)]
        return self.text if kinds[0] is kinds[1] else ""


def with_correction(result: ClaimResult, reader: Reader) -> ClaimResult:
    """Return the result with its correction, if it has one; a fault is named in the result and costs nothing else."""
    try:
        return result.model_copy(update={"correction": correction_of(result, reader)})
    except Exception as error:
        log.exception("correcting %r", result.claim.text)
        failure = Failure(operation="correct", message=f"{type(error).__name__}: {error}", cause="no correction")
        return result.model_copy(update={"failures": (*result.failures, failure)})


def correction_of(result: ClaimResult, reader: Reader) -> Correction | None:
    """Return the correction of a refuted claim; None if none is sure."""
    if result.verdict.label is not Label.REFUTED:
        return None
    claim, context = " ".join(result.claim.text.split()), result.claim.context
    passages = {passage.key: passage for pair in result.pairs for passage in pair.passages}.values()
    found = [one for passage in passages for one in _candidates(claim, passage)][:PAIRS]
    behind = f"[{context}] " if context else ""
    corrected = reader.probabilities([(premise, f"{behind}{one.text}") for premise, one in found])
    given = reader.probabilities([(premise, f"{behind}{claim}") for premise, _ in found])
    sure = [
        one
        for (_, one), after, before in zip(found, corrected, given, strict=True)
        if after[Relation.SUPPORTED] >= reader.thresholds[0] and before[Relation.SUPPORTED] < before[Relation.REFUTED]
    ]
    return sure[0] if len({one.text for one in sure}) == 1 else None


def _candidates(claim: str, passage: Passage) -> Iterator[tuple[str, Correction]]:
    """Corrections by the sentences of a passage, each behind the premise that it is read from."""
    said, own = sentences(passage.text), values_of(claim)
    for place, sentence in enumerate(said):
        before = " ".join(said[max(0, place - BEFORE) : place])
        known, stems = values_of(f"{before} {sentence}"), content_stems(f"{before} {sentence}")
        lacking = [one for one in own if not any(one.agrees(other) for other in known)]
        lacking = [one for one in lacking if one.date or one.quantity or not content_stems(one.text) <= stems]
        if len(lacking) != 1 or len(re.findall(rf"(?<!\w){re.escape(lacking[0].text)}(?!\w)", claim)) != 1:
            continue
        (value,) = lacking
        for other in values_of(sentence):
            instead = other.replacing(value)
            if instead and _same_place(claim, value, sentence, other, before) and not any(map(other.agrees, own)):
                instead = instead if value.start else instead[0].upper() + instead[1:]
                text = f"{claim[: value.start]}{instead}{claim[value.start + len(value.text) :]}"
                found = Correction(text=text, said=value.text, instead=instead, quotation=sentence, address=passage.url)
                yield f"{before} {sentence}".strip(), found


def _same_place(claim: str, value: Value, sentence: str, other: Value, before: str) -> bool:
    """Whether a value's clause, with the subject that opens its sentence, says the rest of the claim."""
    ends = (match.end() for match in _ENDS.finditer(sentence))
    cuts = [end for end in ends if content_stems(sentence[:end]) - content_stems(other.text)]  # "In 1932, …" is none
    begin = max((cut for cut in cuts if cut <= other.start), default=0)
    clause = sentence[begin : min((cut for cut in cuts if cut > other.start), default=len(sentence))]
    if {one.lower() for one in _OPEN.findall(clause)} != {one.lower() for one in _OPEN.findall(claim)}:
        return False
    own = content_stems(clause) | content_stems(sentence[: min(cuts, default=0)]) | content_stems(before)
    return content_stems(claim) - content_stems(value.text) <= own


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
    rest, place = _DATE.sub(lambda match: " " * len(match[0]), text), 0
    for one in quantities(rest):
        place = rest.index(one.text, place)
        year = one.kind is Kind.YEAR
        found.append(Value(one.text, place, (0, "", int(one.value)) if year else None, None if year else one))
        place += len(one.text)
    for match in _NAME.finditer(text):
        words = match[0].split(" ")
        while words and words[0].lower() in STOP_WORDS:
            del words[0]
        if name := " ".join(words).removesuffix("’s").removesuffix("'s"):
            found.append(Value(name, match.end() - len(" ".join(words))))
    return found
