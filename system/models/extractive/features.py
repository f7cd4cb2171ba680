"""The numbers that the verdict rests on: what the findings add up to, and what kind of claim it is.

Every feature is between 0 and 1, so that the fitted weights can be compared.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from system.models.extractive import cues
from system.models.extractive.findings import Finding
from system.models.extractive.grammar import names
from system.models.extractive.quantities import Kind, quantities
from system.models.extractive.questions import PICTURE
from system.models.extractive.words import content, coverage, words
from system.records import Claim, QuestionAnswer

NEAREST = 3  # findings that joint measures look at
_NEAR = 0.5  # cosine from which a sentence is taken to speak of the claim
_SOCIAL = re.compile(
    r"facebook|twitter|tweet|whatsapp|instagram|youtube|tiktok|telegram|social|viral|post|blog|reddit", re.IGNORECASE
)
_STAGE = re.compile(
    r"speech|address|debate|interview|parliament|convention|conference|rally|hearing|senate|briefing", re.IGNORECASE
)
_QUOTE = re.compile(r"[“”\"]|\b(?:said|says|stated|tweeted|claimed|claims)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of a claim after a branch, each in [0, 1].

    Attributes:
        closeness: cosine of the closest finding.
        closeness_of_nearest: mean cosine of the nearest findings.
        coverage: share of the claim's content words in the finding that has most of them.
        joint_coverage: the same for the nearest findings together.
        names: share of the claim's names that the nearest findings have.
        agreeing: share of the claim's figures that a near finding confirms.
        differing: a near finding gives another figure.
    """

    closeness: float
    closeness_of_nearest: float
    coverage: float
    joint_coverage: float
    names: float
    agreeing: float
    differing: float
    refuting: float
    confirming: float
    qualifying: float
    uncertain: float
    negation: float
    opposite: float
    disagreement: float
    unanswered: float
    near_pages: float
    has_figure: float
    has_quote: float
    has_picture: float
    sweeping: float
    negated: float
    length: float
    social: float
    stage: float
    speaker: float

    def vector(self) -> NDArray[np.float64]:
        """The features in the order of ``FEATURES``."""
        return np.array(astuple(self))


FEATURES = tuple(field.name for field in fields(Features))


def features(claim: Claim, pairs: Sequence[QuestionAnswer], found: Sequence[Finding]) -> Features:
    """Measure a claim by the pairs of a branch and the findings in them, closest first."""
    nearest = found[:NEAREST]
    joint = frozenset[str]().union(*(content(finding.sentence) for finding in nearest))
    figures = [quantity for quantity in quantities(claim.text) if quantity.kind is not Kind.YEAR]
    near = [finding for finding in found if finding.closeness >= _NEAR] or found[:1]
    refuting = _strongest(near, lambda finding: bool(finding.refuting))
    confirming = _strongest(near, lambda finding: bool(finding.confirming))
    source = f"{claim.reporting_source} {claim.original_url}"
    return Features(
        closeness=max(0.0, found[0].closeness) if found else 0.0,
        closeness_of_nearest=max(0.0, float(np.mean([f.closeness for f in nearest]))) if found else 0.0,
        coverage=max((finding.coverage for finding in found), default=0.0),
        joint_coverage=coverage(content(claim.text), joint),
        names=coverage(frozenset().union(*(content(name) for name in names(claim.text))), joint),
        agreeing=min(1.0, len({a for f in near for a in f.agreeing}) / len(figures)) if figures else 0.0,
        differing=_strongest(near, lambda finding: bool(finding.differing and not finding.agreeing)),
        refuting=refuting,
        confirming=confirming,
        qualifying=_strongest(near, lambda finding: bool(finding.qualifying)),
        uncertain=_strongest(near, lambda finding: bool(finding.uncertain)),
        negation=_strongest(near, lambda finding: bool(finding.negation)),
        opposite=_strongest(near, lambda finding: finding.opposite),
        disagreement=min(refuting, confirming),
        unanswered=sum(not pair.answered for pair in pairs) / max(1, len(pairs)),
        near_pages=min(1.0, len({f.url for f in found if f.closeness >= _NEAR}) / 5),
        has_figure=float(bool(figures)),
        has_quote=float(bool(_QUOTE.search(claim.text))),
        has_picture=float(bool(PICTURE.search(claim.text))),
        sweeping=float(bool(cues.found(cues.SWEEPING, claim.text))),
        negated=float(bool(cues.found(cues.NEGATION, claim.text))),
        length=min(1.0, len(words(claim.text)) / 50),
        social=float(bool(_SOCIAL.search(source))),
        stage=float(bool(_STAGE.search(claim.reporting_source))),
        speaker=float(bool(claim.speaker)),
    )


def _strongest(found: Sequence[Finding], holds: Callable[[Finding], bool]) -> float:
    """Closeness of the closest finding of which something holds, 0 if there is none."""
    return max((max(0.0, finding.closeness) for finding in found if holds(finding)), default=0.0)
