"""One training, from data set to adapter. It can be stopped at any time; the same call resumes it."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from system.hardware.machine import peak_memory
from system.hardware.memory import GIB, skeleton
from system.models.adapters import mark_adapter
from system.models.base import first_line
from system.models.chat import ChatTokenizer
from training import TrainingError
from training.datasets.samples import sha256_of
from training.finetuning.base import TrainingPlan, check_trainable, choose_precision, device_memory, load_base
from training.finetuning.card import Outcome, name_of, write_card
from training.finetuning.checkpoints import CONFIG, last_checkpoint, open_folder
from training.finetuning.examples import (
    Demonstration,
    Example,
    Preference,
    Split,
    read_examples,
    split_by_claim,
    that_fit,
)
from training.finetuning.recipes import HELD_OUT, Recipe
from training.finetuning.trainers import build_trainer


@dataclass(frozen=True)
class Job:
    """A requested training.

    Attributes:
        task: name of the recipe.
        base: folder or name of the base model.
        data: folder of the data sets.
        output: folder of the adapter.
        start: adapter to continue from; None for a new one.
        memory: GiB that may be used; None for all.
    """

    task: str
    recipe: Recipe
    base: str
    data: Path
    output: Path
    start: Path | None
    memory: float | None
    seed: int

    @property
    def file(self) -> Path:
        """The data set."""
        return self.data / f"{self.recipe.data}.jsonl"


def train(job: Job) -> None:
    """Train an adapter, or resume a stopped training, and print progress.

    Raises:
        TrainingError: data, base, memory or disk do not allow it; earlier checkpoints are kept.
        ModelUnavailable: the base cannot be loaded.
    """
    check_trainable(job.base)
    chat = ChatTokenizer(job.base, job.recipe.context)
    split, counts = _examples(job, chat)
    plan = choose_precision(skeleton(job.base), job.recipe, device_memory(job.memory), gpu=torch.cuda.is_available())
    print(f"memory plan of {job.base}, {plan.precision}\n{plan}")
    settings = _settings(job, counts, plan)
    with _disk(job.output):
        open_folder(job.output, settings)
        if (job.output / CONFIG).exists():
            print(f"{job.output} is trained already; nothing to do")
            return
        outcome = _run(job, chat, split, plan)
        write_card(job.output, job.base, job.file, settings, outcome, str(plan))
    print(f"{job.output}: {outcome}")


def _examples(job: Job, chat: ChatTokenizer) -> tuple[Split[Any], dict[str, int]]:
    """Return the examples that fit the context, and counts."""
    kind: type[Example] = Preference if job.recipe.method == "dpo" else Demonstration
    examples = read_examples(job.file, kind)
    fitting = that_fit(examples, chat)
    split = split_by_claim(fitting, HELD_OUT, job.seed)
    counts = {
        "train": len(split.train),
        "held out": len(split.held_out),
        "left out as too long": len(examples) - len(fitting),
    }
    print(f"{job.file}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    return split, counts


def _settings(job: Job, counts: dict[str, int], plan: TrainingPlan) -> dict[str, Any]:
    """Everything that the result depends on."""
    return {
        "task": job.task,
        "base": job.base,
        "sha256": sha256_of(job.file),
        "examples": counts,
        **asdict(job.recipe),
        "start": str(job.start or ""),
        "held_out": HELD_OUT,
        "precision": str(plan.precision),
        "seed": job.seed,
        "trl": version("trl"),
    }


def _run(job: Job, chat: ChatTokenizer, split: Split[Any], plan: TrainingPlan) -> Outcome:
    model = load_base(job.base, plan.precision)
    trainer: Any = build_trainer(model, chat, split, job.recipe, plan.precision, job.output, job.seed, job.start)
    checkpoint = last_checkpoint(job.output)
    if checkpoint:
        print(f"resuming from {checkpoint}")
    trainer.args.eval_on_start = checkpoint is None
    began = time.perf_counter()
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    seconds = time.perf_counter() - began
    trainer.model.save_pretrained(str(job.output), selected_adapters=["default"])
    mark_adapter(job.output, job.base)
    config = json.loads((job.output / CONFIG).read_text(encoding="utf-8"))
    config["base_model_name_or_path"] = name_of(job.base)  # not before: PEFT asks the hub for it when it saves
    (job.output / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return Outcome(
        updates=trainer.state.global_step,
        best=trainer.state.best_global_step,
        seconds=seconds,
        peak=torch.cuda.max_memory_reserved() / GIB if torch.cuda.is_available() else peak_memory(),
        history=trainer.state.log_history,
    )


@contextmanager
def _disk(folder: Path) -> Iterator[None]:
    """Name the folder if it cannot be written, or the device if its memory is full."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise TrainingError(f"out of device memory: {error}; lower --gpu-memory or --context") from error
    except (OSError, SafetensorError) as error:
        raise _unwritten(folder, error) from error
    except RuntimeError as error:  # of torch.save, which has no type of its own for a full disk
        if "PytorchStreamWriter" not in str(error) and "inline_container" not in str(error):
            raise
        raise _unwritten(folder, error) from error


def _unwritten(folder: Path, error: Exception) -> TrainingError:
    return TrainingError(
        f"{folder}: cannot be written ({first_line(error)}); what was saved before is kept: make room on the disk and "
        "run the same command again to resume from the last complete checkpoint"
    )
