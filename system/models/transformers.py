"""Backend ``transformers``: any causal language model on any machine, with LoRA adapters by task.

One worker thread gives turns to the claims that wait. In its turn a claim's oldest request is read, together with
others of its task, hence of one adapter and one schema, that fit the same pass; each row keeps its own temperature and
seed, and the common prefix of the prompts is read once. A prompt too long for one pass is read in several turns, so
nobody waits for the whole of a neighbour's. A reply that is one of a few (``closed_replies``) is not written but
chosen, with the probability of each. With temperature 0 a reply is the likeliest one, up to rounding, which depends on
the batch. When all callers of a batch are cancelled, as at a deadline, it ends at the next token.
"""

import asyncio
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import torch
from torch import Tensor

from knowledge_store.turns import batches
from system.graph.records import Claim, Cost
from system.models.base import ErrorKind, ModelError, Request, Result
from system.models.constraints import ClosedReplies, GumbelNoise, closed_replies, common_prefix
from system.models.decoding import Decoder, Generated
from system.models.prefixes import UNREAD, Prefix
from system.models.prompting import Prompt, RequestTooLongError
from system.models.replies import has_label, label_confidence, read_reply
from system.settings import SEQUENCES, EngineSettings
from system.tasks.base import Adapter, Reply, Task


