"""Merge the answers to one question (table 1)."""

from typing import Annotated

from pydantic import Field

from system.graph.records import Answer
from system.tasks.base import Reply, Task, Text


class MergeReply(Reply):
    """The merged answer and the numbers (from 1) of the answers that it rests on, most important first."""

    answer: Text
    sources: Annotated[list[int], Field(min_length=1)]


class MergeAnswers(Task[MergeReply]):
    """Merge the answers that several passages gave to one question (table 1)."""

    name = "merge_answers"
    reply_type = MergeReply
    max_tokens = 320

    question: str
    answers: tuple[Answer, ...]
