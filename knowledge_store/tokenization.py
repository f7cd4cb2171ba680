"""The words that BM25 counts: as strings, and as hashes from compiled code, which sees texts as arrays of code points.

Hashes have 64 bits (FNV-1a over code points, then mixed): among a million, the chance that any two share one is
3e-8. Example: ``tokenize("Sales rose 12%.")``.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeVar, cast

import numpy as np
import regex
from numba import njit
from numpy.typing import NDArray

Text = NDArray[np.uint32]
Places = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Function = TypeVar("Function", bound=Callable[..., object])

# Scripts that put no space between words: Thai to Myanmar, Khmer, kana, Han. Each character is a word of its own.
_UNSPACED_SCRIPTS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTERS = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED_SCRIPTS}]]"  # marks are the vowels of Devanagari, not punctuation
_WORD = regex.compile(
    rf"\d+(?:[.,]\d+)*"  # a number with its separators: 1,000.5
    rf"|[{_UNSPACED_SCRIPTS}]\p{{M}}*"
    rf"|{_LETTERS}+"
    rf"|%",
    regex.VERSION1,
)

# What a character may be, several at once; bits of ``_kinds``.
_DIGIT, _UNSPACED, _LETTER, _MARK, _SEPARATOR, _PERCENT, _SPACE = (1 << bit for bit in range(7))
_PATTERNS = {
    _DIGIT: r"\d",
    _UNSPACED: f"[{_UNSPACED_SCRIPTS}]",
    _LETTER: _LETTERS,
    _MARK: r"\p{M}",
    _SEPARATOR: "[.,]",
    _PERCENT: "%",
    _SPACE: r"[\s\x1c-\x1f]",  # as ``str.split``
}
_NO_KIND = 1 << 8  # of no character: no word continues with a percent sign

_CHARACTERS = 0x110000
_CODE_POINT_BITS = 21
_CASELESS_FROM = 0x20000  # later planes have no upper case

NOTHING = np.uint64(0)  # the fingerprint of no text
_POINT, _BLANK = ord("."), ord(" ")
_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_SPREAD, _HALF = np.uint64(0xFF51AFD7ED558CCD), np.uint64(32)
_BITS, _CODE_POINT = np.uint64(_CODE_POINT_BITS), np.uint64((1 << _CODE_POINT_BITS) - 1)


def tokenize(text: str) -> list[str]:
    """Split a text into the words that BM25 counts.

    >>> tokenize("Sales rose 12% to $1,000.5 in हिन्दी and 中文.")
    ['sales', 'rose', '12', '%', 'to', '1000.5', 'in', 'हिन्दी', 'and', '中', '文']
    """
    return [word.casefold().replace(",", "") for word in _WORD.findall(text)]


@cache
def _kinds() -> NDArray[np.uint8]:
    """(0x110000,) what each character may be, as ``tokenize`` and ``fingerprints`` see it."""
    everything = np.arange(_CHARACTERS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.zeros(_CHARACTERS, dtype=np.uint8)
    for kind, pattern in _PATTERNS.items():
        for match in regex.finditer(f"{pattern}+", everything, regex.VERSION1):
            kinds[match.start() : match.end()] |= kind
    return kinds


@cache
def _case_folds() -> NDArray[np.uint64]:
    """(0x110000,) ``str.casefold`` as a table: up to three code points each, the first in the lowest 21 bits."""
    folds = np.arange(_CHARACTERS, dtype=np.uint64)
    for code in range(_CASELESS_FROM):
        places = enumerate(chr(code).casefold())
        folds[code] = sum(ord(char) << _CODE_POINT_BITS * place for place, char in places)
    return folds


def hash_words(text: Text, starts: Places, ends: Places) -> tuple[Hashes, Places]:
    """Hash the words of the texts ``text[starts[i] : ends[i]]``, which may overlap; see ``tokenize``.

    Returns the hashes of all texts, one after the other, and how many words each text has.
    """
    return _hash_words(text, starts, ends, _kinds(), _case_folds())


def fingerprints(text: Text, starts: Places, ends: Places) -> Hashes:
    """Hash the texts ``text[starts[i] : ends[i]]`` without case and amount of whitespace; blank texts give 0."""
    return _fingerprints(text, starts, ends, _kinds(), _case_folds())


def compiled(function: Function) -> Function:
    """Compile a function at its first call on a machine, to code that does not hold the interpreter's lock."""
    return cast(Function, njit(nogil=True, cache=True)(function))


@compiled
def _hash_words(
    text: Text, starts: Places, ends: Places, kinds: NDArray[np.uint8], folds: Hashes
) -> tuple[Hashes, Places]:
    hashes, lengths = np.empty((ends - starts).sum(), dtype=np.uint64), np.zeros(len(starts), dtype=np.int64)
    count = 0
    for number in range(len(starts)):
        before, place, end = count, starts[number], ends[number]
        while place < end:
            char = text[place]
            place += 1
            within = _within(kinds[char])
            if not within:
                continue
            value = _mix(_SEED, folds[char])
            while place < end:
                char = text[place]
                if kinds[char] & within:
                    value = _mix(value, folds[char])
                elif (
                    within == _DIGIT
                    and kinds[char] & _SEPARATOR
                    and place + 1 < end
                    and kinds[text[place + 1]] & _DIGIT
                ):
                    value = _mix(value, folds[_POINT]) if char == _POINT else value  # the comma of 1,000 does not count
                else:
                    break
                place += 1
            hashes[count] = _finished(value)
            count += 1
        lengths[number] = count - before
    return hashes[:count].copy(), lengths


@compiled
def _within(kind: int) -> int:
    """The kinds of characters that continue a word, by the kind of its first; 0 where that begins none.

    Asked in the order in which ``tokenize`` tries its patterns.
    """
    if kind & _DIGIT:
        return _DIGIT
    if kind & _UNSPACED:
        return _MARK
    if kind & _LETTER:
        return _LETTER
    return _NO_KIND if kind & _PERCENT else 0


@compiled
def _mix(value: np.uint64, folded: np.uint64) -> np.uint64:
    """Hash the code points of one character."""
    value = (value ^ (folded & _CODE_POINT)) * _PRIME
    while folded >> _BITS:
        folded >>= _BITS
        value = (value ^ (folded & _CODE_POINT)) * _PRIME
    return value


@compiled
def _finished(value: np.uint64) -> np.uint64:
    """Spread a hash over all its bits; never 0, which is the fingerprint of no text."""
    value = (value ^ (value >> _HALF)) * _SPREAD
    value ^= value >> _HALF
    return value if value != NOTHING else _PRIME


@compiled
def _fingerprints(text: Text, starts: Places, ends: Places, kinds: NDArray[np.uint8], folds: Hashes) -> Hashes:
    hashes = np.empty(len(starts), dtype=np.uint64)
    for number in range(len(starts)):
        value, apart, blank = _SEED, False, True
        for char in text[starts[number] : ends[number]]:
            if kinds[char] & _SPACE:
                apart = not blank
                continue
            if apart:
                value = _mix(value, folds[_BLANK])
            value, apart, blank = _mix(value, folds[char]), False, False
        hashes[number] = NOTHING if blank else _finished(value)
    return hashes
