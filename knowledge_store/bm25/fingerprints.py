"""Fingerprints of texts: equal where texts are, but for case and the kind and amount of whitespace.

All texts of a batch are hashed in one pass, however much they overlap: the polynomial hash of a text is the difference
of the hashes of what comes before its end and of what comes before its start (Karp and Rabin, 1987).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge_store.tokenization import CODE_POINT_BITS, NOTHING, Bytes, Hashes, Places, compiled, decode, finished

_BASE = np.uint64(0x9E3779B97F4A7C15)
_ONE, _BITS, _CODE_POINT = np.uint64(1), np.uint64(CODE_POINT_BITS), np.uint64((1 << CODE_POINT_BITS) - 1)
_BLANK = np.uint64(ord(" "))


class Prefix(NamedTuple):
    """The text before some places, folded: one blank between words, and no case.

    Attributes:
        hashes: of each.
        lengths: of each, in code points.
    """

    hashes: Hashes
    lengths: Places


@compiled
def fingerprints(starts: Places, ends: Places, until: Prefix, since: Prefix, places: Places) -> Hashes:
    """Hash the texts ``text[starts[i] : ends[i]]``, without whitespace at either end; blank texts give 0.

    Args:
        starts: (n,) where each begins.
        ends: (n,) where each ends.
        until: of ``prefixes``.
        since: of ``prefixes``.
        places: sorted, among them all starts and ends; those of ``prefixes``.
    """
    hashes = np.empty(len(starts), dtype=np.uint64)
    first, last = np.searchsorted(places, starts), np.searchsorted(places, ends)
    for number, (start, end) in enumerate(zip(first, last)):  # noqa: B905 - which compiled code cannot check
        length = until.lengths[end] - since.lengths[start]
        if length > 0:
            hashes[number] = finished(until.hashes[end] - since.hashes[start] * _power(length))
        else:
            hashes[number] = NOTHING
    return hashes


@compiled
def prefixes(text: Bytes, places: Places, spaces: NDArray[np.bool_], folds: Hashes) -> tuple[Prefix, Prefix]:
    """Hash what comes before places of a text.

    Args:
        text: the text.
        places: where characters begin, sorted, each once; the end of the text is one too.
        spaces: which characters are whitespace.
        folds: see ``tokenization.case_folds``.

    Returns:
        For each place, what comes before it, up to the last word there, and what comes before the first word after it.
    """
    until = Prefix(np.zeros(len(places), dtype=np.uint64), np.zeros(len(places), dtype=np.int64))
    since = Prefix(np.zeros(len(places), dtype=np.uint64), np.zeros(len(places), dtype=np.int64))
    place = ended = begun = length = 0
    value, apart = NOTHING, False
    while ended < len(places):
        if place == places[ended]:
            until.hashes[ended], until.lengths[ended] = value, length
            ended += 1
        if place == len(text):
            break
        char, place = decode(text, place)
        if spaces[char]:
            apart = True
            continue
        if apart:
            value, length, apart = _extended(value, _BLANK), length + 1, False
        while begun < ended:
            since.hashes[begun], since.lengths[begun] = value, length
            begun += 1
        folded = folds[char]
        value, length = _extended(value, folded & _CODE_POINT), length + 1
        while folded >> _BITS:
            folded >>= _BITS
            value, length = _extended(value, folded & _CODE_POINT), length + 1
    since.hashes[begun:], since.lengths[begun:] = value, length
    return until, since


@compiled
def _extended(value: np.uint64, code: np.uint64) -> np.uint64:
    return value * _BASE + code + _ONE  # the null character counts too


@compiled
def _power(exponent: int) -> np.uint64:
    """``_BASE`` to the power of ``exponent``, modulo 2 to the 64."""
    power, factor = _ONE, _BASE
    while exponent:
        if exponent & 1:
            power *= factor
        factor *= factor
        exponent >>= 1
    return power
