"""The reader: what a passage says of a statement, and which of AVeriTeC's labels a claim's evidence gives it.

Everything that reads without a language model goes through this interface. A bundled reader runs on OpenVINO
(``openvino.py``); any sentence-pair model of the hub can take its place (``hub.py``), without the second head.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from system.graph.records import Claim, Label

VERDICTS = (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE, Label.CONFLICTING)
"""The labels of the second head, in the order of its columns."""
ANSWER = 400  # characters of an answer that the second head reads


class Relation(IntEnum):
    """The relation of a passage to a statement; the value is its column of the probabilities."""

    SUPPORTED = 0
    REFUTED = 1
    NOT_ENOUGH = 2


Probabilities = NDArray[np.float32]
"""(n, 3) in the order of ``Relation``, or (n, 4) in that of ``VERDICTS``; each row adds up to 1."""


class ReaderUnavailable(Exception):
    """A reader cannot be loaded; the message names it, what is wrong and the remedy."""


class Reader(Protocol):
    """Reads pairs of texts."""

    language: str  #: the one that it reads, as an ISO 639 code; empty for any
    thresholds: tuple[float, float]  #: probabilities from which it is sure of supported and of refuted

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """Return the probabilities of each (passage, statement), (n, 3); threads may call it at the same time.

        A long passage is cut at its end, a statement never. An empty passage, an empty statement, or a statement
        longer than the model can read gives *not enough* with probability 1.
        """

    def labels(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """Return the probabilities of AVeriTeC's labels for each (evidence, claim), (n, 4).

        The texts are made by ``evidence_text`` and ``claim_text``.

        Raises:
            ReaderUnavailable: this reader has no such head.
        """


def claim_text(claim: Claim) -> str:
    """Return a claim as the second head reads it: with its speaker and date, if they are known."""
    said = ", ".join(filter(None, (claim.speaker, claim.date)))
    return f"{claim.text} ({said})" if said else claim.text


def evidence_text(pairs: Iterable[tuple[str, str]]) -> str:
    """Return questions with their answers as the second head reads them, the most important first.

    >>> evidence_text([("When did it open?", "In May 1932."), ("", "It is 310 m long.")])
    'When did it open? In May 1932. It is 310 m long.'
    """
    return " ".join(" ".join(f"{question} {answer[:ANSWER]}".split()) for question, answer in pairs)
