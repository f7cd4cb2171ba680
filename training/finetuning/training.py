"""One training from data set to adapter, which can be stopped and resumed at any time."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from peft.helpers import disable_input_dtype_casting
from safetensors import SafetensorError

from system.hardware.machine import peak_memory
from system.hardware.memory import GIB, skeleton
from system.models.adapters import mark_adapter
from system.models.chat import ChatTokenizer
from training import TrainingError
from training.datasets.samples import sha256_of
from training.finetuning.base import (
    TrainingPlan,
    check_trainable,
    choose_precision,
    compile_blocks,
    device_memory,
    load_base,
)
from training.finetuning.card import Outcome, curves_of, draw, name_of, write_card
from training.finetuning.checkpoints import CONFIG, finished, last_checkpoint, open_folder
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


def train(job: Job) -> None:
    """Train an adapter, or resume a training that was stopped, and report progress.

    Raises:
        TrainingError: data, base, memory or disk do not allow it; what was trained before stays.
        ModelUnavailable: the base cannot be loaded.
    """
    check_trainable(job.base)
    files = [job.data / f"{name}.jsonl" for name in job.recipe.data]
    split, counts = _examples(job, files)
    plan = choose_precision(skeleton(job.base), job.recipe, device_memory(job.memory), gpu=torch.cuda.is_available())
    print(f"memory plan of {job.base}, {plan.precision}\n{plan}")
    settings = _settings(job, files, counts, plan)
    with _disk(job.output):
        open_folder(job.output, settings)
        if finished(job.output):
            print(f"{job.output} is trained already; nothing to do")
            return
        outcome = _run(job, split, plan)
        draw(outcome.curves, job.output / "curves.svg")
        write_card(job.output, job.base, files, settings, outcome, str(plan))
    print(f"{job.output}: {outcome}")


def _examples(job: Job, files: Sequence[Path]) -> tuple[Split[Any], dict[str, int]]:
    """The examples that fit the context, and how many there are of each kind."""
    kind: type[Example] = Preference if job.recipe.method == "dpo" else Demonstration
    examples = [example for file in files for example in read_examples(file, kind)]
    fitting = that_fit(examples, ChatTokenizer(job.base, job.recipe.context))
    split = split_by_claim(fitting, HELD_OUT, job.seed)
    counts = {
        "train": len(split.train),
        "held out": len(split.held_out),
        "left out as too long": len(examples) - len(fitting),
    }
    print(f"{', '.join(map(str, files))}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    return split, counts


def _settings(job: Job, files: Sequence[Path], counts: dict[str, int], plan: TrainingPlan) -> dict[str, Any]:
    """All that decides what the training gives."""
    return {
        "task": job.task,
        "base": job.base,
        "sha256": {file.name: sha256_of(file) for file in files},
        "examples": counts,
        **asdict(job.recipe),
        "start": str(job.start or ""),
        "held_out": HELD_OUT,
        "precision": str(plan.precision),
        "seed": job.seed,
        "trl": version("trl"),
    }


def _run(job: Job, split: Split[Any], plan: TrainingPlan) -> Outcome:
    chat = ChatTokenizer(job.base, job.recipe.context)
    model = load_base(job.base, plan.precision, job.recipe.context)
    trainer: Any = build_trainer(model, chat, split, job.recipe, plan.precision, job.output, job.seed, job.start)
    checkpoint = last_checkpoint(job.output)
    if checkpoint:
        print(f"resuming from {checkpoint}")
    if job.recipe.micro_batch > 1:
        compile_blocks(trainer.model.get_base_model())
    trainer.args.eval_on_start = checkpoint is None
    began = time.perf_counter()
    with disable_input_dtype_casting(trainer.model, job.recipe.micro_batch > 1):  # autocast casts what is narrow
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    seconds = time.perf_counter() - began
    trainer.model.save_pretrained(str(job.output), selected_adapters=["default"])
    mark_adapter(job.output, job.base)
    config = json.loads((job.output / CONFIG).read_text(encoding="utf-8"))
    config["base_model_name_or_path"] = name_of(job.base)  # only now: PEFT looks the name up on the hub when it saves
    (job.output / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return _outcome(trainer, seconds)


def _outcome(trainer: Any, seconds: float) -> Outcome:
    gpu = torch.cuda.is_available()
    return Outcome(
        updates=trainer.state.global_step,
        best=trainer.state.best_global_step,
        seconds=seconds,
        peak=torch.cuda.max_memory_allocated() / GIB if gpu else peak_memory(),
        curves=curves_of(trainer.state.log_history),
    )


@contextmanager
def _disk(folder: Path) -> Iterator[None]:
    """Name the folder where something cannot be written to it, or the device where its memory is full."""
    try:
        yield
    except (OSError, SafetensorError) as error:
        raise TrainingError(_UNWRITTEN.format(folder=folder, error=error)) from error
    except torch.OutOfMemoryError as error:
        raise TrainingError(f"out of device memory: {error}; lower --gpu-memory or --context") from error
    except RuntimeError as error:
        if "PytorchStreamWriter" not in str(error) and "inline_container" not in str(error):
            raise
        raise TrainingError(_UNWRITTEN.format(folder=folder, error=str(error).splitlines()[0])) from error


_UNWRITTEN = (
    "{folder}: cannot be written ({error}); what was saved before is kept: make room on the disk and run the same "
    "command again to resume from the last complete checkpoint"
)
