"""The backend without a language model: rules ask, answers are cut from passages, the reader judges.

A reply depends on its request only.
"""

import asyncio
from collections.abc import Iterator, Sequence
from threading import Lock
from time import perf_counter

from knowledge_store.dense.encoder import Encoder
from system.graph.records import Cost
from system.models.base import Completion, ErrorKind, ModelError, Request, Result
from system.models.extractive.answers import Similarity, answer, merge, verify
from system.models.extractive.questions import ask
from system.reader.base import VERDICTS, claim_text, evidence_text
from system.reader.loading import BUNDLED, load_reader
from system.strategies.steps.tasks.answer_question import AnswerQuestion
from system.strategies.steps.tasks.ask_question import AskQuestion, QuestionReply
from system.strategies.steps.tasks.judge_claim import EVIDENCE_QUESTION, LabelClaim, LabelReply
from system.strategies.steps.tasks.merge_answers import MergeAnswers
from system.strategies.steps.tasks.verify_answer import VerifyAnswer
from system.tasks.base import Reply, Task
from system.text.words import sentences

TASKS = (AskQuestion, AnswerQuestion, VerifyAnswer, MergeAnswers, LabelClaim)
"""Tasks that need no language model; a judgement without reasons is the reader's."""


class ExtractiveModel:
    """A backend that asks by rules, answers with a bi-encoder, and labels claims with the reader's second head.

    Args:
        encoder: of questions, claims and sentences.
        reader: the name of the reader.
    """

    def __init__(self, encoder: Encoder, reader: str = BUNDLED) -> None:
        self._reader = reader
        self._similarity = Similarity(encoder)
        self._reading = Lock()  # neither the tagger nor the similarities are made for two threads at once

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``. Off the event loop, where a long text would hold up every other claim."""
        return await asyncio.to_thread(self._answer, requests)

    async def close(self) -> None:
        """Nothing is held outside the process's memory."""

    def _answer(self, requests: Sequence[Request]) -> list[Result]:
        """The texts of all requests are embedded in one batch."""
        with self._reading:
            started = perf_counter()
            self._similarity.prepare(text for request in requests for text in _texts(request.task))
            share = (perf_counter() - started) / max(1, len(requests))
            return [self._complete(request.task, share) for request in requests]

    def _complete(self, task: Task[Reply], share: float) -> Result:
        started = perf_counter()
        served = self._reply(task)
        if served is None:
            message = f"the extractive reader cannot do {task.name!r}; choose a backend with a language model"
            return ModelError(ErrorKind.BACKEND, message)
        reply, confidence = served
        cost = Cost(seconds=share + perf_counter() - started, calls=1)
        return Completion(reply=reply, cost=cost, raw=reply.model_dump_json(), confidence=confidence)

    def _reply(self, task: Task[Reply]) -> tuple[Reply, float] | None:
        match task:
            case AskQuestion():
                return QuestionReply(question=ask(task)), 1.0
            case AnswerQuestion():
                return answer(task, self._similarity), 1.0
            case VerifyAnswer():
                return verify(task, self._similarity), 1.0
            case MergeAnswers():
                return merge(task, self._similarity), 1.0
            case LabelClaim():
                return self._label(task)
        return None

    def _label(self, task: LabelClaim) -> tuple[LabelReply, float]:
        evidence = evidence_text(
            ("" if pair.question == EVIDENCE_QUESTION else pair.question, pair.answer) for pair in task.pairs
        )
        (likely,) = load_reader(self._reader).labels([(evidence, claim_text(task.claim))])
        best = int(likely.argmax())
        return LabelReply(label=VERDICTS[best]), float(likely[best])


def _texts(task: Task[Reply]) -> Iterator[str]:
    """The texts that a task will compare."""
    match task:
        case AnswerQuestion(question=question, passage=passage):
            yield question
            yield from sentences(passage.text)
        case VerifyAnswer(question=question, answer=given):
            yield question
            yield from sentences(given.text)
        case MergeAnswers(question=question, answers=answers):
            yield question
            yield from (given.text for given in answers)
