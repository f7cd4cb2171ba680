"""The passage that a gold answer is read from (section 3.2.3): of its page in the store, or its own text.

Annotators name the page of an answer, not the place on it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge_store.pages.page import Flaws, Page, Passage
from knowledge_store.settings import RetrievalSettings
from system.gold import GoldAnswer, GoldClaim
from system.records import AnswerType
from system.runner.ranking_pool import store_file
from training.datasets.gold_pages import find_pages, passages_of, same_address
from training.datasets.pairs import answer_text
from training.datasets.relevance import Relevance
from training.datasets.samples import Drops

NOT_IN_STORE = "gold page not in the store"
NO_STORE = "no store, and not the page's own words"
IRRELEVANT = "best passage below the threshold"
NOTHING_ELSE = "nothing else on the claim that could leave it open"


@dataclass(frozen=True)
class Source:
    """Where the passages of gold answers come from; without a store, answers stand for their pages.

    Attributes:
        store: folder of a file for each claim id, or None.
        threshold: least relevance of a passage to its question or answer, in [0, 1].
    """

    store: Path | None
    retrieval: RetrievalSettings
    relevance: Relevance
    threshold: float


@dataclass(frozen=True)
class Found:
    """An answer with the passage that it is read from.

    Attributes:
        own_text: the passage is what the annotator copied, not the page.
    """

    answer: GoldAnswer
    passage: Passage
    own_text: bool


class ClaimEvidence:
    """The gold evidence of one claim.

    Args:
        flaws: counts what is wrong with the claim's store.
    """

    def __init__(self, annotated: GoldClaim, source: Source, flaws: Flaws) -> None:
        self._annotated = annotated
        self._source = source
        urls = [url for answer in annotated.answers for url in (answer.url, answer.archived)]
        self._pages: Mapping[str, Page] = (
            find_pages(store_file(source.store, annotated.claim), urls, flaws) if source.store else {}
        )

    def passage(self, answer: GoldAnswer, drops: Drops) -> Found | None:
        """The passage that an answer was read from; None, and counted, where there is none."""
        if self._source.store is None:
            return self._own_text(answer, drops)
        page = self._page(answer)
        if page is None:
            drops[NOT_IN_STORE] += 1
            return None
        score, passage = self._best(answer, passages_of(page, self._source.retrieval))
        if score < self._source.threshold:
            drops[IRRELEVANT] += 1
            return None
        return Found(answer, passage, own_text=False)

    def elsewhere(self, answer: GoldAnswer, drops: Drops) -> Found | None:
        """The passage on another question that comes closest to this one; None, and counted, where there is none.

        It stands for what retrieval brings to a question that no page answers.
        """
        others = list(self._passages_of_others(answer))
        if not others:
            drops[NOTHING_ELSE] += 1
            return None
        _, passage = self._best(answer, others)
        return Found(answer, passage, own_text=self._source.store is None)

    def _passages_of_others(self, answer: GoldAnswer) -> Iterator[Passage]:
        for other in self._annotated.answers:
            if other.place == answer.place or other.medium == "Metadata":
                continue
            if self._source.store is None:
                found = self._own_text(other, Drops())
                yield from [found.passage] if found else []
            elif page := self._page(other):
                yield from passages_of(page, self._source.retrieval)

    def _page(self, answer: GoldAnswer) -> Page | None:
        addresses = (same_address(url) for url in (answer.url, answer.archived) if url)
        return next((self._pages[address] for address in addresses if address in self._pages), None)

    def _own_text(self, answer: GoldAnswer, drops: Drops) -> Found | None:
        """What an annotator took from the page: an extractive answer, or the reason of a Boolean one."""
        text = {AnswerType.EXTRACTIVE: answer.text, AnswerType.BOOLEAN: answer.explanation}.get(answer.type, "")
        if not text:
            drops[NO_STORE] += 1
            return None
        place = self._annotated.answers.index(answer)
        return Found(answer, Passage(text, answer.url or f"annotation:{place}", place, 0), own_text=True)

    def _best(self, answer: GoldAnswer, passages: Sequence[Passage]) -> tuple[float, Passage]:
        """The passage most relevant to the question or to the answer, by the better of the two scores."""
        queries = [answer.question]
        if answer.type is not AnswerType.UNANSWERABLE:
            queries.append(answer_text(answer))
        scores = self._source.relevance.scores(queries, [passage.text for passage in passages]).max(axis=0)
        best = int(scores.argmax())
        return float(scores[best]), passages[best]
