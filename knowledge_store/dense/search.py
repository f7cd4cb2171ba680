"""The second stage of retrieval: the passages for a question, in one step or by several hops (section 3.2.2).

The paper embeds all passages that the first stage keeps. Here BM25 first picks, for each question, those that the
question's own words reach; only they are embedded, each at most once for a claim.

Several hops are a beam search along chains of passages (CARP, Lo et al., 2026, section 3.4): each hop asks the question
again together with what a path has found, so that a passage can be reached whose words stand in another passage and not
in the question.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25.scoring import Bm25
from knowledge_store.dense.encoder import Encoder, Vectors
from knowledge_store.pages.page import Passage, normalized
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
    """Dense search over the passages of one claim. Threads may share it.

    What a question finds depends on the question, the passages and the settings alone, not on what was asked before.
    """

    def __init__(self, ranked: RankedStore, encoder: Encoder, settings: RetrievalSettings) -> None:
        self._passages = ranked.passages
        self._positions = {passage.key: position for position, passage in enumerate(ranked.passages)}
        self._lexical = Bm25([passage.text for passage in ranked.passages])
        self._candidates_per_query = settings.dense_candidates
        self._encoder = encoder
        self._vectors: Vectors = np.zeros((len(ranked.passages), encoder.dimension), dtype=np.float32)
        self._embedded = np.zeros(len(ranked.passages), dtype=bool)
        self._lock = Lock()
        self._asked: dict[str, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}  # candidates, vector

    def prepare(self, questions: Sequence[str]) -> None:
        """Embed questions, and the candidates of all of them, so that searching for them embeds nothing more.

        The questions of a round thereby share a batch; ``nearest`` does it for a question that was not prepared.
        """
        new = [question for question in dict.fromkeys(questions) if question not in self._asked]
        if not new:
            return
        candidates = [self._candidates(question) for question in new]
        self._embed(np.unique(np.concatenate(candidates)))
        self._asked.update(zip(new, zip(candidates, self._encoder.encode_queries(new), strict=True), strict=True))

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

    def vectors(self, passages: Sequence[Passage]) -> Vectors:
        """The embeddings of passages of this claim: (len(passages), dimension) float32, unit length.

        Raises:
            KeyError: a passage is not among those that the first stage kept.
        """
        return self._embed(np.array([self._positions[passage.key] for passage in passages], dtype=np.int64))

    def _candidates(self, question: str) -> NDArray[np.int64]:
        """Positions of the passages worth embedding for a question, ascending: the order of the first stage."""
        asked = self._lexical.rank(question, self._candidates_per_query).positions
        claimed = np.arange(min(self._candidates_per_query, len(self._passages)))
        return np.union1d(asked, claimed)

    def _embed(self, positions: NDArray[np.int64]) -> Vectors:
        """The vectors of passages, made now for those that have none yet."""
        with self._lock:
            new = positions[~self._embedded[positions]]
            if new.size:
                self._vectors[new] = self._encoder.encode([self._passages[position].text for position in new])
                self._embedded[new] = True
        return self._vectors[positions]


@dataclass(frozen=True, slots=True)
class Path:
    """A chain of passages, in the order of their retrieval; none of them repeats another.

    Attributes:
        log_likelihood: the sum of log(lambda) - lambda * d over the hops (the paper's equation 1), where the distance
            d is 1 - cosine of the passage to the query of its hop.
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
        likelihood = log(settings.hop_rate) - settings.hop_rate * (1 - hit.score)
        yield Path((*path.hits, hit), path.log_likelihood + likelihood)


def _combined(question: str, path: Path) -> str:
    """The question with the path's evidence, the newest first: an encoder cuts a long query at its end."""
    return "\n".join((question, *(passage.text for passage in reversed(path.passages))))
