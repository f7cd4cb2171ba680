"""An adapter run by PEFT alone: the probabilities it gives, and what it writes without a schema."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from tqdm import tqdm

from system.models.adapters import base_mark, check_adapter
from system.models.chat import ChatTokenizer
from system.models.constraints import ClosedReplies
from training.finetuning.base import Precision, load_base
from training.finetuning.examples import Demonstration


class PeftReader:
    """A base model with one adapter.

    Args:
        chat: renders prompts as the engine does.
        precision: of the base.
        closed: the replies that there are, of an adapter that labels: it knows the one position that decides, so what
            it would write elsewhere does not count. None for others.

    Raises:
        ModelUnavailable: the base cannot be loaded, or the adapter does not fit it.
    """

    def __init__(
        self, base: str, adapter: Path, chat: ChatTokenizer, precision: Precision, closed: ClosedReplies | None = None
    ) -> None:
        loaded = load_base(base, precision)
        check_adapter(adapter, loaded, base_mark(base))
        self._model: Any = PeftModel.from_pretrained(loaded, str(adapter)).eval()
        self._chat = chat
        self._closed = closed

    def agreement(self, prompt: Sequence[int], reply: str, ended: bool, adapter: bool) -> float:
        """Share of a reply's tokens that are the likeliest to PEFT too, each given those before it.

        Args:
            ended: whether the reply was brought to its end.
            adapter: False asks the base model alone.
        """
        ids = self._reply_ids(reply) if ended else self._reply_ids(reply)[:-1]
        with nullcontext() if adapter else self._model.disable_adapter():
            logprobs, right = self._logprobs(prompt, ids)
        return float((logprobs.argmax(-1) == right).float().mean())

    def loss(self, examples: Sequence[Demonstration], adapter: bool = True) -> float:
        """Mean negative log-likelihood of a token of the replies, or of a choice between them, in nats.

        Args:
            adapter: False measures the base model alone.
        """
        total, count = 0.0, 0
        for example in tqdm(examples, unit="example", desc="held-out loss", leave=False, disable=None):
            with nullcontext() if adapter else self._model.disable_adapter():
                logprobs, right = self._logprobs(self._chat.encode(example.prompt), self._reply_ids(example.reply))
            total -= float(logprobs.gather(1, right[:, None]).sum())
            count += len(right)
        return total / count

    @torch.inference_mode()
    def write(self, example: Demonstration, longest: int) -> str:
        """The likeliest reply, without a schema, in at most ``longest`` tokens."""
        prompt = torch.tensor([self._chat.encode(example.prompt)], device=self._model.device)
        tokenizer = self._chat.tokenizer
        output = self._model.generate(
            input_ids=prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=longest,
            do_sample=False,
            repetition_penalty=1.0,  # a model's own default may differ
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
        return self._chat.reply_text(output[0, prompt.shape[1] :].tolist())

    def _reply_ids(self, reply: str) -> list[int]:
        ids: list[int] = self._chat.tokenizer(reply, add_special_tokens=False)["input_ids"]
        return [*ids, self._chat.tokenizer.eos_token_id]

    @torch.inference_mode()
    def _logprobs(self, prompt: Sequence[int], reply: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """Score the choices at each position that counts, (positions, choices) float32; the ids there, (positions,)."""
        ids = torch.tensor([[*prompt, *reply]], device=self._model.device)
        logits = self._model(input_ids=ids).logits[0, len(prompt) - 1 : -1].float()
        if self._closed:
            place = len(self._closed.forced)
            choice = self._closed.tokens.index(reply[place])
            return logits[place : place + 1, list(self._closed.tokens)].log_softmax(-1), ids.new_tensor([choice])
        return logits.log_softmax(-1), ids.new_tensor(reply)
