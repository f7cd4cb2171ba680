"""A batch of prompts through a causal language model.

The common prefix of prompts is read once, and tokens that a schema forces are read instead of decoded, several in one
step: in a short JSON reply they are the majority. Each adapter is merged into its own copy of the weights, so switching
adapters only swaps pointers: LoRA costs a layer two more products at every step, merged weights cost only memory.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from peft import LoraConfig, PeftModel
from peft.tuners.lora import LoraLayer
from torch import Tensor
from transformers import AutoModelForCausalLM

from system.hardware.cpu import GROUPED, best_dtype, keep_freed_memory
from system.models.adapters import base_mark, check_adapters
from system.models.base import ModelUnavailable, Request, first_line
from system.models.chat import ChatTokenizer
from system.models.constraints import ClosedReplies, GumbelNoise, Row, Schemas, common_prefix
from system.models.prefixes import SHARED, UNREAD, Prefix, Prefixes
from system.settings import EngineSettings
from system.tasks.base import Adapter


@dataclass(frozen=True)
class Generated:
    """A reply: token ids up to and with the end token, and the log-probability of each."""

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
        self.adapters = MergedAdapters(self._model, adapters, base_mark(model))
        config = self._model.config
        self.chat = ChatTokenizer(model, min(engine.context, config.max_position_embeddings))
        self._tokenizer = self.chat.tokenizer
        self._schemas = Schemas(self._tokenizer, config.vocab_size)
        self._prefixes = Prefixes(self.chat.context)
        if device.type == "cpu":  # only now, since loading frees more than is ever needed again
            keep_freed_memory()

    def known(self, adapter: Adapter, ids: list[int]) -> Prefix:
        """What need not be read of a prompt, since another began alike."""
        return self._prefixes.find(adapter, ids)

    @torch.inference_mode()
    def read(self, adapter: Adapter, ids: Sequence[int], prefix: Prefix = UNREAD) -> Prefix:
        """Read tokens of a prompt behind its prefix."""
        self.adapters.use(adapter)
        inputs = torch.tensor([ids], device=self._model.device)
        output = self._model.base_model(input_ids=inputs, past_key_values=prefix.cache, use_cache=True)
        return Prefix(prefix.length + len(ids), output.past_key_values)

    @torch.inference_mode()
    def generate(
        self,
        requests: Sequence[Request],
        prompts: Sequence[list[int]],
        abandoned: Callable[[], bool],
        prefix: Prefix = UNREAD,
    ) -> list[Generated]:
        """Replies to requests of one type.

        Args:
            prompts: token ids, one row a request.
            abandoned: whether nobody waits for any of them any more, asked at each step: then all end there.
            prefix: of the prompt, if there is one only.
        """
        task = requests[0].task
        rows = [self._schemas.row(task.reply_type, task.max_tokens) for _ in prompts]
        noise = GumbelNoise(requests)
        whole = [prompt + row.ids for prompt, row in zip(prompts, rows, strict=True)]
        read = self._prefill(task.adapter, whole, self._model, prefix)
        began = time.perf_counter()
        while True:
            self._choose_next(rows, read.output.logits[:, -1].float(), noise)
            if abandoned() or all(row.done for row in rows):
                break
            read = self._decode_step(read, [[] if row.done else row.ids[-row.unread :] for row in rows])
        seconds = time.perf_counter() - began
        return [Generated(row.ids, row.logprobs, seconds) for row in rows]

    @torch.inference_mode()
    def score(
        self,
        requests: Sequence[Request],
        prompts: Sequence[list[int]],
        closed: ClosedReplies,
        prefix: Prefix = UNREAD,
    ) -> list[Tensor]:
        """Log-probabilities of closed replies, a row (replies,) float32 a request, by one pass and no decoding."""
        whole = [prompt + closed.forced for prompt in prompts]
        read = self._prefill(requests[0].task.adapter, whole, self._model.base_model, prefix)
        last = read.output.last_hidden_state[:, -1]
        head = self._model.get_output_embeddings().weight[torch.tensor(closed.tokens, device=last.device)]
        return list((last.float() @ head.float().T).log_softmax(-1).cpu())

    @staticmethod
    def _choose_next(rows: Sequence[Row], scores: Tensor, noise: GumbelNoise) -> None:
        """Add to each reply its likeliest next token, or a sample, by scores (rows, vocabulary)."""
        allowed = torch.stack([row.allowed(scores.shape[1]) for row in rows]).to(scores.device)
        logprobs = scores.masked_fill(~allowed, -torch.inf).log_softmax(-1)
        drawn = noise(logprobs.clone()).argmax(-1)
        chances = logprobs.gather(1, drawn[:, None]).squeeze(1)
        for row, token, chance in zip(rows, drawn.tolist(), chances.tolist(), strict=True):
            if not row.done:
                row.add(token, chance)

    def _prefill(self, adapter: Adapter, prompts: Sequence[list[int]], model: Any, prefix: Prefix) -> "_Read":
        """Read prompts: what they share once, then padding and the rest of each."""
        self.adapters.use(adapter)
        if len(prompts) > 1:
            prefix = self._shared(adapter, prompts)
        mask = torch.ones(len(prompts), prefix.length, dtype=torch.long, device=self._model.device)
        read = self._forward([prompt[prefix.length :] for prompt in prompts], mask, prefix.cache, model)
        if len(prompts) == 1:
            self._prefixes.keep(adapter, prompts[0], read.output.past_key_values)
        return read

    def _shared(self, adapter: Adapter, prompts: Sequence[list[int]]) -> Prefix:
        """What prompts share, a row for each."""
        shared = common_prefix(prompts)[: min(map(len, prompts)) - 1]
        known = self.known(adapter, [*shared, -1])
        if len(shared) - known.length < SHARED:
            prefix = known
        else:
            prefix = self.read(adapter, shared[known.length :], known)
            self._prefixes.keep(adapter, shared, prefix.cache)
        if prefix.length:
            prefix.cache.batch_repeat_interleave(len(prompts))
        return prefix

    def _decode_step(self, read: "_Read", tokens: Sequence[list[int]]) -> "_Read":
        """Read the tokens that replies have grown by."""
        return self._forward(tokens, read.mask, read.output.past_key_values, self._model)

    def _forward(self, tokens: Sequence[list[int]], mask: Tensor, cache: Any, model: Any) -> "_Read":
        width, pad = max(map(len, tokens)), self._tokenizer.pad_token_id
        ids = torch.tensor([[*[pad] * (width - len(row)), *row] for row in tokens], device=mask.device)
        new = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in tokens], device=mask.device)
        places = (mask.sum(-1, keepdim=True) + new.cumsum(-1) - 1).clamp(min=0)
        mask = torch.cat([mask, new], dim=1)
        inputs = {"input_ids": ids, "attention_mask": mask, "position_ids": places, "past_key_values": cache}
        last = {"logits_to_keep": 1} if model is self._model else {}
        return _Read(model(**inputs, use_cache=True, **last), mask)


class MergedAdapters:
    """The weights of a model with each of its adapters, and without.

    Args:
        base: the model, whose layers are left as they were.
        adapters: folders in PEFT's format.
        mark: of the base (``base_mark``).

    Raises:
        ModelUnavailable: an adapter does not fit.
    """

    def __init__(self, base: Any, adapters: Mapping[Adapter, str], mark: str = "") -> None:
        check_adapters(adapters, base, mark)
        configs = {name: LoraConfig.from_pretrained(folder) for name, folder in adapters.items()}
        weights = {name: _merged(base, folder, configs[name], f"adapter {name}") for name, folder in adapters.items()}
        changed = {layer for merged in weights.values() for layer in merged}
        self._layers = {name: module for name, module in base.named_modules() if name in changed}
        own = {name: layer.weight.data for name, layer in self._layers.items()}
        self._weights = {Adapter.NONE: own} | {name: own | merged for name, merged in weights.items()}
        self._now = Adapter.NONE

    def __contains__(self, adapter: Adapter) -> bool:
        return adapter is not Adapter.NONE and adapter in self._weights

    def use(self, adapter: Adapter) -> None:
        """Give the model the weights of an adapter; its own for one that is absent."""
        wanted = adapter if adapter in self else Adapter.NONE
        if wanted is not self._now:
            for name, layer in self._layers.items():
                layer.weight.data = self._weights[wanted][name]
            self._now = wanted


class _Read(NamedTuple):
    """Output of the model for the tokens so far, and which of them (rows, tokens) are no padding."""

    output: Any
    mask: Tensor


def _load(model: str, device: torch.device, dtype: str) -> Any:
    local = Path(model).is_dir()
    wanted = best_dtype() if dtype == "auto" and device.type == "cpu" else dtype
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            model,
            dtype=wanted,
            local_files_only=local,
            use_safetensors=True,  # a pickle is code
        )
    except Exception as error:  # a damaged configuration fails anywhere in transformers
        raise ModelUnavailable(
            f"model {model!r} cannot be loaded: {first_line(error)}; "
            "give the folder of a causal language model in transformers format, with weights as safetensors"
        ) from error
    if loaded._supports_attention_backend:
        loaded.set_attn_implementation(GROUPED)
    return loaded.eval().to(device)


def _merged(base: Any, folder: str, config: LoraConfig, name: str) -> dict[str, Tensor]:
    """Weights of the layers that an adapter changes, by the layer's name in the base model.

    Raises:
        ModelUnavailable: they are too large for the base model's precision.
    """
    with_adapter = PeftModel.from_pretrained(base, folder, config=config)
    merged = {}
    for place, layer in with_adapter.get_base_model().named_modules():
        if isinstance(layer, LoraLayer):
            weight = layer.get_base_layer().weight.data
            delta = layer.get_delta_weight("default")  # type: ignore[attr-defined]
            merged[place] = (weight.float() + delta.float()).to(weight.dtype)
    with_adapter.unload()
    for place, weight in merged.items():
        if not weight.isfinite().all():
            raise ModelUnavailable(
                f"{name} in {folder}: {place}.weight with it is not finite in {weight.dtype}; "
                "train or give one for this base model, or give --dtype float32"
            )
    return merged
