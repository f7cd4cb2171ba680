"""Backend ``transformers``: any causal language model on any machine, with LoRA adapters by task.

Requests of all callers that wait at the same time are gathered into batches by one worker thread. A batch holds
requests of one task, hence of one adapter, one schema and one length; each row keeps a temperature and a seed of its
own. With temperature 0 the reply is the likeliest one, up to the rounding that comes with another batch size.
"""

import asyncio
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, GenerationConfig, LogitsProcessorList

from system.models.adapters import check_adapters
from system.models.base import ErrorKind, ModelError, ModelUnavailable, Request, Result
from system.models.chat import ChatTokenizer
from system.models.prompting import Prompt, RequestTooLongError
from system.models.replies import has_label, label_confidence, read_reply
from system.models.sampling import GumbelNoise, Record
from system.models.schema_mask import SchemaMasks
from system.records import Cost
from system.settings import EngineSettings
from system.tasks.base import Adapter, FreeText, Reply, Task


@dataclass(frozen=True, eq=False)
class _Job:
    request: Request
    future: Future[Result] = field(default_factory=Future)
    since: float = field(default_factory=time.perf_counter)


@dataclass(frozen=True)
class _Written:
    """What the model wrote: token ids up to and with the end token, the log-probability of each but the last."""

    ids: list[int]
    logprobs: list[float]
    decode_seconds: float


class TransformersModel:
    """A causal language model, replying in JSON of the task's schema.

    Args:
        model: folder or name of an instruct model.
        adapters: folders of PEFT adapters; a task whose adapter is absent is done by the base model.
        engine: ``context`` and ``sequences``, the size of a batch at most.

    Raises:
        ModelUnavailable: the model or an adapter cannot be loaded.
    """

    def __init__(self, model: str, adapters: Mapping[Adapter, str], engine: EngineSettings) -> None:
        base = _load(model, "cuda" if torch.cuda.is_available() else "cpu")
        self._chat = ChatTokenizer(model, min(engine.context, base.config.max_position_embeddings))
        self._adapters = dict(adapters)
        check_adapters(self._adapters, base)
        self._model = _with_adapters(base, self._adapters)
        self._masks = SchemaMasks(self._chat.tokenizer, base.config.vocab_size)
        self._end = self._chat.tokenizer.eos_token_id
        self._batch_size = engine.sequences
        self._waiting: deque[_Job] = deque()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transformers")

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        jobs = [_Job(request) for request in requests]
        self._waiting.extend(jobs)
        for _ in jobs:  # as many turns as jobs; a turn that finds nothing left to do is over at once
            self._worker.submit(self._turn)
        return await asyncio.gather(*(asyncio.wrap_future(job.future) for job in jobs))

    async def close(self) -> None:
        """See ``Model.close``."""
        await asyncio.to_thread(self._worker.shutdown, cancel_futures=True)
        del self._model

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
        same = [job for job in jobs if type(job.request.task) is type(jobs[0].request.task)][: self._batch_size]
        self._waiting.extendleft(job for job in reversed(jobs) if job not in same)
        return [job for job in same if job.future.set_running_or_notify_cancel()]

    def _answer(self, batch: Sequence[_Job]) -> list[Result]:
        """Results of a batch of one task, in order."""
        began = time.perf_counter()
        results: dict[int, Result] = {}
        prompts: dict[int, Prompt] = {}
        for row, job in enumerate(batch):
            try:
                prompts[row] = self._chat.prompt(job.request.task, job.request.task.adapter in self._adapters)
            except RequestTooLongError as error:
                results[row] = ModelError(ErrorKind.TOO_LONG, str(error))
        if prompts:
            written = self._generate([batch[row].request for row in prompts], [p.ids for p in prompts.values()])
            for (row, prompt), reply in zip(prompts.items(), written, strict=True):
                results[row] = self._read(batch[row], prompt, reply, began)
        return [results[row] for row in range(len(batch))]

    @torch.inference_mode()
    def _generate(self, requests: Sequence[Request], prompts: Sequence[list[int]]) -> list[_Written]:
        task, record = requests[0].task, Record()
        masks = [] if task.reply_type is FreeText else [self._masks(task.reply_type)]
        padded = self._chat.tokenizer.pad({"input_ids": list(prompts)}, padding_side="left", return_tensors="pt")
        with self._adapter(task):
            output = self._model.generate(
                **padded.to(self._model.device),
                max_new_tokens=task.max_tokens,
                do_sample=False,
                eos_token_id=self._end,
                pad_token_id=self._chat.tokenizer.pad_token_id,
                logits_processor=LogitsProcessorList([*masks, record, GumbelNoise(requests)]),
            )
        seconds = time.perf_counter() - record.since
        rows = output[:, padded["input_ids"].shape[1] :].tolist()
        logprobs = torch.stack([*record.logprobs, torch.zeros(len(rows))], dim=1).tolist()
        return [self._written(*row, seconds) for row in zip(rows, logprobs, strict=True)]

    def _written(self, ids: list[int], logprobs: list[float], seconds: float) -> _Written:
        """A row without the padding behind its end."""
        length = ids.index(self._end) + 1 if self._end in ids else len(ids)
        return _Written(ids[:length], logprobs[: length - 1], seconds)

    def _adapter(self, task: Task[Reply]) -> Any:
        """Context in which the model has the task's adapter, or none."""
        if task.adapter in self._adapters:
            self._model.set_adapter(str(task.adapter))
            return nullcontext()
        return self._model.disable_adapter() if self._adapters else nullcontext()

    def _read(self, job: _Job, prompt: Prompt, written: _Written, began: float) -> Result:
        task = job.request.task
        cost = Cost(
            seconds=time.perf_counter() - job.since,
            queue_seconds=began - job.since,
            decode_seconds=written.decode_seconds,
            calls=1,
            tokens_in=len(prompt.ids),
            tokens_out=len(written.ids),
        )
        texts = (self._chat.reply_text([token]) for token in written.ids)
        pieces = list(zip(texts, written.logprobs, strict=False))
        confidence = label_confidence(task.reply_type, pieces) if has_label(task.reply_type) else 1.0
        truncated = written.ids[-1] != self._end
        raw = self._chat.reply_text(written.ids)
        return read_reply(task, raw, cost, self._chat.prompt_text(prompt.ids), truncated, confidence)


def _load(model: str, device: str) -> Any:
    dtype = "auto" if device.startswith("cuda") else torch.float32
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(model, dtype=dtype, local_files_only=Path(model).is_dir())
    except (OSError, ValueError, ImportError) as error:
        raise ModelUnavailable(
            f"model {model!r} cannot be loaded: {str(error).strip().splitlines()[0]}; "
            "give the folder of a causal model in the format of transformers"
        ) from error
    # The model's own may hold a repetition penalty, which spoils JSON.
    loaded.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
    return loaded.eval().to(torch.device(device))


def _with_adapters(base: Any, adapters: Mapping[Adapter, str]) -> Any:
    model = base
    for number, (name, folder) in enumerate(adapters.items()):
        if number == 0:
            model = PeftModel.from_pretrained(base, folder, adapter_name=str(name))
        else:
            model.load_adapter(folder, adapter_name=str(name))
    return model.eval()
