"""Copies: sentences that say a claim again, or each other, and so are no evidence of their own.

The web repeats what is claimed, true or not, and who wants to steer a check repeats it most, whatever vouches for it or
denies it, and in whatever disguise. One measure tells copies: how much of the claim a text holds, fuzzily. By its
content words, in any order, where several stand together; and by its consonants, in their order, which misspelt, joined
or shortened words hardly change. Texts are read forwards and backwards. Another number than the claim's makes a text
evidence: it may be the true one.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, groupby

from rapidfuzz import fuzz, process

from knowledge_store.normalization import skeleton
from system.text.quantities import NUMBER_WORDS
from system.text.words import STOP_WORDS, content_stems, sentences, stem, words

SAME = 0.8  # share of words from which two sentences say the same
COPIED = 0.9  # share of a claim, by words or by letters, from which a text is its copy
DISGUISED = 0.75  # the same by letters, where hardly a word is spelled as in the claim
SPELLED = 0.4  # share of the claim's words from which it is not disguised
ALIKE = 75  # similarity in percent of the consonants of two spellings of a word
MISSPELT = 3  # consonants from which a misspelt word can be told
MEANT = 3  # content words from which a sentence of a claim is one by itself
TELLING = 5  # content words from which a copy in any order is no accident
LETTERS = 10  # consonants from which one in their order is none
RUN = 3  # of the claim's content words in a row from which they belong to it
MOST = 500  # consonants of a claim that are compared: time grows with them
OWN = 0.5  # share of its words from which a sentence is about the claim alone
ALONE = 0.65  # the same of one that is the copy of a short claim, in any order, by itself
PART = 0.6  # share of the claim's length from which a shorter sentence is its copy
ECHOED = 0.25  # share of the claim's words up to which a sentence only points back to another

# What only points back to the sentence before: "Yes, …", "It did, and …", "That has been confirmed by …".
_ECHO = re.compile(
    r"(?:(?:a|answer)\s*[:.]\s*)?(?:(?:and|but|so|well|for)\b[\s,]*)?"
    r"(?:yes|no|indeed|true|false|correct|right|absolutely|certainly|exactly"
    r"|it|this|that|these|those|he|she|they|which|all of (?:it|this|that)|the (?:claim|statement|answer))\b",
    re.IGNORECASE,
)
NUMBERING = re.compile(r"\(\d+\)|\[\d+\]")  # which tells one copy from the next; marks of footnotes
_FIGURES = re.compile(r"\d+")
_TWICE = re.compile(r"([^\W\d])\1+")
_VOWELS = re.compile(r"[aeiou'’]+")


def repeats_claim(sentence: str, claim: str) -> bool:
    """Whether a sentence says the claim again, or a sentence of it, affirmed or denied.

    >>> repeats_claim("Officials confirmed that the bridge opened in 1931.", "The bridge opened in 1931.")
    True
    >>> repeats_claim("After ten years of work the bridge opened to trains in 1931.", "The bridge opened in 1931.")
    False
    >>> repeats_claim("Experts say that rain flooded Oslo.", "We will rebuild every bridge of ours. Rain flooded Oslo.")
    True
    """
    return bool(copies_in([sentence], claim))


def copies_in(texts: Sequence[str], *claims: str) -> frozenset[str]:
    """The sentences of a text that say one of some claims again.

    By themselves, as some in a row that share it, or as what points back to one that does.

    >>> sorted(copies_in(["Did it rain in Oslo?", "It did, says the ministry.", "Rome was dry."], "It rained in Oslo."))
    ['Did it rain in Oslo?', 'It did, says the ministry.']
    """
    said = [_read(text) for text in texts]
    found = set[str]()
    for claim in claims:
        parts = _parts(claim)
        copied = {at for at, one in enumerate(said) if any(part.is_in(one) for part in parts)}
        whole = {at for at in copied if any(part.coverage(_content(said[at])) >= COPIED for part in parts)}
        rest = [() if at in whole else one for at, one in enumerate(said)]
        copied.update(at for part in parts for at in part.shared(rest))
        for at, text in enumerate(texts):
            if at - 1 in copied and _ECHO.match(text) and parts[0].coverage(_content(said[at])) <= ECHOED:
                copied.add(at)
        found.update(texts[at] for at in copied)
    return frozenset(found)


def without_claim(texts: Sequence[str], *claims: str) -> list[str]:
    """The sentences of a text that are no copies of claims, in order; see ``copies_in``."""
    copied = copies_in(texts, *claims)
    return [text for text in texts if text not in copied]


class _Statement:
    """A claim, or a sentence of it, to be found in texts."""

    def __init__(self, text: str) -> None:
        said = _read(text)
        self.content = list(dict.fromkeys(_content(said)))
        self.numbers = frozenset(filter(_is_number, self.content))
        self.letters = "".join(map(_consonants, said))[:MOST]
        self.spelled = frozenset(said) - STOP_WORDS

    def is_in(self, said: Sequence[str]) -> bool:
        """Whether a sentence holds a copy, by words or by letters, read in any direction."""
        mirrored = [word[::-1] for word in said]
        spelled = len(self.spelled & set(said)) >= SPELLED * len(self.spelled)
        needed = COPIED if spelled else DISGUISED
        return any(
            self._has_words(one) or self._has_letters(one, needed) or self._has_letters(one[::-1], needed)
            for one in (said, mirrored)
        )

    def shared(self, said: Sequence[Sequence[str]]) -> list[int]:
        """The sentences in a row that have parts of the claim, and together say it."""
        found, run, held, whole = list[int](), list[int](), set[str](), False
        for at, one in enumerate([*said, ()]):
            content = _content(one)
            known = list(filter(None, self._matched(content)))
            own = len(known) >= OWN * len(content) and not self._differs(content)
            if its := known if own else self._in_runs(content):
                run.append(at)
                held.update(its)
                whole = len(known) >= ALONE * len(content)
            else:
                # Alone, a sentence may add something; to a short claim, if a third of it does.
                copied = len(run) > 1 or (len(self.content) < TELLING and whole)
                found += run if copied and len(held) >= COPIED * len(self.content) else ()
                run, held = [], set()
        return found

    def coverage(self, content: Sequence[str]) -> float:
        """Share of the claim's content words that are among others."""
        return len({*self._matched(content)} - {""}) / max(len(self.content), 1)

    def _has_words(self, said: Sequence[str]) -> bool:
        content = list(dict.fromkeys(_content(said)))  # each once: words said again add nothing
        size = min(len(self.content), len(content))
        return size >= max(TELLING, PART * len(self.content)) and len(self._in_runs(content)) >= COPIED * size

    def _in_runs(self, content: Sequence[str]) -> set[str]:
        """The claim's words that stand together in a text; none if another number stands between them."""
        runs: list[list[tuple[int, str]]] = []
        for held, group in groupby(enumerate(self._matched(content)), key=lambda place: place[1] != ""):
            if held and len(run := list(group)) >= RUN:
                runs.append(run)
        if not runs or self._differs(content[runs[0][0][0] : runs[-1][-1][0]]):
            return set()
        return {word for run in runs for _, word in run}

    def _has_letters(self, said: Sequence[str], needed: float) -> bool:
        letters = list(map(_consonants, said))
        text, ends = "".join(letters), list(accumulate(map(len, letters)))
        if len(self.letters) < LETTERS or len(text) < needed * len(self.letters):
            return False
        found = fuzz.partial_ratio_alignment(self.letters, text, score_cutoff=100 * needed)
        if found is None:
            return False
        start, end = (found.dest_start, found.dest_end) if len(text) >= len(self.letters) else (0, len(text))
        return not self._differs(_content(said[bisect(ends, start) : bisect(ends, end - 1) + 1]))

    def _matched(self, content: Sequence[str]) -> list[str]:
        """The claim's word that each word is, or misspells; else an empty string."""
        spellings = [word for word in self.content if len(word) >= MISSPELT and not _is_number(word)]
        known = {word: word for word in self.content}
        for word in {*content} - known.keys():
            alike = len(word) >= MISSPELT and process.extractOne(word, spellings, scorer=fuzz.ratio, score_cutoff=ALIKE)
            known[word] = alike[0] if alike and not _is_number(word) else ""
        return [known[word] for word in content]

    def _differs(self, content: Sequence[str]) -> bool:
        """Whether words have another number than the claim, which has one."""
        return bool(self.numbers) and any(_is_number(word) and word not in self.numbers for word in content)


