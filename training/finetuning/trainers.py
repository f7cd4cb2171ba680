"""TRL's trainers with a recipe: LoRA, loss on the replies, checkpoints, early stopping, TensorBoard.

TRL renders prompt and reply with the base model's chat template and masks the prompt; the token ids are those that the
engine sends and gets (``tests/training/finetuning/test_template.py`` compares them).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel
from torch.utils.tensorboard import SummaryWriter
from transformers import EarlyStoppingCallback, Trainer
from transformers.integrations.integration_utils import TensorBoardCallback
from trl.trainer.dpo_config import DPOConfig
from trl.trainer.dpo_trainer import DPOTrainer
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from training.finetuning.examples import Example, Split
from training.finetuning.memory import Precision
from training.finetuning.recipes import Recipe

EVALUATIONS = 10  # of the held-out examples, evenly over the training; each makes a checkpoint
COLUMNS = {"prompt", "completion", "chosen", "rejected"}


def build_trainer(
    base: Any,
    tokenizer: Any,
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
        start: adapter to go on from; DPO takes it as the reference too.
    """
    common = {
        "args": _arguments(recipe, precision, folder, seed),
        "train_dataset": _dataset(split.train),
        "eval_dataset": _dataset(split.held_out),
        "processing_class": tokenizer,
        "callbacks": [
            EarlyStoppingCallback(early_stopping_patience=recipe.patience),
            TensorBoardCallback(SummaryWriter(str(folder / "logs"))),  # type: ignore[no-untyped-call]
        ],
    }
    model = PeftModel.from_pretrained(base, str(start), is_trainable=True) if start else base
    adapter = None if start else lora(recipe)
    trainer = DPOTrainer if recipe.method == "dpo" else SFTTrainer
    return trainer(model=model, peft_config=adapter, **common)


def lora(recipe: Recipe) -> LoraConfig:
    """The adapter of a recipe, on all linear layers of the blocks."""
    return LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        bias="none",
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


def _arguments(recipe: Recipe, precision: Precision, folder: Path, seed: int) -> SFTConfig | DPOConfig:
    gpu = torch.cuda.is_available()
    kind = DPOConfig if recipe.method == "dpo" else SFTConfig
    return kind(
        output_dir=str(folder / "checkpoints"),
        seed=seed,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=1,  # long prompts fill the device; and nothing is padded
        per_device_eval_batch_size=1,
        gradient_accumulation_steps=recipe.batch,
        gradient_checkpointing=gpu,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        bf16=precision is not Precision.FLOAT32,
        optim="paged_adamw_8bit" if gpu and precision is Precision.NF4 else "adamw_torch",
        max_length=None,  # what is too long was left out, not cut
        eval_strategy="steps",
        eval_steps=1 / EVALUATIONS,
        save_strategy="steps",
        save_steps=1 / EVALUATIONS,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        logging_steps=1 / EVALUATIONS,
        logging_first_step=True,
        report_to="none",  # TensorBoard has a callback of its own, with a folder of its own
        dataloader_pin_memory=gpu,
        use_cpu=not gpu,
    )


def _dataset(examples: Sequence[Example]) -> Dataset:
    return Dataset.from_list([example.model_dump(include=COLUMNS) for example in examples])
