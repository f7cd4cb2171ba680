"""The state of a training's folder: the settings that must match to resume, and the checkpoint to resume from."""

import json
import shutil
from pathlib import Path
from typing import Any

from training import TrainingError

RECORD = "training.json"
CONFIG = "adapter_config.json"  # PEFT writes it after the adapter's weights
STATE = "trainer_state.json"  # the last file of a checkpoint that is written


def open_folder(folder: Path, settings: dict[str, Any]) -> None:
    """Record the settings of a training, or check that they equal the recorded ones.

    Raises:
        TrainingError: the folder holds another training; the message names the first difference.
    """
    settings = json.loads(json.dumps(settings))
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
    """Read the settings of the training in a folder.

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
