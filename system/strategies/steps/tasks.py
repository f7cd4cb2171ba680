"""The tasks that several strategies share; the prompt of each is the Markdown file of its name beside this module."""

from typing import Annotated

from pydantic import Field

from knowledge_store.pages.page import Passage
from system.graph.records import Answer, AnswerType, Label, QuestionAnswer, Record, Source
from system.graph.thoughts import Argument, Speaker
from system.tasks.base import Adapter, EvidenceTask, Reply, Task, Text


class Example(Record):
    """An annotated claim: questions with their answers, and its label."""

    claim: str
    pairs: tuple[tuple[str, str], ...]
    label: Label


class QuestionReply(Reply):
    """One question."""

    question: Text


class AskQuestion(Task[QuestionReply]):
    """Ask the next question about a claim, given the branch so far; no other than those asked (section 3.2.1).

    ``index`` says which of several alternatives is wanted, from 0; a language model samples each with its own seed.
    """

    name = "ask_question"
    adapter = Adapter.QUESTION_GENERATION
    max_tokens = 128

    context: tuple[QuestionAnswer, ...]
    index: int
    asked: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()

    def variant(self, models: int) -> int:
        """See ``Task.variant``."""
        return self.index


class PassageReply(Reply):
    """A passage that no page has."""

    passage: Text


class WritePassage(Task[PassageReply]):
    """Write a passage on a claim as a page might have it, to search with."""

    name = "write_passage"
    max_tokens = 256


class AnswerReply(Reply):
    """Where the answer was found, of what type it is, and the answer."""

    source: Source
    type: AnswerType
    answer: Text


class WebSource(Record):
    """A passage as a prompt can show it, with the text around it and the ISO date that its address bears, or empty."""

    passage: Passage
    before: str
    after: str
    date: str


class AnswerQuestion(Task[AnswerReply]):
    """Answer a question from one passage or from the metadata (section 3.2.3)."""

    name = "answer_question"
    adapter = Adapter.QUESTION_ANSWERING
    max_tokens = 256

    question: str
    passage: Passage
    source: WebSource | None = None


class VerificationReply(Reply):
    """Whether the passage entails the answer, after the reason."""

    reason: Text
    entailed: bool


class VerifyAnswer(Task[VerificationReply]):
    """Say whether an answer follows from its passage (figure 1, optional step)."""

    name = "verify_answer"
    max_tokens = 160

    question: str
    answer: Answer


class MergeReply(Reply):
    """The merged answer and the numbers (from 1) of the answers that it rests on, most important first."""

    answer: Text
    sources: Annotated[list[int], Field(min_length=1)]


class MergeAnswers(Task[MergeReply]):
    """Merge the answers that several passages gave to one question (table 1)."""

    name = "merge_answers"
    max_tokens = 320

    question: str
    answers: tuple[Answer, ...]


class VerdictReply(Reply):
    """Justification before label, so that the label is conditioned on the reasons (section 3.2.4)."""

    label_field = "label"

    justification: Text
    label: Label


class JudgeClaim(Task[VerdictReply]):
    """Judge the claim by the questions and answers of a branch (section 3.2.4)."""

    name = "judge_claim"
    adapter = Adapter.VERDICT_PREDICTION
    max_tokens = 320

    pairs: tuple[QuestionAnswer, ...]
    examples: tuple[Example, ...] = ()


class ArgumentReply(Reply):
    """An argument and the numbers (from 1) of the passages that it cites; none if none is on its side."""

    argument: Text
    citations: list[int]


class Speech(EvidenceTask[ArgumentReply]):
    """Base of the tasks of speakers, who argue for a side; the transcript of an opening is empty."""

    max_tokens = 512

    side: Speaker
    transcript: tuple[Argument, ...]
