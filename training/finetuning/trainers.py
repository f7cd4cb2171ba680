"""Trainers with a recipe: LoRA, loss on the replies, checkpoints, early stopping, TensorBoard.

TRL renders prompt and reply with the base model's chat template and masks the prompt; the token ids are those that the
engine sends and gets (``tests/training/finetuning/test_template.py`` compares them).

A label alone is trained otherwise. The engine holds such a reply to its schema, so everything before the first token in
which the labels differ is given, and everything after it follows: one position decides, between as many tokens as there
are labels (``system.models.constraints``). The loss is that of this position among these tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel, get_peft_model
from torch.utils.tensorboard import SummaryWriter
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments, set_seed
from transformers.integrations.integration_utils import TensorBoardCallback
from trl.trainer.dpo_config import DPOConfig
from trl.trainer.dpo_trainer import DPOTrainer
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from system.models.adapters import base_mark, check_adapter
from system.models.chat import ChatTokenizer
from system.models.constraints import ClosedReplies, closed_replies
from system.strategies.steps.tasks.judge_claim import LabelReply
from training import TrainingError
from training.finetuning.base import Precision
from training.finetuning.examples import Demonstration, Example, Split, in_batches
from training.finetuning.recipes import Recipe

PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
COLUMNS = {"prompt", "completion", "chosen", "rejected"}


def build_trainer(
    base: Any,
    chat: ChatTokenizer,
    split: Split[Any],
    recipe: Recipe,
    precision: Precision,
    folder: Path,
    seed: int,
    start: Path | None = None,
) -> Trainer:
    """A trainer that is ready to train or to resume.

    Args:
        base: the base model, in this precision.
        folder: gets ``checkpoints/`` and ``logs/``.
        seed: of a new adapter's weights, of dropout and of the order of examples; set for the whole process.
        start: adapter to continue from; DPO takes it as the reference too.

    Raises:
        ModelUnavailable: the adapter to continue from does not fit the base.
    """
    shared: dict[str, Any] = {
        "args": _arguments(recipe, precision, folder, seed),
        "callbacks": [
            EarlyStoppingCallback(early_stopping_patience=recipe.patience),
            TensorBoardCallback(SummaryWriter(str(folder / "logs"))),  # type: ignore[no-untyped-call]
        ],
    }
    set_seed(seed)  # a new adapter begins with random numbers, which the trainer's own seeding comes too late for
    adapter = lora(recipe, base.config.num_hidden_layers)
    model = _continued(base, start) if start else get_peft_model(base, adapter)
    if recipe.micro_batch > 1:
        split = replace(split, train=in_batches(split.train, recipe.batch, seed))
    held_out = split.held_out[: recipe.evaluated]
    if recipe.method == "label":
        closed = labels_of(chat)
        train, evaluation = (label_dataset(part, closed, chat) for part in (split.train, held_out))
        return LabelTrainer(
            closed, chat, recipe.balance, model=model, train_dataset=train, eval_dataset=evaluation, **shared
        )
    shared |= {"train_dataset": _dataset(split.train), "eval_dataset": _dataset(held_out)}
    trainer = DPOTrainer if recipe.method == "dpo" else SFTTrainer
    return trainer(model=model, processing_class=chat.tokenizer, **shared)


def _continued(base: Any, start: Path) -> PeftModel:
    """A trained adapter, to be trained further on the base where it lies here."""
    check_adapter(start, base, base_mark(base.name_or_path))
    model = PeftModel.from_pretrained(base, str(start), is_trainable=True)
    for config in model.peft_config.values():  # it names its base alone, which PEFT looks up on the hub when it saves
        config.base_model_name_or_path = base.name_or_path
    return model


def lora(recipe: Recipe, layers: int) -> LoraConfig:
    """The adapter of a recipe, on all projections of the blocks from ``first_layer`` on.

    Args:
        layers: blocks of the base model.
    """
    return LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        bias="none",
        target_modules=PROJECTIONS,
        layers_to_transform=list(range(recipe.first_layer, layers)),
        task_type="CAUSAL_LM",
    )


def labels_of(chat: ChatTokenizer) -> ClosedReplies:
    """The labels as the engine tells them apart.

    Raises:
        TrainingError: the tokenizer begins two of them alike.
    """
    closed = closed_replies(LabelReply, chat.tokenizer)
    if closed is None:
        raise TrainingError(
            "expected labels that differ in their first token; this base's tokenizer starts two of them alike"
        )
    return closed


def label_dataset(examples: Sequence[Demonstration], closed: ClosedReplies, chat: ChatTokenizer) -> Dataset:
    """Token ids up to the deciding position, with the place of the right label among all."""
    places = {reply.model_dump_json(): place for place, reply in enumerate(closed.replies.values())}
    ids = [[*chat.encode(one.prompt), *closed.forced] for one in examples]
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


def _arguments(recipe: Recipe, precision: Precision, folder: Path, seed: int) -> TrainingArguments:
    gpu = torch.cuda.is_available()
    part = min(1 / recipe.evaluations, 0.999)  # of the training, between evaluations; 1 would mean every update
    kind: type[TrainingArguments] = {"sft": SFTConfig, "dpo": DPOConfig, "label": TrainingArguments}[recipe.method]
    special = (
        {"remove_unused_columns": False} if recipe.method == "label" else {"max_length": None}
    )  # what is too long was left out, not cut
    return kind(
        output_dir=str(folder / "checkpoints"),
        seed=seed,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.micro_batch,
        per_device_eval_batch_size=recipe.micro_batch,
        gradient_accumulation_steps=recipe.batch // recipe.micro_batch,
        train_sampling_strategy="random" if recipe.micro_batch == 1 else "sequential",
        gradient_checkpointing=gpu,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        bf16=precision is not Precision.FLOAT32,
        optim="paged_adamw_8bit" if gpu and precision is Precision.NF4 else "adamw_torch",
        **special,
        eval_strategy="steps",
        eval_steps=part,
        save_strategy="steps",
        save_steps=part,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        logging_steps=part,
        logging_first_step=True,
        report_to="none",  # TensorBoard has a callback of its own, with a folder of its own
        dataloader_pin_memory=gpu,
        use_cpu=not gpu,
    )


def _dataset(examples: Sequence[Example]) -> Dataset:
    return Dataset.from_list([example.model_dump(include=COLUMNS) for example in examples])
