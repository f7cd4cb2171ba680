"""Backend ``server``: any OpenAI-compatible address (docs/plug_in_a_model.md), best ``vllm serve`` with the adapters.

    vllm serve MODEL --generation-config vllm --max-model-len 8192 --enable-prompt-tokens-details \\
        --structured-outputs-config '{"backend": "xgrammar", "disable_any_whitespace": true}' \\
        --enable-lora --max-loras 3 --max-lora-rank 16 \\
        --lora-modules question_generation=DIR question_answering=DIR verdict_prediction=DIR

Replies are constrained by their JSON schema. A server that rejects the schema is asked again without it and without
log-probabilities, and the object is extracted from the text around it. Nothing else is asked again.
"""

import asyncio
import logging
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2

from system.graph.records import Cost
from system.models.base import ErrorKind, ModelError, ModelUnavailable, Request, Result
from system.models.prompting import Message, Prompt, RequestTooLongError, decoding_schema, fit, read_reply
from system.settings import EngineSettings
from system.tasks.base import Adapter, FreeText

_LOGGER = logging.getLogger(__name__)

KEY = "FACTGRAPH_API_KEY"  # environment variable with the key that a hosted server asks for
REFUSED = (400, 422, 501)  # statuses with which servers refuse a field that they do not know
TEMPLATE_TOKENS = 64  # more than chat templates add to a system and a user message
BYTES_PER_TOKEN = 2  # fewer than any language has on average; to trim for servers that do not count tokens

