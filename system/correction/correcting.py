"""Correct a refuted claim: put the number, date or name of one sentence of the evidence in the place of the claim's.

Claim and sentence must differ in exactly one such value, which stands beside the same words in both. The reader must
find that the sentence refutes the claim and supports the corrected one. Several sentences must give one correction.

    with_correction(result, reader).correction  # said "1931", instead "1932"
"""

import logging
import re
from collections.abc import Iterator
from itertools import pairwise

from knowledge_store.pages.page import Passage
from system.correction.values import Value, values_of
from system.graph.records import ClaimResult, Correction, Failure, Label
from system.reader.base import Reader, Relation
from system.text.words import content_stems, coverage, sentences, words

log = logging.getLogger(__name__)

SPEAKS = 0.8  # share of the claim's other words from which a clause may correct it
BEFORE = 2  # sentences before it that are read with it
PAIRS = 16  # that are read for one claim at most
_ENDS = re.compile(r"[,;:–—] |\b(?:and|but|while|whereas|although|which|who)\b", re.IGNORECASE)  # of a clause
_PRONOUN = re.compile(r"\b(?:it|its|he|his|she|her|they|their)\b", re.IGNORECASE)
_OPEN = re.compile(  # words that make something unreal, or only roughly so
    r"\b(?:not|\w+n['’]t|no|never|none|hardly|will|would|(?-i:may)|might|could|should|plan(?:s|ned)?|hope[sd]?|want(?:s|ed)?|"
    r"expect(?:s|ed)?|fail(?:s|ed)?|if|almost|nearly|about|over|under|more|less|than|least|most)\b",
    re.IGNORECASE,
)


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
    said = sentences(passage.text)
    for place, sentence in enumerate(said):
        before = " ".join(said[max(0, place - BEFORE) : place])
        if (value := _differing(claim, f"{before} {sentence}")) is None:
            continue
        own = values_of(claim)
        for other in values_of(sentence):
            instead = other.shaped(value) if other.kind == value.kind else ""
            if (
                instead
                and not any(other.agrees(one) for one in own)
                and _same_place(claim, value, sentence, other, before)
            ):
                instead = instead if value.start else instead[0].upper() + instead[1:]
                text = f"{claim[: value.start]}{instead}{claim[value.start + len(value.text) :]}"
                found = Correction(text=text, said=value.text, instead=instead, quotation=sentence, address=passage.url)
                yield f"{before} {sentence}".strip(), found


def _differing(claim: str, premise: str) -> Value | None:
    """The one value of a claim that a text does not have; None if there are none or several."""
    known, stems = values_of(premise), content_stems(premise)
    lacking = [one for one in values_of(claim) if not any(one.agrees(other) for other in known)]
    lacking = [one for one in lacking if one.kind != "name" or not content_stems(one.text) <= stems]
    once = [one for one in lacking if len(re.findall(rf"(?<!\w){re.escape(one.text)}(?!\w)", claim)) == 1]
    return once[0] if len(once) == len(lacking) == 1 else None


def _same_place(claim: str, value: Value, sentence: str, other: Value, before: str) -> bool:
    """Whether two values stand beside the same words: the clause of the second says the rest of the claim."""
    cuts = [0, *(match.end() for match in _ENDS.finditer(sentence)), len(sentence)]
    spans = [
        (start, end) for start, end in pairwise(cuts) if content_stems(sentence[start:end]) - content_stems(other.text)
    ]
    start, end = next((span for span in spans if span[1] > other.start), (0, len(sentence)))
    clause = sentence[min(start, other.start) : end]
    if set(map(str.lower, _OPEN.findall(clause))) ^ set(map(str.lower, _OPEN.findall(claim))):
        return False
    own = content_stems(clause) | (content_stems(before) if _PRONOUN.search(clause) else frozenset())
    left = [one for one in words(claim[: value.start]) if content_stems(one)][-1:]
    right = [one for one in words(claim[value.start + len(value.text) :]) if content_stems(one)][:2]
    if not all(content_stems(one) <= own for one in left + right):
        return False
    wanted = content_stems(claim) - content_stems(value.text)
    return (
        coverage(wanted, own | content_stems(sentence[: spans[0][1]] if spans else "") | content_stems(before))
        >= SPEAKS
    )
