"""One training, from data set to adapter. It can be stopped at any time; the same call resumes it.

Example: ``train(Job("verdict", RECIPES["verdict"], "models/base", Path("models/data"), Path("models/adapter")))``.
"""

import json
import shutil
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
from system.models.adapters import mark_adapter
from system.models.base import first_line
from system.models.prompting import ChatTokenizer
from training import TrainingError
from training.datasets.samples import sha256_of
from training.finetuning.base import Precision, check_trainable, load_base, precision_for
from training.finetuning.card import History, losses, name_of, write_card
from training.finetuning.examples import Split, read_examples, split_by_claim, that_fit
from training.finetuning.recipes import HELD_OUT, Recipe
from training.finetuning.trainers import build_trainer

RECORD = "training.json"
CONFIG = "adapter_config.json"  # PEFT writes it after the adapter's weights
STATE = "trainer_state.json"  # the last file of a checkpoint that is written


@dataclass(frozen=True)
class Job:
    """A requested training."""

    task: str  #: name of the recipe
    recipe: Recipe
    base: str  #: folder or name of the base model
    data: Path  #: folder of the data sets
    output: Path  #: folder of the adapter
    start: Path | None = None  #: adapter to continue from; None for a new one
    seed: int = 1

    @property
    def file(self) -> Path:
        """The data set."""
        return self.data / f"{self.recipe.data}.jsonl"


def train(job: Job) -> None:
    """Train an adapter, or resume a stopped training, and print progress."""
    check_trainable(job.base)
    chat = ChatTokenizer(job.base, job.recipe.context)
    examples = read_examples(job.file, job.recipe.method)
    fitting = that_fit(examples, chat)
    split, left_out = split_by_claim(fitting, HELD_OUT, job.seed), len(examples) - len(fitting)
    counts = {"train": len(split.train), "held out": len(split.held_out), "left out as too long": left_out}
    print(f"{job.file}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    precision = precision_for(job.base)
    settings = {  # everything that the result depends on
        "task": job.task,
        "base": job.base,
        "sha256": sha256_of(job.file),
        "examples": counts,
        **asdict(job.recipe),
        "start": str(job.start or ""),
        "held_out": HELD_OUT,
        "precision": str(precision),
        "seed": job.seed,
        "trl": version("trl"),
    }
    with _named_faults(job.output):
        open_folder(job.output, settings)
        if (job.output / CONFIG).exists():
            print(f"{job.output} is trained already; nothing to do")
            return
        summary, history = _run(job, chat, split, precision)
        write_card(job.output, job.base, job.file, settings, summary, history)
    print(f"{job.output}: {summary}")


def _run(job: Job, chat: ChatTokenizer, split: Split, precision: Precision) -> tuple[str, History]:
    """Train; return the results in a sentence, and the trainer's log."""
    model = load_base(job.base, precision)
    trainer: Any = build_trainer(model, chat, split, job.recipe, precision, job.output, job.seed, job.start)
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
    peak = torch.cuda.max_memory_reserved() / 2**30 if torch.cuda.is_available() else peak_memory()
    state, held_out = trainer.state, losses(trainer.state.log_history, "eval_loss")
    summary = (
        f"{state.global_step} updates in {seconds:.0f} s, peak memory {peak:.1f} GiB; held-out loss "
        f"{held_out[min(held_out)]:.3f} before, {held_out[state.best_global_step]:.3f} after {state.best_global_step} "
        "updates, whose weights are kept"
    )
    return summary, state.log_history


def open_folder(folder: Path, settings: dict[str, Any]) -> None:
    """Record the settings of a training, or check that they equal the recorded ones."""
    if not (folder / RECORD).exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORD).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
        return
    before = read_record(folder)
    for name, value in settings.items():
        if before.get(name) != value:
            raise TrainingError(
                f"{folder} holds a training run with other settings: {name} was {before.get(name)!r}, now {value!r}; "
                "give another --output, or remove the folder to start over"
            )


def read_record(folder: Path) -> dict[str, Any]:
    """Read the settings of the training in a folder."""
    try:
        record: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(
            f"{folder / RECORD} cannot be read ({error}); expected the folder of an adapter that 'python -m training "
            "train' wrote"
        ) from error
    return record


def last_checkpoint(folder: Path) -> Path | None:
    """Return the newest complete checkpoint. Remove incomplete ones, which a full disk leaves behind."""
    found = sorted((folder / "checkpoints").glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1]))
    for checkpoint in reversed(found):
        try:
            json.loads((checkpoint / STATE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            shutil.rmtree(checkpoint)
        else:
            return checkpoint
    return None


@contextmanager
def _named_faults(folder: Path) -> Iterator[None]:
    """Name the folder if it cannot be written, or the device if its memory is full."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise TrainingError(f"out of device memory: {error}; lower --micro-batch or --context") from error
    except (OSError, SafetensorError, RuntimeError) as error:
        of_torch_save = "PytorchStreamWriter" in str(error) or "inline_" in str(error)  # on a full disk
        if isinstance(error, RuntimeError) and not of_torch_save:
            raise
        raise TrainingError(
            f"{folder}: cannot be written ({first_line(error)}); what was saved before is kept: make room on the disk "
            "and run the same command again to resume from the last complete checkpoint"
        ) from error
