"""Compiled access to UTF-8: characters, and hashes of what they mean.

Texts are arrays of bytes, and places in them byte offsets. Hashes are of 64 bits (FNV-1a over code points, then mixed):
among a million texts, the chance that any two share one is 3e-8.
"""

import numpy as np
from numpy.typing import NDArray

from knowledge_store.compiled import compiled
from knowledge_store.tokenization import CODE_POINT_BITS

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Hashes = NDArray[np.uint64]

SEED = np.uint64(0xCBF29CE484222325)
NOTHING = np.uint64(0)  # the hash of no text
_PRIME, _SPREAD, _HALF = np.uint64(0x100000001B3), np.uint64(0xFF51AFD7ED558CCD), np.uint64(32)
_BITS, _CODE_POINT = np.uint64(CODE_POINT_BITS), np.uint64((1 << CODE_POINT_BITS) - 1)


@compiled
def decode(text: Bytes, place: int) -> tuple[np.int64, int]:
    """The code point at a place of valid UTF-8, and the next place."""
    lead = np.int64(text[place])
    if lead < 0x80:
        return lead, place + 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | text[place + 1] & 0x3F, place + 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | (text[place + 1] & 0x3F) << 6 | text[place + 2] & 0x3F, place + 3
    high = (lead & 0x07) << 18 | (text[place + 1] & 0x3F) << 12
    return high | (text[place + 2] & 0x3F) << 6 | text[place + 3] & 0x3F, place + 4


@compiled
def mix(value: np.uint64, folded: np.uint64) -> np.uint64:
    """Hash the code points of one character."""
    value = (value ^ (folded & _CODE_POINT)) * _PRIME
    while folded >> _BITS:
        folded >>= _BITS
        value = (value ^ (folded & _CODE_POINT)) * _PRIME
    return value


@compiled
def finished(value: np.uint64) -> np.uint64:
    """Spread a hash over all its bits; never 0, which is the hash of no text."""
    value = (value ^ (value >> _HALF)) * _SPREAD
    value ^= value >> _HALF
    return value if value != NOTHING else _PRIME
