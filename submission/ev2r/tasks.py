"""The tasks of a judge that compares predicted with reference evidence (Ev2R; Akhtar et al., 2024).

The replies have the official scorer's eight keys for each kind of comparison, and two more with verdicts that can be
counted. No value is an object, because the official parser stops at the first closing brace.
"""

from typing import Literal

from pydantic import ConfigDict

from system.tasks.base import FreeText, Reply, Task, Text

REPLY_TOKENS = 3000  # as the official scorer allows

FactVerdict = Literal["supported", "not supported"]


class ComparisonReply(Reply):
    """The facts of both sides, what the other side says of each, and how many it supports."""

    facts_in_predicted: list[Text]
    fact_check_predicted: list[Text]
    verdicts_predicted: list[FactVerdict]
    facts_count_predicted: int
    support_predicted: int
    facts_in_reference: list[Text]
    fact_check_reference: list[Text]
    verdicts_reference: list[FactVerdict]
    facts_count_reference: int
    support_reference: int


class EvidenceComparison(ComparisonReply):
    """With the keys of the official reply about questions and answers."""

    model_config = ConfigDict(alias_generator=lambda name: f"{name.replace('_', ' ')} evidence")


class QuestionComparison(ComparisonReply):
    """With the keys of the official reply about questions only."""

    model_config = ConfigDict(alias_generator=lambda name: f"{name.replace('_', ' ')} questions")


class CompareEvidence(Task[EvidenceComparison]):
    """Compare questions with their answers."""

    name = "compare_evidence"
    reply_type = EvidenceComparison
    max_tokens = REPLY_TOKENS

    predicted: tuple[tuple[str, str], ...]
    reference: tuple[tuple[str, str], ...]


class CompareQuestions(Task[QuestionComparison]):
    """Compare only questions."""

    name = "compare_questions"
    reply_type = QuestionComparison
    max_tokens = REPLY_TOKENS

    predicted: tuple[str, ...]
    reference: tuple[str, ...]


class FreePrompt(Task[FreeText]):
    """Answer a given prompt in free form."""

    name = "free_prompt"
    reply_type = FreeText
    max_tokens = REPLY_TOKENS

    prompt: Text


TASKS = (CompareEvidence, CompareQuestions, FreePrompt)
"""All tasks of a judge."""
