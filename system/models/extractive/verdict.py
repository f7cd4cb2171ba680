"""The verdict: a multinomial logistic regression over what the findings add up to, with weights that anyone can read.

``verdict.json`` beside this file holds them; ``python -m training reader`` fits them on AVeriTeC's training split.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from system.models.extractive.findings import CAUSAL, CHANGE, QUOTATION, Finding, findings
from system.models.extractive.quantities import Kind, quantities
from system.models.extractive.similarity import Similarity
from system.records import Claim, Label
from system.tasks.judge_claim import JudgeClaim, VerdictReply
from system.words import content, coverage

WEIGHTS = Path(__file__).with_name("verdict.json")
SPEAKS = 0.5  # cosine from which a sentence is taken to speak of the claim
NO_EVIDENCE = Label.NOT_ENOUGH_EVIDENCE
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
        has_quote=float(bool(QUOTATION.search(claim.text))),
        causal=float(bool(CAUSAL.search(claim.text))),
        change=float(bool(CHANGE.search(claim.text))),
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


@dataclass(frozen=True)
class Weights:
    """The fitted regression.

    Attributes:
        labels: the classes, in the order of the rows.
        intercepts: (labels,) float64.
        coefficients: (labels, features) float64, columns in the order of ``FEATURES``.
    """

    labels: tuple[Label, ...]
    intercepts: NDArray[np.float64]
    coefficients: NDArray[np.float64]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> Self:
        """Read weights.

        Raises:
            ValueError: the file was fitted for other features than those that this version measures.
        """
        fitted = json.loads(path.read_text(encoding="utf-8"))["labels"]
        for label, row in fitted.items():
            if set(row["weights"]) != set(FEATURES):
                odd = sorted(set(row["weights"]) ^ set(FEATURES))
                raise ValueError(
                    f"{path}: the weights of {label!r} and the features differ in {odd}; "
                    "fit them again with 'python -m training reader'"
                )
        return cls(
            labels=tuple(Label(label) for label in fitted),
            intercepts=np.array([row["intercept"] for row in fitted.values()]),
            coefficients=np.array([[row["weights"][name] for name in FEATURES] for row in fitted.values()]),
        )

    def probabilities(self, measured: Features) -> dict[Label, float]:
        """Probability of each label."""
        logits = self.intercepts + self.coefficients @ measured.vector()
        exponents = np.exp(logits - logits.max())
        return dict(zip(self.labels, (exponents / exponents.sum()).tolist(), strict=True))


@lru_cache(maxsize=1)
def shipped_weights() -> Weights:
    """The weights that come with the reader."""
    return Weights.load()


def judge(task: JudgeClaim, similarity: Similarity, weights: Weights) -> tuple[VerdictReply, float]:
    """The likeliest label with a justification that quotes its evidence, and the label's probability.

    Where no sentence speaks of the claim there is not enough evidence, whatever the claim looks like.
    """
    found = findings(task.claim.text, task.pairs, similarity)
    if not found:
        return VerdictReply(justification="No passage says anything about the claim.", label=NO_EVIDENCE), 1.0
    probabilities = weights.probabilities(features(task.claim, found))
    label = max(probabilities, key=lambda label: probabilities[label]) if speak_of_claim(found) else NO_EVIDENCE
    return VerdictReply(justification=justify(label, found[:NEAREST]), label=label), probabilities[label]


def speak_of_claim(found: Sequence[Finding]) -> bool:
    """Whether findings, closest first, are about the claim at all; the regression is fitted on such alone."""
    return bool(found) and found[0].closeness >= SPEAKS


_QUOTED = 300  # longest quotation, in characters


def justify(label: Label, found: Sequence[Finding]) -> str:
    """Quote what speaks for a label.

    Args:
        found: the findings that counted, closest first; at least one.
    """
    towards, against = min(found, key=_weight_against), max(found, key=_weight_against)
    match label:
        case Label.REFUTED:
            return f"The evidence speaks against the claim: {_quotation(against)}"
        case Label.SUPPORTED:
            return f"The evidence agrees with the claim: {_quotation(towards)}"
        case Label.CONFLICTING if len(found) > 1:
            other = min((finding for finding in found if finding is not against), key=_weight_against)
            return f"Passages disagree. One says: {_quotation(other)} Another says: {_quotation(against)}"
        case Label.CONFLICTING:
            return f"The evidence supports the claim only in part: {_quotation(against)}"
        case Label.NOT_ENOUGH_EVIDENCE:
            return f"Nothing found settles the claim; the closest passage says: {_quotation(found[0])}"


def _weight_against(finding: Finding) -> float:
    """How much a finding speaks against the claim: its cues first, then its lean."""
    cues = bool(finding.refuting) + bool(finding.negation) + bool(finding.differing) - bool(finding.agreeing)
    return finding.closeness * cues + finding.denial


def _quotation(finding: Finding) -> str:
    sentence = finding.sentence if len(finding.sentence) <= _QUOTED else f"{finding.sentence[:_QUOTED].rstrip()} …"
    remarks = [remark for remark in _remarks(finding) if remark]
    return f"“{sentence}”" + (f" ({'; '.join(remarks)})." if remarks else ".")


def _remarks(finding: Finding) -> list[str]:
    """What was read from a sentence."""
    return [
        f"same figure as the claim: {', '.join(finding.agreeing)}" if finding.agreeing else "",
        f"another figure than the claim: {', '.join(finding.differing)}" if finding.differing else "",
        f"it says “{finding.refuting}”" if finding.refuting else "",
        f"“{finding.negation}” stands in one of sentence and claim alone" if finding.negation else "",
    ]
