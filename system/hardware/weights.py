"""Weights that a run needs: where they are, and how to fetch them before the clock starts.

A name is a folder, weights that the project carries ("all-MiniLM-L6-v2"), or a repository of the Hugging Face hub,
whose files lie in its cache (``HF_HOME``). With ``HF_HUB_OFFLINE=1`` a run asks the hub for nothing.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

import httpx2
import orjson
from huggingface_hub import constants, snapshot_download

from knowledge_store.dense.openvino import BUNDLED, NAME
from system.models.base import ModelUnavailable, first_line
from system.settings import Settings

GIB = 2**30
PICKLES = "pytorch_model*.bin"  # code, which no fetch brings; the same tensors are there as safetensors


@dataclass(frozen=True)
class Weights:
    """Names that a run loads, by purpose ("model", "encoder", "adapter moderator")."""

    purpose: str
    name: str


def needed(settings: Settings) -> list[Weights]:
    """Return the model, adapters from the hub, and the encoder of a run; other backends have no weights here."""
    models = []
    if settings.model.backend == "vllm":
        named = ((task, name) for task, name in settings.model.adapters.items() if not Path(name).is_dir())
        models = [Weights("model", settings.model.model), *(Weights(f"adapter {task}", name) for task, name in named)]
    return [*models, Weights("encoder", settings.retrieval.encoder)]


def find(name: str) -> Path | None:
    """Return the folder of complete weights, or None if some of their files are not on this machine, or damaged."""
    if name == NAME:
        return BUNDLED
    folder = Path(name)
    if not folder.is_dir():
        try:
            folder = Path(snapshot_download(name, local_files_only=True, ignore_patterns=[PICKLES]))
        except (OSError, ValueError):  # not in the cache, or no name that the hub allows
            return None
    return folder if _complete(folder) else None


def size(folder: Path) -> int:
    """Return the bytes of the tensors in a folder; a pickle is code, and counts as none."""
    return sum(file.stat().st_size for file in folder.glob("*.safetensors"))


def located(name: str) -> str:
    """Return a folder as it is, and the folder of another name, fetched if it is absent.

    Raises:
        ModelUnavailable: see ``fetch``.
    """
    return name if Path(name).is_dir() else str(fetch(name))


def fetch(name: str) -> Path:
    """Download weights, resuming an earlier download.

    Raises:
        ModelUnavailable: the hub does not answer or has no such weights, or the disk has too little room.
    """
    if (folder := find(name)) is not None:
        return folder
    try:
        files = snapshot_download(name, dry_run=True, ignore_patterns=[PICKLES])
        _check_room(name, sum(file.file_size or 0 for file in files if file.will_download))
        folder = Path(snapshot_download(name, ignore_patterns=[PICKLES]))
    except (OSError, ValueError, httpx2.HTTPError) as error:
        raise ModelUnavailable(
            f"{name}: cannot be fetched ({first_line(error)}); check the connection and the name of the "
            "Hugging Face repository, or give a folder that holds the weights"
        ) from error
    if not _complete(folder):
        raise ModelUnavailable(f"{name}: the hub has no weights as safetensors, and a pickle is not read; convert it")
    return folder


def _check_room(name: str, wanted: int) -> None:
    cache = Path(constants.HF_HUB_CACHE)
    cache.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(cache).free
    if wanted > free:
        raise ModelUnavailable(
            f"{name}: {wanted / GIB:.1f} GiB to download, but {cache} has only {free / GIB:.1f} GiB free; "
            "make room, or set HF_HOME to a folder on a larger disk"
        )


def _complete(folder: Path) -> bool:
    """Whether tensors are there, and of weights in several files every one."""
    there = {file.name for file in folder.glob("*.safetensors")}
    try:
        maps = [orjson.loads(index.read_bytes())["weight_map"] for index in folder.glob("*.safetensors.index.json")]
        return bool(there) and all(part in there for parts in maps for part in parts.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # an index that is none
        return False
