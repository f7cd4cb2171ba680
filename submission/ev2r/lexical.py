"""An estimate of Ev2R's form without a judge, for smoke tests. It is no Ev2R: words are compared, not what they say.

A fact is a sentence (or a question), and it counts as supported when more than half of its words, stop words left out,
occur on the other side.
"""

import re
from collections.abc import Iterable

import snowballstemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from submission.ev2r.judging import Comparison
from submission.ev2r.replies import Judgement, Unit

NAME = "none: overlap of words"
SUPPORT = 0.5

_STEMMER = snowballstemmer.stemmer("english")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\w+")


def judge_lexically(comparison: Comparison) -> Judgement:
    """Share of the facts of each side that the words of the other support."""
    predicted, gold = (_facts(pairs, comparison.unit) for pairs in (comparison.predicted, comparison.gold))
    return Judgement(precision=_supported(predicted, gold), recall=_supported(gold, predicted))


def _facts(pairs: Iterable[tuple[str, str]], unit: Unit) -> list[frozenset[str]]:
    """The words of each fact; facts without any are left out, and the same fact counts once."""
    texts = [question if unit is Unit.QUESTIONS else answer for question, answer in pairs]
    sentences = texts if unit is Unit.QUESTIONS else [part for text in texts for part in _SENTENCE_END.split(text)]
    return list(dict.fromkeys(words for sentence in sentences if (words := _words(sentence))))


def _words(text: str) -> frozenset[str]:
    words = (word for word in _WORD.findall(text.lower()) if word not in ENGLISH_STOP_WORDS)
    return frozenset(_STEMMER.stemWords(list(words)))


def _supported(facts: list[frozenset[str]], others: list[frozenset[str]]) -> float:
    if not facts:
        return 0.0
    known = frozenset().union(*others)
    return sum(len(fact & known) > SUPPORT * len(fact) for fact in facts) / len(facts)
