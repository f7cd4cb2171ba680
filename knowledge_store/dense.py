"""The second stage of retrieval: for each question, the passages nearest in meaning (section 3.2.2).

The paper embeds all passages that the first stage keeps. Here BM25 first picks, for each question, those that the
question's own words reach; only they are embedded, each at most once for a claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import faiss
import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25 import Bm25
from knowledge_store.encoder import Encoder, Vectors
from knowledge_store.passages import Passage
from knowledge_store.ranking import RankedStore, normalized
from knowledge_store.settings import RetrievalSettings

NEAR_IDENTICAL = 0.98  # cosine from which two passages say the same
SCORE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers a question; the score is the cosine between the two."""

    passage: Passage
    score: float


class PassageIndex:
    """Dense search over the passages of one claim. Threads may share it.

    What a question finds depends on the question, the passages and the settings alone, not on what was asked before.
    """

    def __init__(self, ranked: RankedStore, encoder: Encoder, settings: RetrievalSettings) -> None:
        self._passages = ranked.passages
        self._positions = {passage.key: position for position, passage in enumerate(ranked.passages)}
        self._lexical = Bm25([passage.text for passage in ranked.passages])
        self._shortlist = settings.shortlist
        self._encoder = encoder
        self._vectors: Vectors = np.zeros((len(ranked.passages), encoder.dimension), dtype=np.float32)
        self._embedded = np.zeros(len(ranked.passages), dtype=bool)
        self._lock = Lock()

    def search(self, question: str, limit: int) -> list[Hit]:
        """The passages nearest to a question, best first; a passage that repeats a better one is left out.

        Candidates are the BM25 shortlist of the question and, since every question is about the claim, that of the
        claim. Equal scores keep the order of the first stage.
        """
        candidates = self._candidates(question)
        vectors = self._embed(candidates)
        hits: list[Hit] = []
        kept: list[int] = []
        for row, score in self._nearest(question, vectors):
            if len(hits) == limit:
                break
            passage = self._passages[candidates[row]]
            if not self._repeats(passage, vectors[row], hits, vectors[kept]):
                hits.append(Hit(passage, score))
                kept.append(row)
        return hits

    def vectors(self, passages: Sequence[Passage]) -> Vectors:
        """The embeddings of passages of this claim: (len(passages), dimension) float32, unit length.

        Raises:
            KeyError: a passage is not among those that the first stage kept.
        """
        return self._embed(np.array([self._positions[passage.key] for passage in passages], dtype=np.int64))

    def _candidates(self, question: str) -> NDArray[np.int64]:
        """Positions of the passages worth embedding for a question, ascending: the order of the first stage."""
        asked = self._lexical.rank(question, self._shortlist).positions
        claimed = np.arange(min(self._shortlist, len(self._passages)))
        return np.union1d(asked, claimed)

    def _embed(self, positions: NDArray[np.int64]) -> Vectors:
        """The vectors of passages, made now for those that have none yet."""
        with self._lock:
            new = np.unique(positions[~self._embedded[positions]])
            if new.size:
                self._vectors[new] = self._encoder.encode([self._passages[position].text for position in new])
                self._embedded[new] = True
        return self._vectors[positions]

    def _nearest(self, question: str, vectors: Vectors) -> list[tuple[int, float]]:
        """All rows of ``vectors`` with their cosines to the question, best first."""
        if not len(vectors):
            return []
        index = faiss.IndexFlatIP(self._encoder.dimension)
        index.add(vectors)
        scores, rows = index.search(self._encoder.encode_queries([question]), len(vectors))
        # The last digits of a vector depend on the batch it was made in, so scores that differ by less are equal.
        order = np.lexsort((rows[0], -scores[0].round(SCORE_DIGITS)))
        return [(int(rows[0, i]), float(scores[0, i])) for i in order]

    @staticmethod
    def _repeats(passage: Passage, vector: Vectors, hits: Sequence[Hit], kept: Vectors) -> bool:
        """Whether a passage says what a better one says: nearly the same vector, or one text within the other."""
        if (kept @ vector > NEAR_IDENTICAL).any():
            return True
        text = normalized(passage.text)
        others = [normalized(hit.passage.text) for hit in hits]
        return any(text in other or other in text for other in others)
