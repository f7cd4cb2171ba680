"""The legacy AVeriTeC scores: predicted pairs matched one to one with gold pairs so that their METEOR is greatest.

(Schlichtkrull et al., 2023, section 4.) A claim counts when the sum of its matches over the number of its gold pairs is
above a threshold and its label is right.
"""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from tqdm import tqdm

from submission.files import SubmissionError
from submission.official import MAX_PAIRS
from submission.read import Pair
from system.graph.records import Record

OFFICIAL_THRESHOLD = 0.25
THRESHOLDS = (0.1, 0.2, OFFICIAL_THRESHOLD, 0.3, 0.4, 0.5)


class Sources(Record):
    """The sources of METEOR; only scores with the same sources compare."""

    tokenization: str  #: how texts were split into words
    wordnet: str  #: version and place


class ClaimLegacy(Record):
    """Scores of one claim: METEOR of the best one-to-one matching over the number of gold texts, in [0, 1]."""

    claim_id: int
    questions: float  #: over the distinct gold questions
    questions_and_answers: float  #: over all gold pairs
    right: bool  #: whether the label is right

    def counts(self, threshold: float) -> bool:
        """Return whether the claim counts for the AVeriTeC score."""
        return self.right and self.questions_and_answers > threshold


class LegacyMeans(Record):
    """Means over all claims."""

    claims: int
    accuracy: float
    questions: float
    questions_and_answers: float
    averitec: dict[float, float]  #: share of the claims above the threshold and with the right label, by threshold


class LegacyScores(Record):
    """Scores with what they rest on."""

    sources: Sources
    overall: LegacyMeans
    claims: tuple[ClaimLegacy, ...]


def legacy_scores(pairs: Sequence[Pair], meteor: Any, sources: Sources) -> LegacyScores:
    """Score at least one pair by a ``resources.Meteor``, whose module takes a second to import, made of ``sources``."""
    claims = [_score(pair, meteor) for pair in tqdm(pairs, desc="METEOR", unit="claim", disable=None)]
    overall = LegacyMeans(
        claims=len(claims),
        accuracy=fmean(claim.right for claim in claims),
        questions=fmean(claim.questions for claim in claims),
        questions_and_answers=fmean(claim.questions_and_answers for claim in claims),
        averitec={threshold: fmean(claim.counts(threshold) for claim in claims) for threshold in THRESHOLDS},
    )
    return LegacyScores(sources=sources, overall=overall, claims=tuple(claims))


def _score(pair: Pair, meteor: Any) -> ClaimLegacy:
    predicted, gold = pair.predicted.texts[:MAX_PAIRS], pair.gold.pairs
    if not gold:
        raise SubmissionError(f"gold claim {pair.gold.claim_id} has no questions; give a gold file with evidence")
    distinct = dict.fromkeys(question for question, _ in gold)
    return ClaimLegacy(
        claim_id=pair.gold.claim_id,
        questions=_match([question for question, _ in predicted], distinct, meteor),
        questions_and_answers=_match(map(" ".join, predicted), map(" ".join, gold), meteor),
        right=pair.predicted.label == pair.gold.label,
    )


def _match(predicted: Iterable[str], gold: Iterable[str], meteor: Any) -> float:
    from scipy.optimize import linear_sum_assignment  # of an extra

    references = [meteor.words(text) for text in gold]
    rows = [[meteor(words, reference) for reference in references] for words in map(meteor.words, predicted)]
    table = np.array(rows).reshape(-1, len(references))
    best = table[linear_sum_assignment(table, maximize=True)]
    return float(best.sum() * (1 / len(references)))  # to the last bit what the official scorer computes
