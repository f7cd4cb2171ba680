"""The numbers that the verdict rests on: what the findings add up to, and what kind of claim it is."""

import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from system.models.extractive import cues
from system.models.extractive.findings import Finding
from system.models.extractive.quantities import Kind, quantities
from system.records import Claim
from system.words import content, coverage

NEAREST = 5  # findings that count, at most
_BAND = 0.3  # cosine by which a finding may fall behind the closest one before it counts for nothing
_ENOUGH = 0.6  # coverage and closeness from which the evidence is taken to speak of the claim
_DENIAL = 10.0  # brings differences of cosines to the scale of the other features
_VIRAL = re.compile(r"facebook|whatsapp|instagram|tiktok|telegram|viral", re.IGNORECASE)
_SOCIAL = re.compile(rf"{_VIRAL.pattern}|twitter|tweet|youtube|social|post|blog|reddit", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of a claim after a branch.

    Those of the evidence are means over the nearest findings, weighted by how close each is to the claim.

    Attributes:
        denial: lean towards denials of the claim, in tenths of a cosine.
        strongest_denial: that of the finding that leans most.
        refuting, hearsay, qualifying, measuring, negation: share of findings with the cue.
        split: how evenly findings with and without a one-sided negation are matched, from 0 to 0.5.
        figures: share of findings that give numbers; three count as many.
        agreeing: share of the claim's numbers that the findings confirm.
        differing: share of findings with another number than the claim's and none of the claim's.
        uncovered: how far the closest findings miss the claim's words, from 0 (enough) to 1.
        has_figure, has_quote, causal, change: what the claim speaks of: numbers, words said, causes, rise or fall.
        viral: the claim spread on a platform where most such claims are hoaxes.
        on_record: it has a speaker and was not made on social media.
    """

    denial: float
    strongest_denial: float
    refuting: float
    hearsay: float
    qualifying: float
    measuring: float
    negation: float
    split: float
    figures: float
    agreeing: float
    differing: float
    uncovered: float
    has_figure: float
    has_quote: float
    causal: float
    change: float
    viral: float
    on_record: float

    def vector(self) -> NDArray[np.float64]:
        """The features in the order of ``FEATURES``."""
        return np.array(astuple(self))


FEATURES = tuple(field.name for field in fields(Features))


def features(claim: Claim, found: Sequence[Finding]) -> Features:
    """Measure a claim by the findings of a branch, closest first."""
    nearest = found[:NEAREST]
    mean = _weighted_mean(nearest)
    figures = [quantity for quantity in quantities(claim.text) if quantity.kind is not Kind.YEAR]
    confirmed = {number for finding in nearest for number in finding.agreeing}
    negation = mean(lambda finding: bool(finding.negation))
    origin = f"{claim.reporting_source} {claim.original_url}"
    return Features(
        denial=_DENIAL * mean(lambda finding: finding.denial),
        strongest_denial=_DENIAL * max((finding.denial for finding in nearest), default=0.0),
        refuting=mean(lambda finding: bool(finding.refuting)),
        hearsay=mean(lambda finding: bool(finding.hearsay)),
        qualifying=mean(lambda finding: bool(finding.qualifying)),
        measuring=mean(lambda finding: bool(finding.measuring)),
        negation=negation,
        split=min(negation, 1 - negation),
        figures=mean(lambda finding: min(1.0, finding.figures / 3)),
        agreeing=min(1.0, len(confirmed) / len(figures)) if figures else 0.0,
        differing=mean(lambda finding: bool(finding.differing and not finding.agreeing)),
        uncovered=_uncovered(claim, nearest),
        has_figure=float(bool(figures)),
        has_quote=float(bool(cues.QUOTATION.search(claim.text))),
        causal=float(bool(cues.CAUSAL.search(claim.text))),
        change=float(bool(cues.CHANGE.search(claim.text))),
        viral=float(bool(_VIRAL.search(origin))),
        on_record=float(bool(claim.speaker) and not _SOCIAL.search(origin)),
    )


def _weighted_mean(nearest: Sequence[Finding]) -> Callable[[Callable[[Finding], float]], float]:
    """A function that averages a measure over the findings; nothing averages to 0."""
    weights = [max(0.0, finding.closeness - nearest[0].closeness + _BAND) for finding in nearest]
    total = sum(weights) or 1.0
    return lambda measure: sum(weight * measure(f) for weight, f in zip(weights, nearest, strict=True)) / total


def _uncovered(claim: Claim, nearest: Sequence[Finding]) -> float:
    together = frozenset[str]().union(*(content(finding.sentence) for finding in nearest[:3]))
    return max(0.0, _ENOUGH - coverage(content(claim.text), together)) / _ENOUGH