@lru_cache(maxsize=256)
def _parts(claim: str) -> list[_Statement]:
    """A claim, then those of its sentences that tell something by themselves."""
    whole, *parts = map(_Statement, (claim, *sentences(claim)))
    return [whole, *(part for part in parts if len(parts) > 1 and len(part.content) >= MEANT)]


def _read(text: str) -> list[str]:
    """The words of a text as a reader sees them, in small letters."""
    return [word.lower() for word in words(skeleton(NUMBERING.sub("", text)))]


def _content(said: Iterable[str]) -> list[str]:
    """The words that carry content, without what misspelling changes."""
    return [_key(word) for word in said if word.isdigit() or (len(word) > 1 and word not in STOP_WORDS)]


@lru_cache(maxsize=50_000)
def _key(word: str) -> str:
    """The figures of a number in any order, or the consonants of a word's stem."""
    if word.isdigit():
        return "".join(sorted(word))
    return word if word in NUMBER_WORDS else _consonants(stem(word))


def _is_number(word: str) -> bool:
    return word.isdigit() or word in NUMBER_WORDS


@lru_cache(maxsize=50_000)
def _consonants(word: str) -> str:
    """The consonants of a word; a number stays as it is, and figures in other words stand for letters."""
    bare = word if word.isdigit() else _FIGURES.sub("", word)
    return _TWICE.sub(r"\1", _VOWELS.sub("", bare)) or bare


def without_copies(texts: Iterable[str]) -> list[str]:
    """The sentences that say the same as no earlier one, in order.

    >>> without_copies(["It rained in Oslo.", "In Oslo it rained!", "The sun shone in Rome."])
    ['It rained in Oslo.', 'The sun shone in Rome.']
    """
    kept: list[tuple[str, frozenset[str]]] = []
    for sentence in texts:
        said = content_stems(skeleton(sentence))
        if not any(len(said & other) >= SAME * len(said | other) for _, other in kept):
            kept.append((sentence, said))
    return [sentence for sentence, _ in kept]
