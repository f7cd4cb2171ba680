"""The state of a training: the checkpoint to resume from, and the identity that must match."""

import json
import shutil
from pathlib import Path
from typing import Any

from training import TrainingError

RECORD = "training.json"
CONFIG = "adapter_config.json"  # of an adapter; PEFT writes it behind the weights
STATE = "trainer_state.json"  # of a checkpoint; the last thing that is written of it


def open_folder(folder: Path, settings: dict[str, Any]) -> None:
    """Record what is trained in a folder, or check that it is what was recorded before.

    Raises:
        TrainingError: the folder holds another training; the message says what differs.
    """
    record = folder / RECORD
    settings = json.loads(json.dumps(settings))
    if not record.exists():
        folder.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
        return
    before = read_record(folder)
    differing = [name for name in settings if before.get(name) != settings[name]]
    if differing:
        name = differing[0]
        raise TrainingError(
            f"{folder} holds a training run with other settings: "
            f"{name} was {before.get(name)!r}, now {settings[name]!r}; "
            "give another --output, or remove the folder to start over"
        )


def read_record(folder: Path) -> dict[str, Any]:
    """Read the record of the training in a folder.

    Raises:
        TrainingError: the folder has no record that can be read.
    """
    try:
        record: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TrainingError(
            f"{folder / RECORD} not found; expected the folder of an adapter that 'python -m training train' wrote"
        ) from error
    except (OSError, ValueError) as error:
        raise TrainingError(f"cannot read {folder / RECORD} ({error}); train the adapter again") from error
    return record


def finished(folder: Path) -> bool:
    """Whether the adapter of a folder is trained."""
    return (folder / CONFIG).exists()


def last_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written whole; broken ones, as a full disk leaves them, are removed."""
    found = sorted((folder / "checkpoints").glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1]))
    for checkpoint in reversed(found):
        if _whole(checkpoint):
            return checkpoint
        shutil.rmtree(checkpoint)
    return None


def _whole(checkpoint: Path) -> bool:
    try:
        json.loads((checkpoint / STATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True