# vLLM and llama.cpp pass this to the chat template; see ``ChatTokenizer``. Hosted servers refuse unknown fields.
_NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}
_EXTRAS: dict[object, dict[str, Any]] = {  # fields of requests, by the owner that a server names for its models
    # Sampling defaults of a vLLM server may come from the model's files, with a repetition penalty that spoils JSON.
    "vllm": {**_NO_THINKING, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "llamacpp": _NO_THINKING,
    "library": {"reasoning_effort": "none"},  # Ollama's name for its own models
}


class ServerModel:
    """A model behind an address; model and adapters by the names that the server lists.

    The task of an absent adapter is done by the base model. The context is the server's, if it tells.

    Raises:
        ModelUnavailable: no server answers at the address, or it has no such model or adapter.
    """

    def __init__(self, model: str, adapters: Mapping[Adapter, str], engine: EngineSettings) -> None:
        if not engine.address:
            raise ModelUnavailable("the server backend needs an address, such as http://localhost:8000/v1")
        headers = {"Authorization": f"Bearer {key}"} if (key := os.environ.get(KEY)) else {}
        options: Any = {"base_url": engine.address.rstrip("/") + "/", "timeout": engine.timeout, "headers": headers}
        try:
            with httpx2.Client(**options) as client:
                listed = client.get("models").raise_for_status().json()["data"]
            served: dict[str, dict[str, Any]] = {entry["id"]: entry for entry in listed}
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError, TypeError) as error:
            raise ModelUnavailable(
                f"no OpenAI-compatible server answers at {engine.address} ({type(error).__name__}: {error}); "
                "start one, or correct the address"
            ) from error
        for name in (model, *adapters.values()):
            if name not in served:
                at, known = f"the server at {engine.address}", ", ".join(sorted(served)) or "no model"
                raise ModelUnavailable(f"{at} has no model or adapter {name!r}; it has {known}")
        self._settings, self._model, self._adapters = engine, model, adapters
        self._takes_schemas = True
        self._owner = served[model].get("owned_by")
        self._context = int(served[model].get("max_model_len") or engine.context)
        self._sync = httpx2.Client(**options)
        self._client = httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None), **options)

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``; ``ModelUnavailable`` if the server cannot be reached any more."""
        return await asyncio.gather(*map(self._answer, requests))

    async def close(self) -> None:
        """See ``Model.close``."""
        self._sync.close()
        await self._client.aclose()

    async def _answer(self, request: Request) -> Result:
        started = time.perf_counter()
        name = request.task.name
        try:
            prompt = await asyncio.to_thread(self._prompt, request)
            response = await self._ask(request, prompt.messages)
            answer = response.raise_for_status().json()
            return self._read(request, prompt, answer, time.perf_counter() - started)
        except RequestTooLongError as error:
            return ModelError(ErrorKind.TOO_LONG, str(error))
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise ModelUnavailable(f"cannot reach the server at {self._settings.address}: {error}") from error
        except httpx2.TimeoutException:
            message = f"{name}: no reply within {self._settings.timeout:g} s (--timeout)"
        except httpx2.HTTPStatusError as error:
            message = f"{name}: status {error.response.status_code}: {error.response.text[:500]}"
        except (httpx2.HTTPError, ValueError, KeyError, IndexError, TypeError) as error:
            message = f"{name}: expected a chat completion, got {type(error).__name__}: {error}"
        return ModelError(ErrorKind.BACKEND, message, Cost(seconds=time.perf_counter() - started, calls=1))

    async def _ask(self, request: Request, messages: list[Message]) -> httpx2.Response:
        """Return the server's answer; if it refuses a schema that it can do without, send no schema any more."""
        task = request.task
        plain = {
            "model": self._adapters.get(task.adapter, self._model),
            "messages": messages,
            "temperature": request.temperature,
            "top_p": 1.0,
            "seed": request.seed,
            "max_tokens": task.max_tokens,
            **_EXTRAS.get(self._owner, {}),
        }
        extras: dict[str, Any] = {}
        if self._takes_schemas:
            extras["logprobs"] = bool(task.reply_type.label_field)
            if task.reply_type is not FreeText:
                schema = {"name": task.name, "schema": decoding_schema(task.reply_type), "strict": True}
                extras["response_format"] = {"type": "json_schema", "json_schema": schema}
        response = await self._client.post("chat/completions", json=plain | extras)
        if response.status_code not in REFUSED or "response_format" not in extras:
            return response
        second = await self._client.post("chat/completions", json=plain)
        if second.is_success and self._takes_schemas:
            _LOGGER.warning("%s does not support JSON schemas: reading replies from free text", self._settings.address)
            self._takes_schemas = False
        return second if second.is_success else response

    def _prompt(self, request: Request) -> Prompt:
        """Return the prompt, trimmed by the counts of the server's own tokenizer if it can be asked for them."""
        task = request.task
        budget = self._context - task.max_tokens

        def tokens(messages: list[Message]) -> Sequence[int]:
            size = sum(len(message["content"].encode()) for message in messages) + TEMPLATE_TOKENS
            if size <= budget:  # no token is shorter than a byte, so it fits for sure
                return range(size)
            if self._owner != "vllm":
                return range(size // BYTES_PER_TOKEN)
            address = str(self._sync.base_url).removesuffix("v1/") + "tokenize"
            body = {"model": self._model, "messages": messages, **_NO_THINKING}
            return list(self._sync.post(address, json=body).raise_for_status().json()["tokens"])

        return fit(task, task.adapter in self._adapters, tokens, budget)

    def _read(self, request: Request, prompt: Prompt, answer: Any, seconds: float) -> Result:
        choice, usage, kind = answer["choices"][0], answer["usage"], request.task.reply_type
        cost = Cost(
            seconds=seconds,
            calls=1,
            tokens_in=usage["prompt_tokens"],
            tokens_cached=(usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
            tokens_out=usage["completion_tokens"],
        )
        pieces = [(piece["token"], piece["logprob"]) for piece in (choice.get("logprobs") or {}).get("content") or ()]
        text = "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in prompt.messages)
        written = choice["message"]["content"] or ""
        reply = written if kind is FreeText else _object_in(written)
        return read_reply(request.task, reply, cost, text, choice["finish_reason"] == "length", pieces)


def _object_in(text: str) -> str:
    """Return the JSON object in a reply that has thoughts, words or a fence around it; else the reply itself.

    >>> _object_in('<think>{maybe}</think>Here it is:\\n```json\\n{"label": "Refuted"}\\n```')
    '{"label": "Refuted"}'
    """
    text = text.rpartition("</think>")[2]
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