@dataclass(eq=False)
class _Job:
    """A request, and what the worker knows of it: prompt, replies, when its first turn began, and how it is read."""

    request: Request
    future: Future[Result] = field(default_factory=Future)
    since: float = field(default_factory=time.perf_counter)
    prompt: Prompt = field(init=False)
    closed: ClosedReplies | None = None
    began: float = 0.0
    piece: int = 0
    read: Prefix = UNREAD

    @property
    def task(self) -> Task[Reply]:
        """What is asked."""
        return self.request.task

    @property
    def unread(self) -> list[int]:
        """Tokens of the prompt."""
        return self.prompt.ids[self.read.length :]

    def end(self, result: Result) -> None:
        """Give the result to the caller, if it waits."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_result(result)


class TransformersModel:
    """A causal language model, replying in JSON of the task's schema.

    Args:
        model: folder or name of an instruct model.
        adapters: folders of PEFT adapters; a task whose adapter is absent is done by the base model.
        engine: ``context``, ``dtype``; of a pass at most ``SEQUENCES`` rows and ``batched_tokens``.

    Raises:
        ModelUnavailable: the model or an adapter cannot be loaded.
    """

    def __init__(self, model: str, adapters: Mapping[Adapter, str], engine: EngineSettings) -> None:
        self._decoder = Decoder(model, adapters, engine)
        self._chat = self._decoder.chat
        self._engine = engine
        self._asked: deque[_Job] = deque()  # by callers
        self._jobs: list[_Job] = []  # in order of arrival, of the worker alone
        self._clock = 0.0  # seconds that a claim has used which waited all the time
        self._used: dict[Claim, float] = {}  # seconds by that clock, of claims that are ahead of it
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transformers")

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        jobs = [_Job(request) for request in requests]
        self._asked.extend(jobs)
        self._worker.submit(self._work)
        return await asyncio.gather(*(asyncio.wrap_future(job.future) for job in jobs))

    async def close(self) -> None:
        """See ``Model.close``."""
        await asyncio.to_thread(self._worker.shutdown, cancel_futures=True)
        del self._decoder

    def _work(self) -> None:
        """Give turns until nobody waits."""
        while self._take_in():
            batch = self._next_batch()
            began = time.perf_counter()
            for job in batch:
                job.began = job.began or began
            try:
                self._turn(batch)
            except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
                for job in batch:
                    job.end(_failed(error))
            self._used[batch[0].task.claim] = self._clock + time.perf_counter() - began

    def _take_in(self) -> bool:
        """Prompt what was asked meanwhile, and drop what nobody waits for; whether any job is left."""
        while self._asked:
            job = self._asked.popleft()
            try:
                job.prompt = self._chat.prompt(job.task, job.task.adapter in self._decoder.adapters)
                job.closed = closed_replies(job.task.reply_type, self._chat.tokenizer)
            except RequestTooLongError as error:
                job.end(ModelError(ErrorKind.TOO_LONG, str(error)))
            except Exception as error:  # noqa: BLE001 - as above
                job.end(_failed(error))
            self._jobs.append(job)
        self._jobs = [job for job in self._jobs if not job.future.done()]
        return bool(self._jobs)

    def _next_batch(self) -> list[_Job]:
        """The oldest job of the claim that has used the least time, with others of its task that fit the same pass."""
        claim = min((job.task.claim for job in self._jobs), key=self._time_of)
        self._clock = self._time_of(claim)
        self._used = {claim: seconds for claim, seconds in self._used.items() if seconds > self._clock}
        first = next(job for job in self._jobs if job.task.claim == claim)
        if first.piece:
            return [first]
        same = [job for job in self._jobs if type(job.task) is type(first.task) and not job.piece]
        if first.closed:  # reading gains nothing from more rows, and those of other claims share less
            same = [job for job in same if job.task.claim == claim]
        same = [first, *(job for job in same if job is not first)][:SEQUENCES]
        shared = common_prefix([job.prompt.ids for job in same])
        known = self._decoder.known(first.task.adapter, shared).length
        room = self._engine.batched_tokens - len(shared) + known
        passes = batches(same, lambda job: len(job.prompt.ids) - len(shared), room)
        return next(batch for batch in passes if first in batch)

    def _time_of(self, claim: Claim) -> float:
        """Seconds that a claim has used; one that did not wait has used no less than those that did."""
        return max(self._clock, self._used.get(claim, 0.0))

    def _turn(self, batch: Sequence[_Job]) -> None:
        """One pass: answer a batch, or read on in a prompt that is longer."""
        first, limit = batch[0], self._engine.batched_tokens
        if len(batch) == 1 and not first.piece:
            first.read = self._decoder.known(first.task.adapter, first.prompt.ids)
            fits = len(first.unread) <= limit
            first.piece = limit if fits else -(-limit // 2)  # a pass over what is read takes longer
        if len(batch) == 1 and len(first.unread) > first.piece:
            first.read = self._decoder.read(first.task.adapter, first.unread[: first.piece], first.read)
            return
        results = self._choose(batch, first.closed) if first.closed else self._write(batch)
        for job, result in zip(batch, results, strict=True):
            job.end(result)

    def _write(self, jobs: Sequence[_Job]) -> list[Result]:
        written = self._decoder.generate(
            [job.request for job in jobs],
            [job.prompt.ids for job in jobs],
            lambda: all(job.future.cancelled() for job in jobs),
            jobs[0].read,
        )
        return [self._read(*row) for row in zip(jobs, written, strict=True)]

    def _choose(self, jobs: Sequence[_Job], closed: ClosedReplies) -> list[Result]:
        requests = [job.request for job in jobs]
        chances = self._decoder.score(requests, [job.prompt.ids for job in jobs], closed, jobs[0].read)
        drawn = GumbelNoise(requests)(torch.stack(chances)).argmax(-1).tolist()
        return [self._chosen(*row, closed) for row in zip(jobs, chances, drawn, strict=True)]

    def _chosen(self, job: _Job, chances: Tensor, drawn: int, closed: ClosedReplies) -> Result:
        text = self._chat.prompt_text(job.prompt.ids)
        return closed.completion(drawn, chances.tolist(), _cost(job, 1, 0.0), text)

    def _read(self, job: _Job, written: Generated) -> Result:
        task = job.task
        cost = _cost(job, len(written.ids), written.decode_seconds)
        texts = (self._chat.reply_text([token]) for token in written.ids)
        pieces = list(zip(texts, written.logprobs, strict=True))
        confidence = label_confidence(task.reply_type, pieces) if has_label(task.reply_type) else 1.0
        truncated = written.ids[-1] != self._chat.tokenizer.eos_token_id
        raw = self._chat.reply_text(written.ids)
        return read_reply(task, raw, cost, self._chat.prompt_text(job.prompt.ids), truncated, confidence)


def _cost(job: _Job, tokens: int, decode_seconds: float) -> Cost:
    return Cost(
        seconds=time.perf_counter() - job.since,
        queue_seconds=job.began - job.since,
        decode_seconds=decode_seconds,
        calls=1,
        tokens_in=len(job.prompt.ids),
        tokens_out=tokens,
    )


def _failed(error: Exception) -> ModelError:
    return ModelError(ErrorKind.BACKEND, f"{type(error).__name__}: {error}")
