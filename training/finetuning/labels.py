"""Training a label alone: which of a few replies comes next, by the first token in which they differ.

The engine holds such a reply to its schema, so everything before that token is given and everything after it follows.
One position decides, between as many tokens as there are labels (``system.models.constraints``). That is what is
trained here, in place of the loss on whole replies over the whole vocabulary.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from datasets import Dataset
from transformers import Trainer

from system.models.chat import ChatTokenizer
from system.models.constraints import ClosedReplies, closed_replies
from system.tasks.judge_claim import LabelReply
from training import TrainingError
from training.finetuning.examples import Demonstration


def labels_of(chat: ChatTokenizer) -> ClosedReplies:
    """The labels as the engine tells them apart.

    Raises:
        TrainingError: the tokenizer begins two of them alike.
    """
    closed = closed_replies(LabelReply, chat.tokenizer)
    if closed is None:
        raise TrainingError("expected labels that differ in their first token; this base's tokenizer begins two alike")
    return closed


def label_dataset(examples: Sequence[Demonstration], closed: ClosedReplies, chat: ChatTokenizer) -> Dataset:
    """Token ids up to the deciding position, with the place of the right label among all."""
    places = {reply.model_dump_json(): place for place, reply in enumerate(closed.replies.values())}
    ids = [[*chat.encode(one.prompt), *closed.given] for one in examples]  # type: ignore[arg-type]
    return Dataset.from_dict({"input_ids": ids, "labels": [places[one.reply] for one in examples]})


class LabelTrainer(Trainer):
    """Cross entropy between the labels at the deciding position, the last one of each row."""

    def __init__(self, closed: ClosedReplies, chat: ChatTokenizer, balance: float, **arguments: Any) -> None:
        def pad_left(rows: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
            ids = {"input_ids": [row["input_ids"] for row in rows]}
            padded: dict[str, torch.Tensor] = chat.tokenizer.pad(ids, padding_side="left", return_tensors="pt")
            return {**padded, "labels": torch.tensor([row["labels"] for row in rows])}

        super().__init__(data_collator=pad_left, compute_metrics=accuracy, **arguments)
        self._tokens = torch.tensor(closed.tokens, device=self.args.device)
        labels = torch.tensor(arguments["train_dataset"]["labels"])
        counts = torch.bincount(labels, minlength=len(closed.tokens))
        self._prior = balance * (counts.clamp(min=1) / counts.sum()).log().to(self.args.device)

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Loss (scalar), and logits (examples, labels) where they are wanted."""
        causal = model.get_base_model()
        with self.accelerator.autocast():  # of the trainer's own, only the whole model's forward has it
            body = causal.model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], use_cache=False)
        head = causal.get_output_embeddings().weight[self._tokens]
        logits = (body.last_hidden_state[:, -1] @ head.T).float()
        loss = torch.nn.functional.cross_entropy(logits + self._prior, inputs["labels"])
        return (loss, {"logits": logits}) if return_outputs else loss


def accuracy(evaluated: Any) -> dict[str, float]:
    """Share of the held-out examples whose likeliest label is the right one."""
    return {"accuracy": float((evaluated.predictions.argmax(axis=1) == evaluated.label_ids).mean())}
