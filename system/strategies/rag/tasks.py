"""The one task of ``rag``: questions, answers, ratings and the verdict, from all sources at once."""

from typing import Annotated

from pydantic import Field

from system.graph.records import Label, Record
from system.strategies.steps.tasks import Example, WebSource
from system.tasks.base import Reply, Task, Text

ITEMS = 10  # questions of a reply
Rating = Annotated[int, Field(ge=1, le=5)]


class CitedPair(Record):
    """A question, its answer, and the number of the source that answers it, from 1."""

    question: Text
    answer: Text
    source: int


class Ratings(Record):
    """How well each label fits, from 1 (not at all) to 5 (fully)."""

    supported: Rating
    refuted: Rating
    not_enough_evidence: Rating
    conflicting_evidence: Rating


class SourcesReply(Reply):
    """All that is said of a claim; the label comes last."""

    label_field = "label"

    pairs: Annotated[tuple[CitedPair, ...], Field(min_length=1, max_length=ITEMS)]
    justification: Text
    ratings: Ratings
    label: Label


class WeighSources(Task[SourcesReply]):
    """Ask and answer questions about a claim from web sources, and judge it."""

    name = "weigh_sources"
    max_tokens = 1536

    sources: tuple[WebSource, ...]
    examples: tuple[Example, ...]
