"""Stemmed, lower-cased content words, for comparing texts."""

import re
from functools import lru_cache
from threading import Lock
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_STEMMING = Lock()  # a stemmer holds the word that it works on, and several threads read at the same time

_STOP_WORDS = """
    a about above after again against all also am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few for from further get had has have having he her here hers
    herself him himself his how i if in into is it its itself just let many may me might more most much must my myself
    no nor not now of off on once only or other our ours ourselves out over own per same shall she should so some such
    than that the their theirs them themselves then there these they this those through to too under until up upon us
    very was we were what when where which while who whom whose why will with within without would you your yours
    yourself yourselves one two say says said saying claim claims claimed s t
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer  # only here, as sentences below: tasks import this module, for the help of a command too

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The Snowball stem of a word, without its case and possessive ending.

    >>> stem("Elections"), stem("Nigeria’s")
    ('elect', 'nigeria')
    """
    with _STEMMING:
        return str(_stemmer().stemWord(re.sub(r"['’].*", "", word.lower())))


def words(text: str) -> list[str]:
    """The words and numbers of a text in order, as written."""
    return _WORD.findall(text)


@lru_cache(maxsize=20_000)
def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry content; digits count, stop words do not.

    >>> sorted(content_stems("The elections of 2019 were not held."))
    ['2019', 'elect', 'held']
    """
    return frozenset(stem(word) for word in words(text) if word.lower() not in STOP_WORDS and len(word) > 1)


def coverage(wanted: frozenset[str], found: frozenset[str]) -> float:
    """Share of the wanted stems that are found, in [0, 1]; nothing wanted counts as covered."""
    return len(wanted & found) / len(wanted) if wanted else 1.0


@lru_cache(maxsize=20_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, each a verbatim part of it without the whitespace around."""
    from knowledge_store.pages.sentences import spans

    return tuple(text[start:end] for start, end in spans(text, "en"))


def quotation(text: str) -> str:
    """A text in quotation marks.

    >>> quotation("It  opened.")
    '“It opened.”'
    """
    return f"“{' '.join(text.split())}”"
