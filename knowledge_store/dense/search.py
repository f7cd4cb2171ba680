"""The second stage of retrieval: the passages for a question, in one step or by several hops (section 3.2.2).

The paper embeds all passages that the first stage keeps. Here BM25 first picks, for each question, those that the
question's own words reach; only they are embedded, each at most once for a claim. Where the claim has an archive, what
that holds on the question and on the claim joins them.

Several hops are a beam search along chains of passages (CARP, Lo et al., 2026, section 3.4): each hop asks the question
again together with what a path has found, so that a passage can be reached whose words stand in another passage and not
in the question.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25.scoring import Bm25
from knowledge_store.dense.encoder import Encoder, Vectors
from knowledge_store.dense.open_book import OpenBookSearch
from knowledge_store.pages.page import Flaws, Passage, normalized
from knowledge_store.ranking import RankedStore
from knowledge_store.settings import MultiHopSettings, RetrievalSettings

NEAR_IDENTICAL = 0.98  # cosine from which two passages say the same
GAP = 3  # most characters between two sentences, which no passage has
SCORE_DIGITS = 4  # the last digits of a vector depend on its batch, so scores that differ by less are equal


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers a question; the score is the cosine between the two."""

    passage: Passage
    score: float


class PassageIndex:
    """Dense search over the passages of one claim, and over the archive where it has one. Threads may share it.

    What a question finds depends on the question, the passages and the settings alone, not on what was asked before.

    Args:
        left: seconds, from when it is called, that a search of the archive may take; it fails alone.
    """

    def __init__(
        self,
        ranked: RankedStore,
        encoder: Encoder,
        settings: RetrievalSettings,
        left: Callable[[], float] = lambda: inf,
    ) -> None:
        self._passages = list(ranked.passages)
        self._book = OpenBookSearch(ranked.book, settings, encoder.dimension, left) if ranked.book else None
        self._positions = {passage.key: position for position, passage in enumerate(ranked.passages)}
        self._lexical = Bm25([passage.text for passage in ranked.passages])
        self._candidates_per_query = settings.dense_candidates
        self._encoder = encoder
        self._vectors: Vectors = np.zeros((len(ranked.passages), encoder.dimension), dtype=np.float32)
        self._embedded = np.zeros(len(ranked.passages), dtype=bool)
        self._own = len(ranked.passages)
        self._lock = Lock()
        self._asked: dict[str, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}  # candidates, vector

    @property
    def flaws(self) -> Flaws:
        """Flaws of the pages that searching the archive skipped."""
        return self._book.flaws if self._book else Flaws()

    def prepare(self, questions: Sequence[str]) -> None:
        """Embed questions, and the candidates of all of them, so that searching for them embeds nothing more.

        The questions of a round thereby share a batch; ``nearest`` does it for a question that was not prepared.
        """
        new = [question for question in dict.fromkeys(questions) if question not in self._asked]
        if not new:
            return
        claim = [self._book.claim] if self._book else []
        vectors = self._encoder.encode_queries(new + claim)
        about = self._found(claim[0], vectors[-1]) if claim else []
        candidates = [
            np.array(self._candidates(question, vector, about), dtype=np.int64)
            for question, vector in zip(new, vectors, strict=False)
        ]
        self._embed(np.unique(np.concatenate(candidates)))
        self._asked.update(zip(new, zip(candidates, vectors, strict=False), strict=True))

    def nearest(self, question: str, limit: int, found: Sequence[Passage] = ()) -> list[Hit]:
        """The passages nearest to a question, best first; a passage that repeats a better one is left out.

        Candidates are those that BM25 picks for the question and, since every question is about the claim, those
        for the claim. Equal scores keep the order of the first stage.

        Args:
            found: passages of this claim that are known already; neither they nor what repeats them is returned.
        """
        self.prepare([question])
        candidates, query = self._asked[question]
        vectors, known = self._embed(candidates), self.vectors(found)
        # Of some thousand vectors at most, the exact product takes a few milliseconds: an index would only copy them.
        scores = vectors @ query
        texts = [normalized(passage.text) for passage in found]
        hits: list[Hit] = []
        for row in np.argsort(-scores.round(SCORE_DIGITS), kind="stable"):
            if len(hits) == limit:
                break
            passage, vector = self._passages[candidates[row]], vectors[row]
            text = normalized(passage.text)
            if (known @ vector > NEAR_IDENTICAL).any() or any(text in other or other in text for other in texts):
                continue
            hits.append(Hit(passage, float(scores[row])))
            known, texts = np.vstack([known, vector]), [*texts, text]
        return hits

    def around(self, passage: Passage) -> tuple[str, str]:
        """Return the text of a page just before and just after a passage, as far as neighbors of it were kept."""
        end, before, after = passage.start + len(passage.text), "", ""
        for page, start in sorted(key for key in self._positions if key[0] == passage.page):
            text = self._passages[self._positions[page, start]].text
            gap = passage.start - start - len(text) if start < passage.start else start - end
            if start < passage.start and gap <= GAP:
                before = text[: passage.start - start].ljust(passage.start - start)
            elif passage.start < start and gap <= GAP and not after:
                after = text[-gap:] if gap < 0 else " " * gap + text
        return before, after

    def vectors(self, passages: Sequence[Passage]) -> Vectors:
        """The embeddings of passages of this claim: (len(passages), dimension) float32, unit length.

        Raises:
            KeyError: a passage is not among those that the first stage kept.
        """
        return self._embed(np.array([self._positions[passage.key] for passage in passages], dtype=np.int64))

    def _candidates(self, question: str, vector: Vectors, about: list[int]) -> list[int]:
        """Positions of the passages worth embedding for a question: in the first stage's order, then the archive's.

        Args:
            about: those that the archive has on the claim.
        """
        asked = self._lexical.rank(question, self._candidates_per_query).positions
        claimed = np.arange(min(self._candidates_per_query, self._own))
        return list(dict.fromkeys([*np.union1d(asked, claimed).tolist(), *self._found(question, vector), *about]))

    def _found(self, query: str, vector: Vectors) -> list[int]:
        """Positions of the archive's passages on a query; new ones get theirs here."""
        if not self._book:
            return []
        passages = self._book.passages(query, vector)
        with self._lock:
            new = [passage for passage in passages if passage.key not in self._positions]
            for passage in new:
                self._positions[passage.key] = len(self._passages)
                self._passages.append(passage)
            self._vectors = np.vstack([self._vectors, np.zeros((len(new), self._encoder.dimension), np.float32)])
            self._embedded = np.append(self._embedded, np.zeros(len(new), dtype=bool))
        return [self._positions[passage.key] for passage in passages]

    def _embed(self, positions: NDArray[np.int64]) -> Vectors:
        """The vectors of passages, made now for those that have none yet."""
        with self._lock:
            self._recall(positions[~self._embedded[positions]])
            new = positions[~self._embedded[positions]]
            if new.size:
                self._vectors[new] = self._encoder.encode([self._passages[position].text for position in new])
                self._embedded[new] = True
            return self._vectors[positions]

    def _recall(self, new: NDArray[np.int64]) -> None:
        """Take the vectors that the archive has."""
        if not (self._book and new.size):
            return
        known = self._book.vectors([self._passages[position] for position in new])
        for position in new:
            vector = known.get(self._passages[position].key)
            if vector is not None:
                self._vectors[position], self._embedded[position] = vector, True


