"""Fact-checking with a Graph of Thoughts, as a library: ``FactChecker`` checks claims, texts and citations.

This is all that is public; what lies beneath it, in ``system`` and the other packages, may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from system import __version__ as __version__

if TYPE_CHECKING:
    from knowledge_store.dense.encoder import EncoderUnavailable as EncoderUnavailable
    from knowledge_store.pages.documents import DocumentsError as DocumentsError
    from knowledge_store.pages.page import Passage as Passage
    from knowledge_store.searchers import SearchError as SearchError
    from system.api import CheckerClosed as CheckerClosed
    from system.api import ClaimLike as ClaimLike
    from system.api import FactChecker as FactChecker
    from system.article.reading import article_of as article_of
    from system.article.reading import read_article as read_article
    from system.article.records import Article as Article
    from system.article.records import CheckedStatement as CheckedStatement
    from system.article.records import CheckedText as CheckedText
    from system.article.records import Sentence as Sentence
    from system.averitec.claims import read_claims as read_claims
    from system.checker import Checked as Checked
    from system.citations.checking import citing_of as citing_of
    from system.citations.checking import read_citing as read_citing
    from system.citations.records import CheckedCitation as CheckedCitation
    from system.citations.records import CheckedCitations as CheckedCitations
    from system.citations.records import Citation as Citation
    from system.citations.records import CitingText as CitingText
    from system.citations.records import Outcome as Outcome
    from system.documents import Document as Document
    from system.documents import Documents as Documents
    from system.graph.graph import Graph as Graph
    from system.graph.records import Answer as Answer
    from system.graph.records import Claim as Claim
    from system.graph.records import ClaimResult as ClaimResult
    from system.graph.records import ClaimsError as ClaimsError
    from system.graph.records import Content as Content
    from system.graph.records import Correction as Correction
    from system.graph.records import Failure as Failure
    from system.graph.records import Label as Label
    from system.graph.records import QuestionAnswer as QuestionAnswer
    from system.graph.records import Timing as Timing
    from system.graph.records import Verdict as Verdict
    from system.graph.thoughts import Thought as Thought
    from system.keywords import SettingKeywords as SettingKeywords
    from system.models.base import ModelUnavailable as ModelUnavailable
    from system.reader.base import ReaderUnavailable as ReaderUnavailable
    from system.settings import SettingsError as SettingsError

_HOMES = {
    "knowledge_store.dense.encoder": ("EncoderUnavailable",),
    "knowledge_store.pages.documents": ("DocumentsError",),
    "knowledge_store.pages.page": ("Passage",),
    "knowledge_store.searchers": ("SearchError",),
    "system.api": ("CheckerClosed", "ClaimLike", "FactChecker"),
    "system.article.reading": ("article_of", "read_article"),
    "system.article.records": ("Article", "CheckedStatement", "CheckedText", "Sentence"),
    "system.averitec.claims": ("read_claims",),
    "system.checker": ("Checked",),
    "system.citations.checking": ("citing_of", "read_citing"),
    "system.citations.records": ("CheckedCitation", "CheckedCitations", "Citation", "CitingText", "Outcome"),
    "system.documents": ("Document", "Documents"),
    "system.graph.graph": ("Graph",),
    "system.graph.records": (
        "Answer",
        "Claim",
        "ClaimResult",
        "ClaimsError",
        "Content",
        "Correction",
        "Failure",
        "Label",
        "QuestionAnswer",
        "Timing",
        "Verdict",
    ),
    "system.graph.thoughts": ("Thought",),
    "system.keywords": ("SettingKeywords",),
    "system.models.base": ("ModelUnavailable",),
    "system.settings": ("SettingsError",),
    "system.reader.base": ("ReaderUnavailable",),
}
"""The same names once more, for Python; those above are for type checkers."""

_MODULES = {name: module for module, names in _HOMES.items() for name in names}
__all__ = [*_MODULES]


def __getattr__(name: str) -> Any:
    """Import what is asked for, and only then: the models' libraries take seconds."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*_MODULES, "__version__"])
