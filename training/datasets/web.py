"""A stand-in for the web, for claims that come without a knowledge store: what annotators found for all of them.

A question finds the answers of its claim, those of the claims nearest to it (its topic) and those of some at random
(the noise).
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder
from system.gold import GoldAnswer, GoldClaim
from system.records import NO_ANSWER, AnswerType, QuestionAnswer
from training.datasets.gold import answer_text

NEIGHBORS = 10  # claims of the same topic whose answers a question finds
STRANGERS = 10  # claims of any topic
SENTENCES = 3  # of an answer
NEAR = 0.3  # least similarity of a sentence to its question
LOST = 0.35  # share of the questions whose own answers cannot be found
Vectors = NDArray[np.float32]


class Web:
    """What can be found: the sentences of all gold answers, with vectors."""

    def __init__(self, claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> None:
        self._claims = claims
        self._encoder = encoder
        self._generator = np.random.default_rng(seed)
        self._topics: Vectors = encoder.encode([annotated.claim.text for annotated in claims])
        self._texts = [text for annotated in claims for answer in annotated.answers for text in sentences(answer)]
        self._owners = np.array(
            [(i, answer.place) for i, a in enumerate(claims) for answer in a.answers for _ in sentences(answer)]
        )
        self._vectors: Vectors = encoder.encode(self._texts)

    def pairs(self, place: int) -> Iterator[QuestionAnswer]:
        """The claim's questions with the sentences nearest to each."""
        annotated = self._claims[place]
        members = np.isin(self._owners[:, 0], self._members(place))
        questions = {answer.place: answer.question for answer in annotated.answers if answer.question}
        if not questions:
            return
        queries = self._encoder.encode_queries(list(questions.values()))
        for (number, question), query in zip(questions.items(), queries, strict=True):
            own = (self._owners == (place, number)).all(axis=1)
            lost = falls(LOST, f"{annotated.claim.text}\n{question}")
            yield self._pair(question, query, np.flatnonzero(members & ~(own & lost)))

    def nearest(self, place: int, answer: GoldAnswer, count: int) -> list[str]:
        """The sentences nearest to an answer's question among those of other claims on the topic."""
        members = [other for other in self._topic(place) if other != place]
        candidates = np.flatnonzero(np.isin(self._owners[:, 0], members))
        (query,) = self._encoder.encode_queries([answer.question])
        best = np.argsort(-(self._vectors[candidates] @ query), kind="stable")[:count]
        return list(dict.fromkeys(self._texts[candidates[i]] for i in best))

    def _pair(self, question: str, query: Vectors, candidates: NDArray[np.int64]) -> QuestionAnswer:
        scores = self._vectors[candidates] @ query
        best = np.argsort(-scores, kind="stable")[:SENTENCES]
        near = [self._texts[candidates[i]] for i in best if scores[i] >= NEAR]
        return QuestionAnswer(question=question, answer=" ".join(dict.fromkeys(near)) or NO_ANSWER, answers=())

    def _members(self, place: int) -> NDArray[np.int64]:
        return np.concatenate([[place], self._topic(place), self._generator.permutation(len(self._claims))[:STRANGERS]])

    def _topic(self, place: int) -> NDArray[np.int64]:
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
