"""A correction beside a refuted claim: the claim with what one sentence of evidence says in its place.

Only where the two differ in one thing of a kind (a number of the same unit, a year, a month, a name, an opposite), that
thing belongs to the same verb and subject in both (see ``predicates``), and the sentence supports what results; of
several sentences, all must say the same. Otherwise there is none.
"""

import logging
import re
from collections.abc import Sequence

from system.correction.predicates import belong_alike
from system.graph.records import ClaimResult, Correction, Failure, Label
from system.text.comparison import DIRECT, Comparison, compare, dates
from system.text.grammar import tag
from system.text.quantities import Kind, Quantity, quantities
from system.text.words import content_stems
from system.verifier.base import Reading, Verifier

log = logging.getLogger(__name__)

READ = 600  # characters of a passage that the verifier reads, up to the end of the sentence
SURE = 0.8  # probability of support from which the verifier confirms a correction
_WHOLE = ("that it is so", "that it is not")  # what is said of a claim that is denied as a whole


def correction_of(result: ClaimResult, verifier: Verifier) -> Correction | None:
    """The correction of a refuted claim; None where none is sure.

    Args:
        verifier: reads the sentence, alone and after those before it, and must be sure that it supports the corrected
            claim.
    """
    if result.verdict.label is not Label.REFUTED:
        return None
    claim = " ".join(result.claim.text.split())
    passages = {passage.key: passage for pair in result.pairs for passage in pair.passages}.values()
    anywhere = content_stems(" ".join(passage.text for passage in passages))
    found = {
        corrected: Correction(text=corrected, said=said, instead=instead, quotation=one.text, address=passage.url)
        for passage in passages
        for one in compare(claim.rstrip(" .!?…"), passage.text, anywhere)
        if one.direct >= DIRECT and one.differing and one.differing[0] not in _WHOLE
        for said, instead in [_fitting(claim, one, passage.text)]
        if instead and (corrected := _replaced(claim, said, instead))
    }
    if len(found) != 1:
        return None
    correction = next(iter(found.values()))
    again = [one for passage in passages for one in compare(correction.text.rstrip(" .!?…"), passage.text, anywhere)]
    if any(one.differing and one.direct >= DIRECT for one in again):
        return None  # another sentence contradicts it
    passage = next(one.text for one in passages if one.url == correction.address and correction.quotation in one.text)
    end = passage.index(correction.quotation) + len(correction.quotation)
    # The sentence alone, and behind those that may say of what it speaks.
    texts = dict.fromkeys((correction.quotation, passage[max(0, end - READ) : end]))
    read = verifier.probabilities([(text, correction.text) for text in texts])
    return correction if read[:, Reading.SUPPORTED].max() >= SURE else None


def with_correction(result: ClaimResult, verifier: Verifier) -> ClaimResult:
    """The result with its correction, where it has one; see ``correction_of``.

    A fault is named in the result: a correction never costs its claim the verdict, or the others of a run their turn.
    """
    try:
        return result.model_copy(update={"correction": correction_of(result, verifier)})
    except Exception as error:
        log.exception("correcting %r", result.claim.text)
        failure = Failure(operation="correct", message=f"{type(error).__name__}: {error}", cause="no correction")
        return result.model_copy(update={"failures": (*result.failures, failure)})


def _fitting(claim: str, found: Comparison, text: str) -> tuple[str, str]:
    """What differs, if it belongs to the same verb and subject in both; of several years or days, the one that does."""
    said, instead = found.differing or ("", "")
    end = text.index(found.text) + len(found.text)
    known = content_stems(text[max(0, end - READ) : end])
    years = [one.text for one in quantities(found.text) if one.kind is Kind.YEAR]
    days = [one.text for one in dates(found.text)]
    others = dict.fromkeys([instead, *next((several for several in (years, days) if instead in several), [])])
    fitting = [other for other in others if belong_alike(claim, said, found.text, other, known)]
    return said, fitting[0] if len(fitting) == 1 and not _splits_a_day(claim, said, fitting[0], found.text) else ""


def _splits_a_day(claim: str, said: str, instead: str, sentence: str) -> bool:
    """Whether a part of the claim's day gives way so that it becomes one that the sentence does not name."""
    given = dates(sentence)
    split = [one for one in dates(claim) if said in one.text and said != one.text]
    return any(
        not any(day.agrees(other) for other in given) for one in split for day in dates(one.text.replace(said, instead))
    )


def _replaced(claim: str, said: str, instead: str) -> str:
    """The claim with other words in one place; empty where the place or the words are not sure."""
    places = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(said)}(?!\w)", claim)]
    if len(places) != 1:
        return ""
    old, new = quantities(said), quantities(instead)
    if dates(said) and dates(instead):
        old, new = (), ()
    if bool(old) != bool(new) or (old and not _alike(old, new)):
        return ""
    if not old and said[0].islower() and _tags(claim, said) != _tags(claim.replace(said, instead), instead):
        return ""
    at = places[0]
    fitted = instead[0].upper() + instead[1:] if at == 0 else instead
    return claim[:at] + fitted + claim[at + len(said) :]


def _alike(old: Sequence[Quantity], new: Sequence[Quantity]) -> bool:
    """Whether two quantities are of a kind, so that one can stand in the other's place."""
    return len(old) == len(new) == 1 and old[0].kind is new[0].kind


def _tags(text: str, part: str) -> list[str]:
    """The parts of speech of some words in a text: "rose" gives way to "fell", and not to "falling"."""
    start = text.index(part)
    return [token.tag for token in tag(text) if start <= token.start < start + len(part)]
