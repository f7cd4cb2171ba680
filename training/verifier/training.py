"""Training of the cross-encoder, which can be stopped and resumed at any time."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from sentence_transformers import CrossEncoder
from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.cross_encoder.losses import CrossEntropyLoss

from knowledge_store.dense.loading import bundled_model
from system.hardware.cpu import best_dtype
from system.verifier.openvino import GRAPH
from training.finetuning.checkpoints import RECORD, last_checkpoint, open_folder, read_record
from training.verifier.evaluation import HeldOut
from training.verifier.export import restored
from training.verifier.pairs import LABELS, Pair
from training.verifier.sampling import PlannedBatches, plan_batches

ENCODER = "all-MiniLM-L6-v2"
"""The encoder behind every verifier of ours."""


@dataclass(frozen=True)
class Recipe:
    """Settings of one stage.

    Attributes:
        epochs: passes over the pairs.
        tokens: of a batch, padding included.
        longest: pair in tokens; a longer one is left out, since what decides it may be cut off.
        schedule: of the learning rate, by its name in transformers.
        smoothing: share of each label's probability that goes to the others.
        saves: checkpoints, evenly over the training; held-out pairs are judged at each.
    """

    epochs: float = 1.0
    learning_rate: float = 1e-4
    schedule: str = "linear"
    warmup: int = 100
    tokens: int = 4096
    longest: int = 256
    smoothing: float = 0.05
    dropout: float = 0.0
    weight_decay: float = 0.01
    saves: int = 10
    seed: int = 1


def train(base: str, pairs: Sequence[Pair], held_out: Sequence[Pair], output: Path, recipe: Recipe) -> CrossEncoder:
    """Train a cross-encoder from ``base``, or resume the training of ``output``; the model lies there afterwards.

    Args:
        base: folder or name of an encoder, of a cross-encoder of an earlier stage, or a bundle's folder.
        held_out: pairs that are judged at each checkpoint.

    Raises:
        TrainingError: ``output`` holds another training.
    """
    torch.manual_seed(recipe.seed)
    model = load_base(base, recipe)
    pairs, lengths = _that_fit(model, pairs, recipe.longest)
    batches = plan_batches(lengths, [pair.group for pair in pairs], recipe.tokens, recipe.epochs, recipe.seed)
    sizes = {"pairs": len(pairs), "tokens of an epoch": sum(lengths), "batches": len(batches)}
    print(", ".join(f"{count:,} {name}" for name, count in sizes.items()))
    open_folder(output, {"base": Path(base).name, **asdict(recipe), **sizes, "earlier": _earlier(base)})
    dataset = Dataset.from_dict(
        {
            "evidence": [pair.evidence for pair in pairs],
            "statement": [pair.statement for pair in pairs],
            "label": [LABELS.index(pair.label) for pair in pairs],
        }
    )
    trainer = _PlannedTrainer(
        batches,
        model=model,
        args=_arguments(output, recipe, len(batches)),
        train_dataset=dataset,
        loss=CrossEntropyLoss(model, label_smoothing=recipe.smoothing),
        evaluator=HeldOut(held_out),
    )
    checkpoint = last_checkpoint(output)
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    model.save_pretrained(str(output))
    return model


def load_base(base: str, recipe: Recipe) -> CrossEncoder:
    """A cross-encoder with three labels; eager attention, which is the fastest of short pairs on a CPU."""
    weights = restored(Path(base)) if (Path(base) / GRAPH).exists() else None
    config = {"hidden_dropout_prob": recipe.dropout, "attention_probs_dropout_prob": recipe.dropout}
    names = {"id2label": dict(enumerate(LABELS)), "label2id": {label: i for i, label in enumerate(LABELS)}}
    model: CrossEncoder = CrossEncoder(
        str(bundled_model(ENCODER) or ENCODER) if weights else base,
        num_labels=len(LABELS),
        max_length=recipe.longest,
        device="cpu" if not torch.cuda.is_available() else None,
        model_kwargs={"attn_implementation": "eager", "dtype": torch.float32},
        config_kwargs={**config, **names},
    )
    if weights:
        network: Any = model.model
        network.load_state_dict(weights)
    return model


def _earlier(base: str) -> list[dict[str, Any]]:
    """Records of the stages before, where the base is a checkpoint of one."""
    folder = Path(base).parent.parent
    if not (Path(base).name.startswith("checkpoint-") and (folder / RECORD).exists()):
        return []
    record = read_record(folder)
    steps = {"updates": int(Path(base).name.split("-")[1])}
    return [*record.pop("earlier", []), {**record, **steps}]


def _that_fit(model: CrossEncoder, pairs: Sequence[Pair], longest: int) -> tuple[list[Pair], list[int]]:
    encoded = model.tokenizer([pair.evidence for pair in pairs], [pair.statement for pair in pairs], truncation=False)
    lengths = [len(ids) for ids in encoded["input_ids"]]
    fitting = [(pair, length) for pair, length in zip(pairs, lengths, strict=True) if length <= longest]
    return [pair for pair, _ in fitting], [length for _, length in fitting]


class _PlannedTrainer(CrossEncoderTrainer):
    """A trainer whose batches are planned."""

    def __init__(self, batches: Sequence[Sequence[int]], **options: Any) -> None:
        self._batches = batches
        super().__init__(**options)

    def get_batch_sampler(self, dataset: Any, *_: Any, **__: Any) -> PlannedBatches:
        return PlannedBatches(dataset, self._batches)


def _arguments(output: Path, recipe: Recipe, batches: int) -> CrossEncoderTrainingArguments:
    every = -(-batches // recipe.saves)
    return CrossEncoderTrainingArguments(
        output_dir=str(output / "checkpoints"),
        num_train_epochs=1,  # the plan of batches holds all of them
        learning_rate=recipe.learning_rate,
        lr_scheduler_type=recipe.schedule,
        warmup_steps=min(recipe.warmup, batches // 10),
        weight_decay=recipe.weight_decay,
        bf16=torch.cuda.is_available() or best_dtype() is torch.bfloat16,
        use_cpu=not torch.cuda.is_available(),
        eval_strategy="steps",
        eval_steps=every,
        save_steps=every,
        save_total_limit=6,
        logging_steps=max(1, every // 10),
        report_to="none",
        seed=recipe.seed,
    )
