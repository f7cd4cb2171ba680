"""The passage that a gold answer is read from (section 3.2.3): of its page in the store, or its own text.

Annotators name the page of an answer, not the place on it. The place is the passage that a scorer finds most relevant.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge_store.bm25.passages import passages_of
from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.page import Flaws, Page, Passage
from knowledge_store.pages.store import read_pages
from knowledge_store.settings import RetrievalSettings
from system.averitec.gold import GoldAnswer, GoldClaim
from system.collection import store_file
from system.graph.records import AnswerType
from training import TrainingError
from training.datasets.gold import answer_text
from training.datasets.samples import Drops

BI_ENCODER = "bi-encoder"
NOT_IN_STORE = "gold page not in the store"
NO_STORE = "no store, and not the page's own words"
IRRELEVANT = "best passage below the threshold"
NOTHING_ELSE = "nothing else on the claim that could leave it open"

Scores = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
"""Scores passages for queries: (queries, passages) float64 in [0, 1]."""


def cross_encoder(name: str) -> Scores:
    """Load a cross-encoder of sentence-transformers, a folder or a name on the hub, with one output, a logit.

    It runs on the CPU: the model that judges the answers fills the GPU.
    """
    from sentence_transformers import CrossEncoder
    from torch.nn import Sigmoid

    try:
        model: Any = CrossEncoder(name, device="cpu", local_files_only=Path(name).is_dir())
    except (OSError, ValueError) as error:
        raise TrainingError(
            f"cross-encoder {name!r} could not be loaded ({str(error).splitlines()[0]}); give a folder with one, "
            f"or use the retrieval encoder, which the data card will record: --scorer {BI_ENCODER}"
        ) from error
    if model.num_labels != 1:
        raise TrainingError(
            f"cross-encoder {name!r} has {model.num_labels} outputs; give a cross-encoder with one output"
        )

    def scores(queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
        pairs = [(query, passage) for query in queries for passage in passages]
        found = model.predict(pairs, activation_fn=Sigmoid(), show_progress_bar=False)
        return np.asarray(found, dtype=np.float64).reshape(len(queries), len(passages))

    return scores


def bi_encoder(encoder: Encoder) -> Scores:
    """Score by the cosine of the vectors that retrieval searches with; negative ones count 0."""

    def scores(queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
        cosines = encoder.encode_queries(queries) @ encoder.encode(passages).T
        return np.clip(cosines.astype(np.float64), 0.0, 1.0)

    return scores


@dataclass(frozen=True)
class Source:
    """Where the passages of gold answers come from."""

    store: Path | None  #: folder with a file for each claim id; None if answers stand for their pages
    retrieval: RetrievalSettings
    scorer: str  #: name of what scores passages, for the card
    scores: Scores
    threshold: float  #: minimum relevance of a passage to its question or answer, in [0, 1]


class ClaimEvidence:
    """The gold evidence of one claim; ``flaws`` counts the faults of its store."""

    def __init__(self, annotated: GoldClaim, source: Source, flaws: Flaws) -> None:
        self.without_store = source.store is None
        self._annotated = annotated
        self._source = source
        self._pages: dict[str, Page] = {}  # by the key of the address; the longest of each
        wanted = {page_key(url) for answer in annotated.answers for url in (answer.url, answer.archived) if url}
        if source.store and wanted:
            for page in read_pages(store_file(source.store, annotated.claim), flaws):
                key = page_key(page.url)
                if key in wanted and (key not in self._pages or len(page.text) > len(self._pages[key].text)):
                    self._pages[key] = page

    def passage(self, answer: GoldAnswer, drops: Drops) -> Passage | None:
        """Find the passage that an answer was read from; None, counted in ``drops``, if there is none."""
        if self.without_store:
            return self._own_text(answer, drops)
        page = self._page(answer)
        if page is None:
            drops[NOT_IN_STORE] += 1
            return None
        score, passage = self._best(answer, passages_of(page, self._source.retrieval))
        if score < self._source.threshold:
            drops[IRRELEVANT] += 1
            return None
        return passage

    def elsewhere(self, answer: GoldAnswer, drops: Drops) -> Passage | None:
        """Find the passage on another question that comes closest to this one; None, counted, if there is none.

        It stands for what retrieval returns for a question that no page answers.
        """
        others = list(self._passages_of_others(answer))
        if not others:
            drops[NOTHING_ELSE] += 1
            return None
        return self._best(answer, others)[1]

    def _passages_of_others(self, answer: GoldAnswer) -> Iterator[Passage]:
        for other in self._annotated.answers:
            if other.place == answer.place or other.medium == "Metadata":
                continue
            if self.without_store:
                yield from filter(None, [self._own_text(other, Drops())])
            elif page := self._page(other):
                yield from passages_of(page, self._source.retrieval)

    def _page(self, answer: GoldAnswer) -> Page | None:
        addresses = (page_key(url) for url in (answer.url, answer.archived) if url)
        return next((self._pages[address] for address in addresses if address in self._pages), None)

    def _own_text(self, answer: GoldAnswer, drops: Drops) -> Passage | None:
        """Return the text that an annotator took from the page: an extractive answer, or a Boolean one's reason."""
        text = {AnswerType.EXTRACTIVE: answer.text, AnswerType.BOOLEAN: answer.explanation}.get(answer.type, "")
        if not text:
            drops[NO_STORE] += 1
            return None
        place = self._annotated.answers.index(answer)
        return Passage(text, answer.url or f"annotation:{place}", place, 0)

    def _best(self, answer: GoldAnswer, passages: Sequence[Passage]) -> tuple[float, Passage]:
        """Return the passage most relevant to the question or to the answer, by the better of the two scores."""
        queries = [answer.question]
        if answer.type is not AnswerType.UNANSWERABLE:
            queries.append(answer_text(answer))
        scores = self._source.scores(queries, [passage.text for passage in passages]).max(axis=0)
        best = int(scores.argmax())
        return float(scores[best]), passages[best]
