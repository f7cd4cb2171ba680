"""What the evidence of a branch says about the claim, sentence by sentence, as measured.

The word lists show how a sentence takes what it speaks of: as refuted, as hearsay, as true in part, as measured. They
are general English. That they tell the labels apart was checked on AVeriTeC's training split alone; what each is worth
is fitted there (see ``verdict``).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from system.models.extractive.grammar import clause
from system.models.extractive.quantities import Kind, quantities
from system.models.extractive.questions import core
from system.models.extractive.similarity import Similarity
from system.records import QuestionAnswer
from system.words import content, sentences

_REFUTING = (
    r"fals(?:e|ely|ehoods?)|fake[ds]?|hoax(?:es)?|debunk\w*|misle(?:ad\w*|d)|misrepresent\w*|misinformation|"
    r"disinformation|untrue|baseless|unfounded|unsubstantiated|unproven|incorrect\w*|inaccurate\w*|wrong(?:ly)?|"
    r"fabricat\w*|doctored|manipulated|altered|photoshopped|edited|satir\w+|parody|myths?|conspiracy|bogus|scam|"
    r"den(?:y|ies|ied|ying)|refut\w+|reject(?:s|ed)?|dismiss(?:es|ed)?|contrary|misattributed|unrelated|impostor|"
    r"out of context|(?:no|not any|lack of|without) (?:\w+ )?(?:evidence|proof|record|basis|truth|mention)|not true|"
    r"nothing to do with|never (?:said|made|happened|existed)|fact[- ]?check(?:ed|ers?|ing)?"
)
_HEARSAY = (
    r"claim(?:s|ed|ing)?|viral|alleg\w+|purport\w+|rumou?rs?|social media|facebook|whatsapp|posts?|posted|shared|"
    r"circulat\w+|tweet\w*|stor(?:y|ies)|website"
)
_QUALIFYING = (
    r"however|although|though|but|despite|partly|partially|half|exaggerat\w*|overstat\w*|context|mixed|disputed?|"
    r"depend\w*|unclear|nuanced?|except|instead|rather than|while|only|some|certain|most|may|might|could|would|also|"
    r"even|usually|often|generally"
)
_MEASURING = (
    r"data|figures?|statistics|survey|per ?cent(?:age)?|average|total|annual(?:ly)?|number of|estimated?|rates?|ratio|"
    r"per year|financial year|fiscal|population|million|billion|trillion"
)
_CAUSAL = (
    r"caus(?:e|es|ed|ing)|cur(?:e|es|ed|ing)|prevent\w*|kill\w*|treat\w*|because|due to|leads? to|results? in|"
    r"protect\w*"
)
_CHANGE = (
    r"increas\w+|ris(?:e|es|en|ing)|rose|grow\w*|grew|gain\w*|higher|soar\w*|jump\w*|doubl\w+|improv\w+|surg\w+|"
    r"decreas\w+|fall(?:s|en|ing)?|fell|declin\w+|drop\w*|lower|fewer|reduc\w+|cuts?|lost|plung\w+|shr[aiu]nk\w*"
)


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


NEGATION = _any(r"not|no|never|none|nobody|nothing|neither|nor|without|cannot|[a-z]+n['’]t")
REFUTING, HEARSAY, QUALIFYING, MEASURING = _any(_REFUTING), _any(_HEARSAY), _any(_QUALIFYING), _any(_MEASURING)
CAUSAL, CHANGE = _any(_CAUSAL), _any(_CHANGE)
QUOTATION = re.compile(r"[“”\"]|\b(?:said|says|stated|tweeted|claimed|claims)\b", re.IGNORECASE)


def cue_in(cue: re.Pattern[str], text: str) -> str:
    """The first words of a text that match a cue, or the empty string.

    >>> cue_in(REFUTING, "There is no credible evidence that it happened.")
    'no credible evidence'
    """
    match = cue.search(text)
    return match[0] if match else ""


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
        refuting=cue_in(REFUTING, sentence),
        hearsay=cue_in(HEARSAY, sentence),
        qualifying=cue_in(QUALIFYING, sentence),
        measuring=cue_in(MEASURING, sentence),
        negation=_one_sided_negation(claim, sentence),
        figures=len(quantities(sentence)),
        agreeing=agreeing,
        differing=differing,
    )


def _one_sided_negation(claim: str, sentence: str) -> str:
    in_claim, in_sentence = cue_in(NEGATION, claim), cue_in(NEGATION, sentence)
    return "" if in_claim and in_sentence else in_claim or in_sentence
