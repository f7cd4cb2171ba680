"""What the evidence of a branch says about the claim, sentence by sentence, as measured."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from system.models.extractive import cues
from system.models.extractive.grammar import clause
from system.models.extractive.quantities import Kind, quantities
from system.models.extractive.questions import core
from system.models.extractive.similarity import Similarity, sentences
from system.records import QuestionAnswer
from system.words import content


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence of a passage beside the claim.

    Attributes:
        closeness: cosine of sentence and claim.
        denial: how much closer the sentence is to denials of the claim than to the claim, as a difference of cosines.
        refuting, hearsay, qualifying, measuring: the cue of that kind that the sentence contains, or empty.
        negation: the negation that only one of sentence and claim has, or empty.
        figures: how many numbers the sentence gives, years included.
        agreeing: numbers of the sentence that the claim gives too.
        differing: numbers of the sentence, where the claim gives another of the same kind.
    """

    sentence: str
    url: str
    closeness: float
    denial: float
    refuting: str
    hearsay: str
    qualifying: str
    measuring: str
    negation: str
    figures: int
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
    closeness = similarity.between(core(claim), sources)
    denial = np.mean([similarity.between(text, sources) for text in denials(claim)], axis=0) - closeness
    found = [
        _finding(claim, sentence, url, near, lean)
        for (sentence, url), near, lean in zip(sources.items(), closeness.tolist(), denial.tolist(), strict=True)
    ]
    return sorted(found, key=lambda finding: (-finding.closeness, finding.sentence))


def denials(claim: str) -> list[str]:
    """Sentences that say of a claim that it is not so.

    >>> denials("Mombasa is the oldest town.")[0]
    'Mombasa is not the oldest town.'
    """
    statement = core(claim)
    main = clause(statement)
    return [
        f"{main.negated}." if main else f"It is not true that {statement}.",
        f"There is no evidence that {statement}.",
        f"Fact-checkers found that the claim that {statement} is false and misleading.",
    ]


def compare(claim: str, sentence: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The numbers of a sentence that agree with one of the claim, and those that stand where the claim has another.

    A number differs where it is of the kind of a number of the claim that the sentence does not give. Years are no
    figures here: a sentence about another year does not contradict.

    >>> compare("Tourism is 24% of GDP.", "Tourism is 8.2% of GDP, or 9 million dollars.")
    ((), ('8.2%',))
    """
    claimed, given = ([q for q in quantities(text) if q.kind is not Kind.YEAR] for text in (claim, sentence))
    agreeing = tuple(one.text for one in given if any(one.agrees(other) for other in claimed))
    open_kinds = {other.kind for other in claimed if not any(other.agrees(one) for one in given)}
    differing = tuple(one.text for one in given if one.kind in open_kinds and one.text not in agreeing)
    return agreeing, differing


def _finding(claim: str, sentence: str, url: str, closeness: float, denial: float) -> Finding:
    agreeing, differing = compare(claim, sentence)
    return Finding(
        sentence=sentence,
        url=url,
        closeness=closeness,
        denial=round(denial, 4),
        refuting=cues.found(cues.REFUTING, sentence),
        hearsay=cues.found(cues.HEARSAY, sentence),
        qualifying=cues.found(cues.QUALIFYING, sentence),
        measuring=cues.found(cues.MEASURING, sentence),
        negation=_one_sided_negation(claim, sentence),
        figures=len(quantities(sentence)),
        agreeing=agreeing,
        differing=differing,
    )


def _one_sided_negation(claim: str, sentence: str) -> str:
    in_claim, in_sentence = cues.found(cues.NEGATION, claim), cues.found(cues.NEGATION, sentence)
    return "" if in_claim and in_sentence else in_claim or in_sentence
