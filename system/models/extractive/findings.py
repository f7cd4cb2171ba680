"""What the evidence of a branch says about the claim, sentence by sentence, as measured."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from system.models.extractive import cues
from system.models.extractive.grammar import clause
from system.models.extractive.quantities import Kind, Quantity, quantities
from system.models.extractive.questions import core
from system.models.extractive.similarity import Similarity, sentences
from system.models.extractive.words import content, coverage
from system.records import QuestionAnswer


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence of a passage beside the claim.

    Attributes:
        closeness: cosine of sentence and claim.
        denial: how much closer the sentence is to a denial of the claim than to the claim, as a difference of cosines.
        coverage: share of the claim's content words that the sentence has.
        refuting, confirming, qualifying, uncertain: the cue that the sentence contains, or empty.
        negation: the negation that only one of sentence and claim has, or empty.
        agreeing: figures of the sentence that the claim gives too.
        differing: figures of the sentence that stand where the claim gives another of the same kind.
    """

    sentence: str
    url: str
    closeness: float
    denial: float
    coverage: float
    refuting: str
    confirming: str
    qualifying: str
    uncertain: str
    negation: str
    opposite: bool
    agreeing: tuple[str, ...]
    differing: tuple[str, ...]


def findings(claim: str, pairs: Iterable[QuestionAnswer], similarity: Similarity) -> list[Finding]:
    """The distinct sentences of the passages that the pairs rest on, closest to the claim first."""
    sources = {
        sentence: passage.url
        for pair in pairs
        for passage in pair.passages
        for sentence in sentences(passage.text)
        if len(content(sentence)) > 1
    }
    statement = core(claim)
    closeness = similarity.between(statement, sources)
    denial = np.mean([similarity.between(denied, sources) for denied in denials(statement)], axis=0) - closeness
    found = [
        _finding(claim, sentence, url, near, lean)
        for (sentence, url), near, lean in zip(sources.items(), closeness.tolist(), denial.tolist(), strict=True)
    ]
    return sorted(found, key=lambda finding: (-finding.closeness, finding.sentence))


def denials(statement: str) -> list[str]:
    """Sentences that say of a statement that it is not so."""
    main = clause(statement)
    return [
        f"{main.negated}." if main else f"It is not true that {statement}.",
        f"There is no evidence that {statement}.",
        f"Fact-checkers found that the claim that {statement} is false and misleading.",
    ]


def _finding(claim: str, sentence: str, url: str, closeness: float, denial: float) -> Finding:
    agreeing, differing = compare(quantities(claim), quantities(sentence))
    return Finding(
        sentence=sentence,
        url=url,
        closeness=closeness,
        denial=round(denial, 4),
        coverage=coverage(content(claim), content(sentence)),
        refuting=cues.found(cues.REFUTING, sentence),
        confirming=cues.found(cues.CONFIRMING, sentence),
        qualifying=cues.found(cues.QUALIFYING, sentence),
        uncertain=cues.found(cues.UNCERTAIN, sentence),
        negation=_one_sided_negation(claim, sentence),
        opposite=_opposite_direction(claim, sentence),
        agreeing=agreeing,
        differing=differing,
    )


def compare(claimed: Iterable[Quantity], given: Iterable[Quantity]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The given figures that agree with a claimed one, and those that differ from all claimed ones of their kind."""
    claimed, given = tuple(claimed), tuple(given)
    agreeing = tuple(one.text for one in given if any(one.agrees(other) for other in claimed))
    kinds = {one.kind for one in claimed if one.kind is not Kind.YEAR and not any(one.agrees(g) for g in given)}
    differing = tuple(one.text for one in given if one.kind in kinds and one.text not in agreeing)
    return agreeing, differing


def _one_sided_negation(claim: str, sentence: str) -> str:
    in_claim, in_sentence = cues.found(cues.NEGATION, claim), cues.found(cues.NEGATION, sentence)
    return "" if in_claim and in_sentence else in_claim or in_sentence


def _opposite_direction(claim: str, sentence: str) -> bool:
    up, down = cues.found(cues.UP, claim), cues.found(cues.DOWN, claim)
    against = cues.DOWN if up and not down else cues.UP if down and not up else None
    same = cues.UP if up else cues.DOWN
    return against is not None and bool(cues.found(against, sentence)) and not cues.found(same, sentence)
