"""A stand-in for the web, for claims that come without a knowledge store: what annotators found for all of them.

A question finds the answers of its claim, those of the claims nearest to it (its topic) and those of some at random
(the noise). The web also repeats what is claimed, true or not, and so do these stores.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder
from system.averitec.gold import GoldAnswer, GoldClaim
from system.graph.records import AnswerType
from system.strategies.steps.tasks.judge_claim import NEAREST
from training.datasets.gold import answer_text

NEIGHBORS = 10  # claims of the same topic whose answers a question finds
STRANGERS = 10  # claims of any topic
LOST = 0.35  # share of the questions whose own answers cannot be found
REPEATED = 0.5  # share of the claims that a page repeats
CLAIM = -1  # place of a claim's own text among its answers
Vectors = NDArray[np.float32]


class Web:
    """A small web: the sentences of all gold answers and the claims themselves, with vectors."""

    def __init__(self, claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> None:
        self._claims = claims
        self._encoder = encoder
        self._generator = np.random.default_rng(seed)
        self._topics: Vectors = encoder.encode([annotated.claim.text for annotated in claims])
        said = [
            (text, i, answer.place) for i, a in enumerate(claims) for answer in a.answers for text in sentences(answer)
        ]
        said += [(annotated.claim.text, i, CLAIM) for i, annotated in enumerate(claims)]
        self._texts = [text for text, *_ in said]
        self._owners = np.array([owner for _, *owner in said])
        self._vectors: Vectors = encoder.encode(self._texts)

    def about(self, place: int) -> list[str]:
        """The sentences nearest to a claim, nearest first, of all that its questions can find."""
        annotated = self._claims[place]
        lost = [
            answer.place for answer in annotated.answers if falls(LOST, f"{annotated.claim.text}\n{answer.question}")
        ]
        if not falls(REPEATED, f"{annotated.claim.text}\nrepeated"):
            lost.append(CLAIM)
        members = np.isin(self._owners[:, 0], self._members(place))
        hidden = (self._owners[:, 0] == place) & np.isin(self._owners[:, 1], lost)
        candidates = np.flatnonzero(members & ~hidden)
        best = np.argsort(-(self._vectors[candidates] @ self._topics[place]), kind="stable")
        distinct = dict.fromkeys(self._texts[candidates[i]] for i in best)
        return list(distinct)[:NEAREST]

    def _members(self, place: int) -> NDArray[np.int64]:
        return np.concatenate([[place], self.topic(place), self._generator.permutation(len(self._claims))[:STRANGERS]])

    def topic(self, place: int) -> NDArray[np.int64]:
        """The claims nearest to one, itself among them."""
        return np.argsort(-(self._topics @ self._topics[place]).round(4), kind="stable")[: NEIGHBORS + 1]


def sentences(answer: GoldAnswer) -> list[str]:
    """The sentences of an answer that stands on a page; of a Boolean one, those of its explanation."""
    if answer.type is AnswerType.UNANSWERABLE or answer.medium == "Metadata":
        return []
    text = answer.explanation if answer.type is AnswerType.BOOLEAN and answer.explanation else answer_text(answer)
    pieces = [piece.strip() for piece in text.replace("\n", " ").split(". ")]
    return [piece if piece.endswith(".") else f"{piece}." for piece in pieces if len(piece) > 20]


def falls(share: float, text: str) -> bool:
    """Whether a text is among a share of all texts, by its hash."""
    return hashlib.sha256(text.encode()).digest()[0] < share * 256
