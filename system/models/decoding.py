"""A batch of prompts through a causal language model; what they begin with alike is read once."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, GenerationConfig, LogitsProcessorList, StoppingCriteria

from system.models.adapters import base_mark, check_adapters
from system.models.base import ModelUnavailable, Request
from system.models.chat import ChatTokenizer
from system.models.closed_replies import ClosedReplies, common_prefix
from system.models.merged_adapters import MergedAdapters
from system.models.processor import GROUPED, best_dtype, keep_freed_memory
from system.models.sampling import GumbelNoise, Record
from system.models.schema_mask import SchemaMasks
from system.settings import EngineSettings
from system.tasks.base import Adapter, FreeText

SHARED = 16
"""Tokens that prompts must begin with alike before a pass of its own for them pays."""


@dataclass(frozen=True)
class Written:
    """What the model wrote: token ids up to and with the end token, the log-probability of each but the last."""

    ids: list[int]
    logprobs: list[float]
    decode_seconds: float


class Decoder:
    """A model with its adapters on one device.

    Args:
        model: folder or name.
        adapters: folders of PEFT adapters.
        engine: ``context`` and ``dtype``.

    Attributes:
        chat: the model's tokenizer and template.
        adapters: those that it has.

    Raises:
        ModelUnavailable: the model or an adapter cannot be loaded, or they do not fit together.
    """

    def __init__(self, model: str, adapters: Mapping[Adapter, str], engine: EngineSettings) -> None:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._model = _load(model, device, engine.dtype)
        check_adapters(adapters, self._model, base_mark(model))
        self.adapters = MergedAdapters(self._model, adapters)
        config = self._model.config
        self.chat = ChatTokenizer(model, min(engine.context, config.max_position_embeddings))
        self._tokenizer = self.chat.tokenizer
        self._masks = SchemaMasks(self._tokenizer, config.vocab_size)
        if device.type == "cpu":  # only now, since loading frees more than is ever needed again
            keep_freed_memory()

    @torch.inference_mode()
    def write(
        self, requests: Sequence[Request], prompts: Sequence[list[int]], abandoned: Callable[[], bool]
    ) -> list[Written]:
        """Replies to requests of one type.

        Args:
            prompts: token ids, one row a request.
            abandoned: whether nobody waits for any of them any more, asked after each token: then all end there.
        """
        task, record = requests[0].task, Record()
        self.adapters.use(task.adapter)
        masks = [] if task.reply_type is FreeText else [self._masks(task.reply_type)]
        inputs = self._inputs(prompts)
        end = self._tokenizer.eos_token_id
        output = self._model.generate(
            **inputs,
            max_new_tokens=task.max_tokens,
            do_sample=False,
            eos_token_id=end,
            pad_token_id=self._tokenizer.pad_token_id,
            logits_processor=LogitsProcessorList([*masks, record, GumbelNoise(requests)]),
            stopping_criteria=[_Abandoned(abandoned)],
        )
        seconds = time.perf_counter() - record.since
        rows = output[:, inputs["input_ids"].shape[1] :].tolist()
        logprobs = torch.stack([*record.logprobs, torch.zeros(len(rows))], dim=1).tolist()
        lengths = [row.index(end) + 1 if end in row else len(row) for row in rows]
        return [
            Written(row[:length], chances[: length - 1], seconds)
            for row, chances, length in zip(rows, logprobs, lengths, strict=True)
        ]

    @torch.inference_mode()
    def choose(self, requests: Sequence[Request], prompts: Sequence[list[int]], closed: ClosedReplies) -> list[Tensor]:
        """Log-probabilities of closed replies, a row (replies,) float32 a request, by one pass and no decoding."""
        self.adapters.use(requests[0].task.adapter)
        inputs = self._inputs([prompt + closed.given for prompt in prompts])
        known = inputs["past_key_values"].get_seq_length() if "past_key_values" in inputs else 0
        places = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0)[:, known:]
        inputs["input_ids"] = inputs["input_ids"][:, known:]
        last = self._model.base_model(**inputs, position_ids=places).last_hidden_state[:, -1]
        tokens = torch.tensor(closed.tokens, device=last.device)
        head = self._model.get_output_embeddings().weight[tokens]
        return list((last.float() @ head.float().T).log_softmax(-1).cpu())

    def _inputs(self, prompts: Sequence[list[int]]) -> dict[str, Any]:
        """Prompts as the model takes them: what they share, padding, the rest of each; what they share is read."""
        shared = min(len(common_prefix(prompts)), min(map(len, prompts)) - 1)
        if len(prompts) == 1 or shared < SHARED:
            shared = 0
        width, pad = max(map(len, prompts)), self._tokenizer.pad_token_id
        ids = [[*p[:shared], *[pad] * (width - len(p)), *p[shared:]] for p in prompts]
        mask = [[1] * shared + [0] * (width - len(p)) + [1] * (len(p) - shared) for p in prompts]
        device = self._model.device
        inputs = {"input_ids": torch.tensor(ids, device=device), "attention_mask": torch.tensor(mask, device=device)}
        if not shared:
            return inputs
        read = self._model.base_model(input_ids=inputs["input_ids"][:1, :shared], use_cache=True).past_key_values
        read.batch_repeat_interleave(len(prompts))
        return inputs | {"past_key_values": read}


class _Abandoned(StoppingCriteria):
    """Ends a batch that nobody waits for any more."""

    def __init__(self, abandoned: Callable[[], bool]) -> None:
        self._abandoned = abandoned

    def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: Any) -> Tensor:
        """Which rows end here, (batch,) bool."""
        return torch.full((len(input_ids),), self._abandoned(), device=input_ids.device)


def _load(model: str, device: torch.device, dtype: str) -> Any:
    local = Path(model).is_dir()
    wanted = best_dtype() if dtype == "auto" and device.type == "cpu" else dtype
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(model, dtype=wanted, local_files_only=local)
    except (OSError, ValueError, ImportError) as error:
        raise ModelUnavailable(
            f"model {model!r} cannot be loaded: {str(error).strip().splitlines()[0]}; "
            "give the folder of a causal model in the format of transformers"
        ) from error
    # The model's own may hold a repetition penalty, which spoils JSON.
    loaded.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
    if loaded._supports_attention_backend:
        loaded.set_attn_implementation(GROUPED)
    return loaded.eval().to(device)
