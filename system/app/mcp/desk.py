"""The tools' work: each asks the engine through its library, says how far it is, and puts the answer into records."""

import asyncio
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from itertools import count, islice
from pathlib import Path

from knowledge_store.dense.search import PassageIndex
from knowledge_store.pages.documents import DocumentsError
from knowledge_store.ranking import RankedStore, rank
from knowledge_store.searchers.searched import on_the_web
from system.api import FactChecker
from system.app.mcp import records
from system.app.mcp.records import Progress
from system.app.service.worker import public_result
from system.article.reading import read_text
from system.article.records import CheckedStatement, CheckedText, Sentence
from system.citations.checking import citing_of
from system.citations.records import CheckedCitation, CheckedCitations
from system.collection import document_collection
from system.graph.records import Claim, ClaimResult

CLAIMS_PASSAGES, STATEMENTS_PASSAGES = 10, 3  # shown of the evidence: an assistant reads all that it is given


class Desk:
    """Answers the tools: each method yields steps, and the answer last; it blocks between them, and to close it ends
    the work. Threads may share a desk.

    Args:
        checker: closed with the desk.
        documents: files and folders to check against where a call brings no documents.
        fetch: whether cited addresses that no document has are fetched.
    """

    def __init__(self, checker: FactChecker, documents: Sequence[str] = (), *, fetch: bool = False) -> None:
        self._checker, self._documents, self._fetch = checker, list(documents), fetch

    def close(self) -> None:
        """Free the models."""
        self._checker.close()

    def check_claim(
        self, claim: Claim, documents: Mapping[str, str]
    ) -> Generator[Progress | records.CheckedClaim, None, None]:
        """Check one claim.

        Raises:
            DocumentsError: there is nothing to check against, or it cannot be read.
        """
        with closing(self._checker.thoughts(claim, documents or self._own())) as thoughts:
            for done in count(1):
                try:
                    yield Progress(done, None, next(thoughts).kind)
                except StopIteration as end:
                    yield _claim(public_result(end.value.result))
                    return

    def check_text(
        self, text: str, documents: Mapping[str, str], date: str = "", speaker: str = ""
    ) -> Generator[Progress | records.TextReport, None, None]:
        """Check the statements of a text.

        Raises:
            DocumentsError: there is nothing to check against, or it cannot be read.
        """
        article = read_text(text)
        total, found = len(article.claims), list[CheckedStatement]()
        checking = self._checker.check_text(article, documents or self._own(), date=date, speaker=speaker)
        with closing(checking) as statements:
            for one in statements:
                found.append(one)
                yield Progress(len(found), total, str(one.label))
        checked = CheckedText.of(article, found)
        yield records.TextReport(
            counts=checked.counts, score=checked.score, statements=list(map(_statement, checked.statements))
        )

    def check_citations(
        self, text: str, documents: Mapping[str, str], date: str = ""
    ) -> Generator[Progress | records.CitationsReport, None, None]:
        """Check what a text's sources say of the sentences that cite them.

        Raises:
            DocumentsError: the text cites nothing, or the documents cannot be read.
        """
        citing = citing_of(text)
        total, found = len(citing.citations), list[CheckedCitation]()
        if not total:
            raise DocumentsError("text: expected links, footnotes or numbered references, got none in a statement")
        checking = self._checker.check_citations(citing, documents or self._documents, fetch=self._fetch, date=date)
        with closing(checking) as citations:
            for one in citations:
                found.append(one)
                yield Progress(len(found), total, str(one.outcome))
        checked = CheckedCitations.of(citing.article, found, citing.unresolved)
        yield records.CitationsReport(
            counts=checked.counts,
            citations=list(map(_citation, checked.citations)),
            unresolved=list(checked.unresolved),
        )

    def search_archive(self, query: str, limit: int) -> Generator[Progress | records.SearchResult, None, None]:
        """Find passages in the archive of the settings; without one, in the documents.

        Raises:
            DocumentsError, SearchError: there is nothing to search, or it cannot be read.
        """
        yield Progress(1, 2, "ranking")
        engine = self._checker.engine
        seconds = engine.settings.run.reading
        index = PassageIndex(self._ranked(query), engine.encoder, engine.settings.retrieval, lambda: seconds)
        hits = index.nearest(query, limit)
        yield records.SearchResult(
            passages=[
                records.Found(address=hit.passage.url, text=hit.passage.text, score=float(hit.score)) for hit in hits
            ]
        )

    def _ranked(self, query: str) -> RankedStore:
        settings = self._checker.engine.settings
        search = settings.retrieval.search
        if search and not on_the_web(search):
            without = settings.retrieval.model_copy(update={"search": ""})
            return rank(Path(search), query, without, seconds=settings.run.reading)
        return asyncio.run(document_collection(self._own(), settings).ranked(Claim(query))).store

    def _own(self) -> list[str]:
        """The server's evidence and settings.

        Raises:
            DocumentsError: nothing.
        """
        if not (self._documents or self._checker.engine.settings.retrieval.search):
            raise DocumentsError(NOTHING)
        return self._documents


NOTHING = "no evidence: give documents, or start this server with --documents or --search"


def _finding(result: ClaimResult, most: int) -> dict[str, object]:
    """The fields of a ``VerdictWithEvidence``."""
    return {
        "label": result.verdict.label,
        "confidence": result.verdict.confidence,
        "justification": result.verdict.justification,
        "corrected": result.correction.text if result.correction else "",
        "evidence": _passages(result, most),
        "failures": [failure.message for failure in result.failures],
    }


def _claim(result: ClaimResult) -> records.CheckedClaim:
    finding = _finding(result, CLAIMS_PASSAGES)
    return records.CheckedClaim.model_validate({**finding, "seconds": result.timing.seconds})


def _statement(one: CheckedStatement) -> records.Statement:
    finding = _finding(public_result(one.result), STATEMENTS_PASSAGES)
    return records.Statement.model_validate({**finding, **_words(one.sentence)})


def _citation(one: CheckedCitation) -> records.CitedSentence:
    sentence, result = one.citation.sentence, one.result
    return records.CitedSentence(
        **_words(sentence),
        target=one.citation.target,
        source=one.source,
        outcome=one.outcome,
        why=one.why,
        evidence=_passages(result, STATEMENTS_PASSAGES) if result else [],
        corrected=result.correction.text if result and result.correction else "",
    )


def _words(sentence: Sentence) -> dict[str, str]:
    return {"sentence": sentence.text, "claim": sentence.claim, "context": sentence.context}


def _passages(result: ClaimResult, most: int) -> list[records.Passage]:
    """The passages that a verdict was read from, each once, the most important first."""
    found = {one.key: one for pair in result.pairs for one in pair.passages}
    return [records.Passage(address=one.url, text=one.text) for one in islice(found.values(), most)]
