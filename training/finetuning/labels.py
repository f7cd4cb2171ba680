"""Training a label alone: which of a few replies comes next, by the first token in which they differ.

The engine holds such a reply to its schema, so everything before that token is given and everything after it follows.
One position decides, between as many tokens as there are labels. That is what is trained here, in place of the loss on
whole replies over the whole vocabulary, which costs a small model a third of its time.
"""

import os.path
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from datasets import Dataset
from transformers import Trainer

from system.models.chat import ChatTokenizer
from training.finetuning.examples import Demonstration


class Choice:
    """The replies to choose from, as token ids.

    Attributes:
        given: what all replies begin with.
        tokens: the token behind it, by reply.
    """

    def __init__(self, replies: Sequence[str], chat: ChatTokenizer) -> None:
        ids = [chat.tokenizer(reply, add_special_tokens=False)["input_ids"] for reply in replies]
        self.given: list[int] = os.path.commonprefix(ids)  # noqa: RUF071 - of any sequences
        self.tokens = {reply: row[len(self.given)] for reply, row in zip(replies, ids, strict=True)}
        self.chat = chat

    def dataset(self, examples: Sequence[Demonstration]) -> Dataset:
        """Token ids up to the deciding position, with the place of the right reply among the replies."""
        replies = list(self.tokens)
        ids = [[*self.chat.encode(one.prompt), *self.given] for one in examples]  # type: ignore[arg-type]
        labels = [replies.index(one.reply) for one in examples]
        return Dataset.from_dict({"input_ids": ids, "labels": labels, "length": list(map(len, ids))})


class LabelTrainer(Trainer):
    """Cross entropy over the replies at the deciding position."""

    def __init__(self, choice: Choice, **arguments: Any) -> None:
        pad = choice.chat.tokenizer.pad_token_id
        super().__init__(data_collator=lambda rows: _pad_left(rows, pad), compute_metrics=accuracy, **arguments)
        self._tokens = torch.tensor(list(choice.tokens.values()), device=self.args.device)

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Loss (scalar), and logits (examples, replies) where they are wanted."""
        causal = model.get_base_model()
        with self.accelerator.autocast():  # of the trainer's own, only the whole model's forward has it
            body = causal.model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], use_cache=False)
        head = causal.get_output_embeddings().weight[self._tokens]
        logits = (body.last_hidden_state[:, -1] @ head.T).float()
        loss = torch.nn.functional.cross_entropy(logits, inputs["labels"])
        return (loss, {"logits": logits}) if return_outputs else loss

    def prediction_step(
        self, model: Any, inputs: dict[str, Any], prediction_loss_only: bool, ignore_keys: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Loss, logits and labels of a batch of held-out examples."""
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad(), self.compute_loss_context_manager():
            loss, outputs = self.compute_loss(model, inputs, return_outputs=True)
        return loss.detach(), outputs["logits"], inputs["labels"]


def accuracy(evaluated: Any) -> dict[str, float]:
    """Share of the held-out examples whose likeliest reply is the right one."""
    return {"accuracy": float((evaluated.predictions.argmax(axis=1) == evaluated.label_ids).mean())}


def _pad_left(rows: Sequence[Mapping[str, Any]], pad: int) -> dict[str, torch.Tensor]:
    """Pad before the prompts, so that the deciding position is the last one of each row."""
    longest = max(len(row["input_ids"]) for row in rows)
    padding = [longest - len(row["input_ids"]) for row in rows]
    ids = [[pad] * n + row["input_ids"] for n, row in zip(padding, rows, strict=True)]
    mask = [[0] * n + [1] * (longest - n) for n in padding]
    labels = [row["labels"] for row in rows]
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask), "labels": torch.tensor(labels)}
