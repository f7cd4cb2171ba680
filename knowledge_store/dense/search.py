"""The second stage of retrieval: the passages for a question, in one step or by several hops (section 3.2.2).

The paper embeds all passages that the first stage keeps. Here only those are embedded that BM25 picks for a question,
each at most once for a claim. An archive adds what it has on the question and on the claim. Several hops are a beam
search along chains of passages (CARP, Lo et al., 2026, section 3.4): each asks the question again together with what a
path has found. Example: ``search(PassageIndex(ranked, encoder, settings), "When did it open?", 5)``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from threading import Lock

import numpy as np

from knowledge_store.bm25.scoring import Bm25
from knowledge_store.dense.archive import Left, OpenBookSearch
from knowledge_store.dense.encoder import Encoder, Vectors
from knowledge_store.dense.prepared import mark, prepared
from knowledge_store.pages.page import Flaws, Passage, normalized
from knowledge_store.ranking import RankedStore
from knowledge_store.settings import MultiHopSettings, RetrievalSettings

NEAR_IDENTICAL = 0.98  # cosine from which two passages say the same
SCORE_DIGITS = 4  # the last digits of a vector depend on its batch, so scores that differ by less are equal


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers a question; the score is the cosine between the two."""

    passage: Passage
    score: float


class PassageIndex:
    """Dense search over the passages of one claim, and over its archive if it has one. Threads may share it.

    What a question finds does not depend on earlier ones. ``left`` returns the seconds that an archive may be searched.
    """

    def __init__(
        self, ranked: RankedStore, encoder: Encoder, settings: RetrievalSettings, left: Left = lambda: inf
    ) -> None:
        self._own = ranked.passages
        self._book = OpenBookSearch(ranked.book, settings, encoder.dimension, left) if ranked.book else None
        self._lexical = Bm25([passage.text for passage in ranked.passages])
        self._candidates_per_query = settings.dense_candidates
        self._encoder, self._prepared = encoder, prepared(ranked.file, settings.encoder) if ranked.file else {}
        self._hypothetical = np.zeros((0, encoder.dimension), np.float32)
        self._vectors: dict[tuple[int, int], Vectors] = {}  # by the key of the passage
        self._lock = Lock()
        self._asked: dict[str, tuple[list[Passage], Vectors]] = {}  # candidates, vector

    @property
    def flaws(self) -> Flaws:
        """Flaws of the pages that searching the archive skipped."""
        return self._book.flaws if self._book else Flaws()

    def expand(self, texts: Sequence[str]) -> None:
        """Average the vector of each later question with those of hypothetical passages (HyDE, Gao et al., 2023)."""
        self._hypothetical = self._encoder.encode(texts)

    def prepare(self, questions: Sequence[str]) -> None:
        """Embed questions and their candidates in shared batches, so that ``nearest`` embeds nothing more."""
        new = [question for question in dict.fromkeys(questions) if question not in self._asked]
        if not new:
            return
        claim = [self._book.claim] if self._book else []
        vectors = self._queries(new + claim)
        about = self._book.passages(claim[0], vectors[-1]) if self._book else ()
        asked = {
            question: (self._candidates(question, vector, about), vector)
            for question, vector in zip(new, vectors, strict=False)
        }
        self.vectors([passage for candidates, _ in asked.values() for passage in candidates])
        self._asked |= asked

    def nearest(self, question: str, limit: int, found: Sequence[Passage] = ()) -> list[Hit]:
        """The passages nearest to a question, best first, without those that repeat a better one or one ``found``.

        Equal scores keep the order of the first stage.
        """
        self.prepare([question])
        candidates, query = self._asked[question]
        vectors, known = self.vectors(candidates), self.vectors(found)
        scores = vectors @ query
        texts = [normalized(passage.text) for passage in found]
        hits: list[Hit] = []
        for row in np.argsort(-scores.round(SCORE_DIGITS), kind="stable"):
            if len(hits) == limit:
                break
            passage, vector = candidates[row], vectors[row]
            text = normalized(passage.text)
            if (known @ vector > NEAR_IDENTICAL).any() or any(text in other or other in text for other in texts):
                continue
            hits.append(Hit(passage, float(scores[row])))
            known, texts = np.vstack([known, vector]), [*texts, text]
        return hits

    def vectors(self, passages: Sequence[Passage]) -> Vectors:
        """The embeddings of passages, each made once: (len(passages), dimension) float32, unit length."""
        with self._lock:
            new = [passage for passage in passages if passage.key not in self._vectors]
            if self._book and new:
                self._vectors |= self._book.vectors(new)
            if self._prepared:
                marks = {passage.key: mark(passage.text) for passage in new}
                self._vectors |= {key: self._prepared[one] for key, one in marks.items() if one in self._prepared}
            texts = {passage.key: passage.text for passage in new if passage.key not in self._vectors}
            if texts:
                self._vectors |= zip(texts, self._encoder.encode([*texts.values()]), strict=True)
            rows = [self._vectors[passage.key] for passage in passages]
        return np.array(rows, dtype=np.float32).reshape(len(passages), self._encoder.dimension)

    def _queries(self, texts: Sequence[str]) -> Vectors:
        vectors = self._encoder.encode_queries(texts)
        if len(self._hypothetical):
            vectors = vectors + self._hypothetical.sum(axis=0)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _candidates(self, question: str, vector: Vectors, about: Sequence[Passage]) -> list[Passage]:
        """The passages worth embedding for a question, in the first stage's order, then the archive's."""
        asked = self._lexical.rank(question, self._candidates_per_query).positions
        claimed = np.arange(min(self._candidates_per_query, len(self._own)))
        own = [self._own[position] for position in np.union1d(asked, claimed)]
        found = self._book.passages(question, vector) if self._book else ()
        return list({passage.key: passage for passage in (*own, *found, *about)}.values())


