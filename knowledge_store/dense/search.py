"""The second stage of retrieval: the passages for a question, in one step or by several hops.

Several hops are a beam search along chains of passages (CARP, Lo et al., 2026, section 3.4): each hop asks the question
again together with what a path has found, so that a passage can be reached whose words stand in another passage and not
in the question.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log

from knowledge_store.dense.index import SCORE_DIGITS, Hit, PassageIndex
from knowledge_store.pages.page import Passage
from knowledge_store.settings import MultiHopSettings


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
