"""Backend ``transformers``: any causal language model on any machine, with LoRA adapters by task.

One worker thread batches the waiting requests of all callers. A batch holds requests of one task, hence of one adapter,
one schema and one length; each row keeps its own temperature and seed, and the common prefix of the prompts is read
once. A reply that is one of a few (``closed_replies``) is not written but chosen, with the probability of each. With
temperature 0 a reply is the likeliest one, up to rounding, which depends on the batch. When all callers of a batch are
cancelled, as at a deadline, it ends at the next token.
"""

import asyncio
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event

import torch
from torch import Tensor

from knowledge_store.turns import batches
from system.graph.records import Cost
from system.models.base import ErrorKind, ModelError, Request, Result
from system.models.constraints import ClosedReplies, GumbelNoise, closed_replies
from system.models.decoding import Decoder, Generated
from system.models.prompting import Prompt, RequestTooLongError
from system.models.replies import has_label, label_confidence, read_reply
from system.settings import EngineSettings
from system.tasks.base import Adapter


@dataclass(frozen=True, eq=False)
class _Job:
    request: Request
    future: Future[Result] = field(default_factory=Future)
    since: float = field(default_factory=time.perf_counter)
    abandoned: Event = field(default_factory=Event)


class TransformersModel:
    """A causal language model, replying in JSON of the task's schema.

    Args:
        model: folder or name of an instruct model.
        adapters: folders of PEFT adapters; a task whose adapter is absent is done by the base model.
        engine: ``context``, ``dtype``; of a batch at most ``sequences`` rows, and ``batched_tokens`` read together.

    Raises:
        ModelUnavailable: the model or an adapter cannot be loaded.
    """

    def __init__(self, model: str, adapters: Mapping[Adapter, str], engine: EngineSettings) -> None:
        self._decoder = Decoder(model, adapters, engine)
        self._chat = self._decoder.chat
        self._engine = engine
        self._waiting: deque[_Job] = deque()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transformers")

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        jobs = [_Job(request) for request in requests]
        self._waiting.extend(jobs)
        for _ in jobs:  # as many turns as jobs; a turn that finds nothing left to do is over at once
            self._worker.submit(self._turn)
        try:
            return await asyncio.gather(*(asyncio.wrap_future(job.future) for job in jobs))
        except asyncio.CancelledError:
            for job in jobs:
                job.abandoned.set()
            raise

    async def close(self) -> None:
        """See ``Model.close``."""
        await asyncio.to_thread(self._worker.shutdown, cancel_futures=True)
        del self._decoder

    def _turn(self) -> None:
        """Answer one batch, if anybody still waits."""
        batch = self._next_batch()
        if not batch:
            return
        try:
            results = self._answer(batch)
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            failed = ModelError(ErrorKind.BACKEND, f"{type(error).__name__}: {error}")
            results = [failed] * len(batch)
        for job, result in zip(batch, results, strict=True):
            job.future.set_result(result)

    def _next_batch(self) -> list[_Job]:
        """The oldest job with the others of its task, in order; jobs that nobody waits for any more are dropped."""
        jobs = [self._waiting.popleft() for _ in range(len(self._waiting))]
        jobs = [job for job in jobs if not job.future.cancelled()]
        same = [job for job in jobs if type(job.request.task) is type(jobs[0].request.task)][: self._engine.sequences]
        self._waiting.extendleft(job for job in reversed(jobs) if job not in same)
        return [job for job in same if job.future.set_running_or_notify_cancel()]

    def _answer(self, batch: Sequence[_Job]) -> list[Result]:
        """Results of a batch of one task, in order."""
        began = time.perf_counter()
        results: dict[int, Result] = {}
        prompts: dict[int, Prompt] = {}
        for row, job in enumerate(batch):
            task = job.request.task
            try:
                prompts[row] = self._chat.prompt(task, task.adapter in self._decoder.adapters)
            except RequestTooLongError as error:
                results[row] = ModelError(ErrorKind.TOO_LONG, str(error))
        closed = closed_replies(batch[0].request.task.reply_type, self._chat.tokenizer)
        for rows in batches(prompts, lambda row: len(prompts[row].ids), self._engine.batched_tokens):
            jobs, read = [batch[row] for row in rows], [prompts[row] for row in rows]
            answered = self._choose(jobs, read, closed, began) if closed else self._write(jobs, read, began)
            results.update(zip(rows, answered, strict=True))
        return [results[row] for row in range(len(batch))]

    def _write(self, jobs: Sequence[_Job], prompts: Sequence[Prompt], began: float) -> list[Result]:
        requests = [job.request for job in jobs]
        written = self._decoder.generate(
            requests, [prompt.ids for prompt in prompts], lambda: all(job.abandoned.is_set() for job in jobs)
        )
        return [self._read(*row, began) for row in zip(jobs, prompts, written, strict=True)]

    def _choose(
        self, jobs: Sequence[_Job], prompts: Sequence[Prompt], closed: ClosedReplies, began: float
    ) -> list[Result]:
        requests = [job.request for job in jobs]
        chances = self._decoder.score(requests, [prompt.ids for prompt in prompts], closed)
        drawn = GumbelNoise(requests)(torch.stack(chances)).argmax(-1).tolist()
        return [self._chosen(*row, closed, began) for row in zip(jobs, prompts, chances, drawn, strict=True)]

    def _chosen(
        self, job: _Job, prompt: Prompt, chances: Tensor, drawn: int, closed: ClosedReplies, began: float
    ) -> Result:
        cost, text = self._cost(job, prompt, 1, 0.0, began), self._chat.prompt_text(prompt.ids)
        return closed.completion(drawn, chances.tolist(), cost, text)

    def _read(self, job: _Job, prompt: Prompt, written: Generated, began: float) -> Result:
        task = job.request.task
        cost = self._cost(job, prompt, len(written.ids), written.decode_seconds, began)
        texts = (self._chat.reply_text([token]) for token in written.ids)
        pieces = list(zip(texts, written.logprobs, strict=True))
        confidence = label_confidence(task.reply_type, pieces) if has_label(task.reply_type) else 1.0
        truncated = written.ids[-1] != self._chat.tokenizer.eos_token_id
        raw = self._chat.reply_text(written.ids)
        return read_reply(task, raw, cost, self._chat.prompt_text(prompt.ids), truncated, confidence)

    def _cost(self, job: _Job, prompt: Prompt, tokens: int, decode_seconds: float, began: float) -> Cost:
        return Cost(
            seconds=time.perf_counter() - job.since,
            queue_seconds=began - job.since,
            decode_seconds=decode_seconds,
            calls=1,
            tokens_in=len(prompt.ids),
            tokens_out=tokens,
        )