def diverse(index: PassageIndex, hits: Sequence[Hit], limit: int, relevance: float) -> list[Hit]:
    """Choose hits by maximal marginal relevance (Carbonell and Goldstein, 1998).

    Each has the highest ``relevance * score - (1 - relevance) * s``, where s is its cosine to the nearest one chosen.
    """
    vectors = index.vectors([hit.passage for hit in hits])
    scores = np.array([hit.score for hit in hits])
    nearest, chosen = np.zeros(len(hits)), list[int]()
    while len(chosen) < min(limit, len(hits)):
        gains = (relevance * scores - (1 - relevance) * nearest).round(SCORE_DIGITS)
        gains[chosen] = -inf
        chosen.append(int(gains.argmax()))
        nearest = np.maximum(nearest, vectors @ vectors[chosen[-1]])
    return [hits[place] for place in chosen]


@dataclass(frozen=True, slots=True)
class Path:
    """A chain of passages, in the order of their retrieval; none of them repeats another.

    The log likelihood is the paper's equation 1 with lambda 1: the sum of ``cosine - 1`` over the hops.
    """

    hits: tuple[Hit, ...] = ()
    log_likelihood: float = 0.0

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of the path."""
        return tuple(hit.passage for hit in self.hits)


def search(index: PassageIndex, question: str, limit: int, hops: MultiHopSettings | None = None) -> list[Hit]:
    """The passages for a question, best first; by hops, those of the best path, then what the next path adds."""
    if hops is None:
        return index.nearest(question, limit)
    first: dict[tuple[int, int], Hit] = {}
    for path in search_paths(index, question, hops):
        for hit in path.hits:
            first.setdefault(hit.passage.key, hit)
    return list(first.values())[:limit]


def search_paths(index: PassageIndex, question: str, settings: MultiHopSettings) -> list[Path]:
    """The ``beam_width`` most likely paths for a question, best first, of ``hops`` passages if there are so many."""
    paths = [Path()]
    for _ in range(settings.hops):
        extended = [
            Path((*path.hits, hit), path.log_likelihood - (1 - hit.score))
            for path in paths
            for hit in index.nearest(_combined(question, path), settings.hop_candidates, found=path.passages)
        ]
        if not extended:
            break
        paths = sorted(extended, key=lambda path: -round(path.log_likelihood, SCORE_DIGITS))[: settings.beam_width]
    return [path for path in paths if path.hits]


def _combined(question: str, path: Path) -> str:
    """The question with the path's evidence, the newest first: an encoder cuts a long query at its end."""
    return "\n".join((question, *(passage.text for passage in reversed(path.passages))))
