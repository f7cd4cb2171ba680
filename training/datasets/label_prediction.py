"""Labels alone, for a model too small to reason first: from gold answers, and from what retrieval finds.

A model that reads gold answers alone trusts whatever it is shown. In use it reads what a retriever found: sentences
near the question, of pages about something else as often as not. AVeriTeC's training split has no knowledge store, so
what annotators found stands in for the web: the answers of a claim, those of the claims nearest to it (its topic) and
those of some at random (the noise). A share of the questions loses its own answers, as the web does not have them all.
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder
from system.gold import GoldAnswer, GoldClaim
from system.records import NO_ANSWER, AnswerType, QuestionAnswer
from system.tasks.judge_claim import LabelClaim, LabelReply
from training.datasets.pairs import answer_text, gold_pairs
from training.datasets.samples import DataSet, Drops, Sample

NEIGHBORS = 10  # claims of the same topic whose answers a question finds
STRANGERS = 10  # claims of any topic
SENTENCES = 3  # of an answer
NEAR = 0.3  # least similarity of a sentence to its question
LOST = 0.35  # share of the questions whose own answers cannot be found
FOUND = 0.35  # share of the claims that are shown with found answers too; each costs as much as a gold one
Vectors = NDArray[np.float32]


def label_prediction(claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> DataSet:
    """A sample for each claim with its gold answers, and for a share with what retrieval finds for its questions."""
    web = _Web(claims, encoder, seed)
    samples = [sample for place, annotated in enumerate(claims) for sample in _samples(place, annotated, web)]
    notes = {"neighbors": NEIGHBORS, "strangers": STRANGERS, "questions without their own answers": LOST}
    return DataSet("labels", samples, Drops(), notes)


def _samples(place: int, annotated: GoldClaim, web: "_Web") -> Iterator[Sample]:
    yield _sample(annotated, "gold", gold_pairs(annotated))
    if _falls(FOUND, annotated.claim.text):
        yield _sample(annotated, "retrieved", tuple(web.pairs(place)))


def _sample(annotated: GoldClaim, kind: str, pairs: tuple[QuestionAnswer, ...]) -> Sample:
    return Sample(
        id=f"label-{annotated.claim.id}-{kind}",
        label=annotated.label,
        task=LabelClaim(claim=annotated.claim, pairs=pairs),
        reply=LabelReply(label=annotated.label),
        kind=kind,
    )


class _Web:
    """What can be found: the sentences of all gold answers, with vectors."""

    def __init__(self, claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> None:
        self._claims = claims
        self._encoder = encoder
        self._generator = np.random.default_rng(seed)
        self._topics: Vectors = encoder.encode([annotated.claim.text for annotated in claims])
        self._texts = [text for annotated in claims for answer in annotated.answers for text in _sentences(answer)]
        self._owners = np.array(
            [(i, answer.place) for i, a in enumerate(claims) for answer in a.answers for _ in _sentences(answer)]
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
            lost = _falls(LOST, f"{annotated.claim.text}\n{question}")
            yield self._pair(question, query, np.flatnonzero(members & ~(own & lost)))

    def _pair(self, question: str, query: Vectors, candidates: NDArray[np.int64]) -> QuestionAnswer:
        scores = self._vectors[candidates] @ query
        best = np.argsort(-scores, kind="stable")[:SENTENCES]
        near = [self._texts[candidates[i]] for i in best if scores[i] >= NEAR]
        return QuestionAnswer(question=question, answer=" ".join(dict.fromkeys(near)) or NO_ANSWER, answers=())

    def _members(self, place: int) -> NDArray[np.int64]:
        nearest = np.argsort(-(self._topics @ self._topics[place]).round(4), kind="stable")[: NEIGHBORS + 1]
        return np.concatenate([[place], nearest, self._generator.permutation(len(self._claims))[:STRANGERS]])


def _sentences(answer: GoldAnswer) -> list[str]:
    if answer.type is AnswerType.UNANSWERABLE or answer.medium == "Metadata":
        return []
    text = answer.explanation if answer.type is AnswerType.BOOLEAN and answer.explanation else answer_text(answer)
    pieces = [piece.strip() for piece in text.replace("\n", " ").split(". ")]
    return [piece if piece.endswith(".") else f"{piece}." for piece in pieces if len(piece) > 20]


def _falls(share: float, text: str) -> bool:
    """Whether a text is among a share of all texts, by its hash."""
    return hashlib.sha256(text.encode()).digest()[0] < share * 256
