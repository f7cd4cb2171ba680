"""The verifier: what a passage says of a statement, as probabilities of supported, refuted and not enough."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Reading(IntEnum):
    """The relation of a passage to a statement; the value is its column of the probabilities."""

    SUPPORTED = 0
    REFUTED = 1
    NOT_ENOUGH = 2


Probabilities = NDArray[np.float32]
"""(n, 3), in the order of ``Reading``; each row adds up to 1."""


class VerifierUnavailable(Exception):
    """A verifier cannot be loaded; the message names it, what is wrong and the remedy."""


class Verifier(Protocol):
    """Reads passages.

    Attributes:
        language: the one that it reads, as an ISO 639 code; empty for any.
    """

    language: str

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """Probabilities of each (passage, statement); threads may call it at the same time.

        A long passage is cut at its end, a statement never. Nothing is known of an empty passage, an empty statement,
        or a statement longer than the model can read: not enough, with probability 1.
        """
