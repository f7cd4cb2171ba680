"""Counting words in one compiled pass over texts: how many a text has, and in how many texts a word occurs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge_store.tokenization import (
    DIGIT,
    LETTER,
    MARK,
    NOTHING,
    PERCENT,
    SEED,
    SEPARATOR,
    UNSPACED,
    Bytes,
    Hashes,
    Places,
    compiled,
    decode,
    finished,
    mix,
)

Numbers = NDArray[np.int32]

_POINT = ord(".")
_NO_KIND = 1 << 8  # of no character: no word continues with a percent sign
FREQUENCY, _LAST, _COLUMN, ORDER = range(4)  # of an entry of the vocabulary


class Vocabulary(NamedTuple):
    """A hash table of words with open addressing; the number of slots is a power of two.

    Attributes:
        keys: (slots,) hashes of words, 0 where the slot is free.
        entries: (slots, 4) of a word: in how many texts it occurs, the number of the last of them from 1, which word
            of the query it is, -1 if none, and its place in the order in which words were first met.
        used: (1,) how many slots are taken.
    """

    keys: Hashes
    entries: Numbers
    used: Places


class Counts(NamedTuple):
    """Words of each text, how often each word of the query occurs in each, and the vocabulary, which may have moved."""

    lengths: Numbers
    occurrences: Numbers
    vocabulary: Vocabulary


@compiled
def empty_vocabulary(size: int) -> Vocabulary:
    """A table without words; ``size`` is a power of two."""
    entries = np.zeros((size, 4), dtype=np.int32)
    entries[:, _COLUMN] = -1
    return Vocabulary(np.zeros(size, dtype=np.uint64), entries, np.zeros(1, dtype=np.int64))


@compiled
def count_words(
    text: Bytes,
    starts: Places,
    ends: Places,
    kinds: NDArray[np.uint8],
    folds: Hashes,
    query: Hashes,
    vocabulary: Vocabulary,
    counted: int,
) -> Counts:
    """Count the words of the texts ``text[starts[i] : ends[i]]``, which may overlap, and in how many each occurs.

    Args:
        kinds, folds: tables of characters, see ``tokenization``.
        query: distinct hashes of the query's words.
        vocabulary: what earlier calls found; written to.
        counted: how many texts earlier calls counted.
    """
    lengths = np.zeros(len(starts), dtype=np.int32)
    occurrences = np.zeros((len(starts), len(query)), dtype=np.int32)
    hashes = np.empty(max(1, (ends - starts).max()) if len(starts) else 1, dtype=np.uint64)
    for number in range(len(starts)):
        lengths[number] = word_hashes(text, starts[number], ends[number], kinds, folds, hashes)
        vocabulary = _with_room(vocabulary, lengths[number])
        _count(hashes[: lengths[number]], vocabulary, query, counted + number + 1, occurrences[number])
    return Counts(lengths, occurrences, vocabulary)


@compiled
def word_hashes(text: Bytes, start: int, end: int, kinds: NDArray[np.uint8], folds: Hashes, hashes: Hashes) -> int:
    """Write the hashes of a text's words into ``hashes`` and return how many they are; see ``tokenization.words``."""
    count = 0
    while start < end:
        char, start = decode(text, start)
        within = _within(kinds[char])
        if not within:
            continue
        value = mix(SEED, folds[char])
        while start < end:
            char, after = decode(text, start)
            if kinds[char] & within:
                value = mix(value, folds[char])
            elif within == DIGIT and kinds[char] & SEPARATOR and _is_digit(text, after, end, kinds):
                value = mix(value, folds[_POINT]) if char == _POINT else value  # the comma of 1,000 does not count
            else:
                break
            start = after
        hashes[count] = finished(value)
        count += 1
    return count


@compiled
def _within(kind: int) -> int:
    """The kinds of characters that continue a word, by the kind of its first; 0 where that begins none.

    Asked in the order in which ``tokenization.words`` tries its patterns.
    """
    if kind & DIGIT:
        return DIGIT
    if kind & UNSPACED:
        return MARK
    if kind & LETTER:
        return LETTER
    return _NO_KIND if kind & PERCENT else 0


@compiled
def _is_digit(text: Bytes, place: int, end: int, kinds: NDArray[np.uint8]) -> bool:
    return place < end and kinds[decode(text, place)[0]] & DIGIT != 0


@compiled
def _count(words: Hashes, vocabulary: Vocabulary, query: Hashes, number: int, occurrences: Numbers) -> None:
    """Count the words of one text. A function of its own: where a table may be replaced, numba counts references."""
    for key in words:
        slot = _slot(vocabulary.keys, key)
        if vocabulary.keys[slot] == NOTHING:
            _add(vocabulary, slot, key, query)
        entry = vocabulary.entries[slot]
        if entry[_LAST] != number:
            entry[_LAST] = number
            entry[FREQUENCY] += 1
        if entry[_COLUMN] >= 0:
            occurrences[entry[_COLUMN]] += 1


@compiled
def _with_room(vocabulary: Vocabulary, words: int) -> Vocabulary:
    """The table, or a larger one, at least half of whose slots stay free when ``words`` are added."""
    size = len(vocabulary.keys)
    while size < 2 * (vocabulary.used[0] + words):
        size *= 2
    if size == len(vocabulary.keys):
        return vocabulary
    grown = empty_vocabulary(size)
    for old, key in enumerate(vocabulary.keys):
        if key != NOTHING:
            new = _slot(grown.keys, key)
            grown.keys[new] = key
            grown.entries[new] = vocabulary.entries[old]
    grown.used[0] = vocabulary.used[0]
    return grown


@compiled
def _add(vocabulary: Vocabulary, slot: np.int64, key: np.uint64, query: Hashes) -> None:
    vocabulary.keys[slot] = key
    vocabulary.entries[slot, ORDER] = vocabulary.used[0]
    vocabulary.used[0] += 1
    for column in range(len(query)):
        if query[column] == key:
            vocabulary.entries[slot, _COLUMN] = column


@compiled
def _slot(keys: Hashes, key: np.uint64) -> np.int64:
    """Find a word's slot, or the free one where it belongs."""
    last = len(keys) - 1
    slot = np.int64(key & np.uint64(last))
    while keys[slot] != NOTHING and keys[slot] != key:
        slot = (slot + 1) & last
    return slot