def diverse(index: PassageIndex, hits: Sequence[Hit], limit: int, relevance: float) -> list[Hit]:
    """Choose hits by maximal marginal relevance (Carbonell and Goldstein, 1998).

    Each next hit has the highest ``relevance * score - (1 - relevance) * s``, where s is its cosine to the nearest hit
    chosen before.

    Args:
        hits: the nearest passages, best first; several times as many as ``limit``.
        relevance: weight in [0, 1] of the cosine to the question; 1 keeps the order of the hits.
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

    Attributes:
        log_likelihood: the sum of -d over the hops, where the distance d is 1 - cosine of the passage to the query of
            its hop. It is the paper's equation 1, log(lambda) - lambda * d, with lambda 1: paths that compete have
            equally many hops, so any lambda ranks them alike.
    """

    hits: tuple[Hit, ...] = ()
    log_likelihood: float = 0.0

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of the path."""
        return tuple(hit.passage for hit in self.hits)


def search(index: PassageIndex, question: str, limit: int, hops: MultiHopSettings | None = None) -> list[Hit]:
    """The passages for a question, best first.

    Args:
        hops: how to search by hops; in one step without. By hops, the passages of the best path come first, in the
            order of its hops, then those that the next path adds, and so on; the score of a hit is its cosine to the
            query of its hop.
    """
    if hops is None:
        return index.nearest(question, limit)
    first: dict[tuple[int, int], Hit] = {}
    for path in search_paths(index, question, hops):
        for hit in path.hits:
            first.setdefault(hit.passage.key, hit)
    return list(first.values())[:limit]


def search_paths(index: PassageIndex, question: str, settings: MultiHopSettings) -> list[Path]:
    """The ``settings.beam_width`` most likely paths for a question, best first; equal ones in the order of their
    parents' ranks and of their candidates'.

    Paths have ``settings.hops`` passages, or fewer where the store has no more. None is empty: an empty store has none.
    """
    paths = [Path()]
    for _ in range(settings.hops):
        extended = [extension for path in paths for extension in _extensions(index, question, path, settings)]
        if not extended:
            break
        paths = sorted(extended, key=lambda path: -round(path.log_likelihood, SCORE_DIGITS))[: settings.beam_width]
    return [path for path in paths if path.hits]


def _extensions(index: PassageIndex, question: str, path: Path, settings: MultiHopSettings) -> Iterable[Path]:
    """A path with each of the candidates for its next hop."""
    for hit in index.nearest(_combined(question, path), settings.hop_candidates, found=path.passages):
        yield Path((*path.hits, hit), path.log_likelihood - (1 - hit.score))


def _combined(question: str, path: Path) -> str:
    """The question with the path's evidence, the newest first: an encoder cuts a long query at its end."""
    return "\n".join((question, *(passage.text for passage in reversed(path.passages))))
