"""TRL's trainers with a recipe: LoRA, loss on the replies, checkpoints, early stopping, TensorBoard.

TRL renders prompt and reply with the base model's chat template and masks the prompt. The token ids are those that the
engine sends and receives; ``tests/training/finetuning/test_template.py`` compares them. Example:
``build_trainer(base, chat, split, RECIPES["verdict"], Precision.NF4, folder, seed=1).train()``.
"""

from collections.abc import Sequence
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
from system.models.prompting import ChatTokenizer
from training.finetuning.base import Precision
from training.finetuning.examples import REPLIES, Example, Split, in_batches
from training.finetuning.recipes import EVALUATED, EVALUATIONS, Recipe

PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def build_trainer(
    base: Any,
    chat: ChatTokenizer,
    split: Split,
    recipe: Recipe,
    precision: Precision,
    folder: Path,
    seed: int,
    start: Path | None = None,
) -> Trainer:
    """Return a trainer that is ready to train or to resume, with ``checkpoints/`` and ``logs/`` in the folder.

    The seed of the new adapter's weights, the dropout and the order of examples is set for the whole process. DPO takes
    the adapter that it continues from as the reference too.
    """
    set_seed(seed)  # the trainer sets its seed too late for the new adapter's random weights
    trainer: Any = DPOTrainer if recipe.method == "dpo" else SFTTrainer
    built: Trainer = trainer(
        model=_continued(base, start) if start else get_peft_model(base, lora(recipe)),
        args=_arguments(recipe, precision, folder, seed),
        train_dataset=_dataset(in_batches(split.train, recipe.batch, seed), recipe),
        eval_dataset=_dataset(split.held_out[:EVALUATED], recipe),
        processing_class=chat.tokenizer,
        callbacks=[
            EarlyStoppingCallback(early_stopping_patience=recipe.patience),
            TensorBoardCallback(SummaryWriter(str(folder / "logs"))),  # type: ignore[no-untyped-call]
        ],
    )
    return built


def _continued(base: Any, start: Path) -> PeftModel:
    check_adapter(start, base, base_mark(base.name_or_path))
    model = PeftModel.from_pretrained(base, str(start), is_trainable=True)
    for config in model.peft_config.values():  # a name alone would make PEFT ask the hub when it saves
        config.base_model_name_or_path = base.name_or_path
    return model


def lora(recipe: Recipe) -> LoraConfig:
    """Return the configuration of a recipe's adapter, on all projections of the blocks."""
    return LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        bias="none",
        target_modules=PROJECTIONS,
        task_type="CAUSAL_LM",
    )


def _arguments(recipe: Recipe, precision: Precision, folder: Path, seed: int) -> TrainingArguments:
    gpu = torch.cuda.is_available()
    part = 1 / EVALUATIONS  # share of the training between evaluations
    kind = DPOConfig if recipe.method == "dpo" else SFTConfig
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
        train_sampling_strategy="sequential",
        max_length=None,  # examples that are too long were left out, none is cut
        gradient_checkpointing=gpu,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        bf16=precision is not Precision.FLOAT32,
        optim="paged_adamw_8bit" if gpu and precision is Precision.NF4 else "adamw_torch",
        eval_strategy="steps",
        eval_steps=part,
        save_strategy="steps",
        save_steps=part,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        logging_steps=part,
        logging_first_step=True,
        report_to="none",  # TensorBoard's callback is added by hand, to choose its folder
        dataloader_pin_memory=gpu,
        use_cpu=not gpu,
    )


def _dataset(examples: Sequence[Example], recipe: Recipe) -> Dataset:
    columns = ("prompt", *REPLIES[recipe.method])
    asked = {"chat_template_kwargs": {"enable_thinking": False}}  # as the engine asks a model that can think
    return Dataset.from_list([{name: example[name] for name in columns} | asked for example in examples])
