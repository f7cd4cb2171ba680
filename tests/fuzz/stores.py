"""Targets that hold more than one file or row: LoRA adapters, and the service's file of jobs."""

import sqlite3
from pathlib import Path

import orjson
import torch
from safetensors.torch import save
from torch import nn

from system.app.service.job_archive import JobArchive
from system.app.service.schema import State
from system.graph.records import Claim, ClaimResult
from system.models.adapters import check_adapter
from system.models.base import ModelUnavailable

LAYER = nn.ModuleDict({"q_proj": nn.Linear(8, 6, device="meta")})
_CONFIG = {
    "peft_type": "LORA",
    "r": 2,
    "lora_alpha": 4,
    "target_modules": ["q_proj"],
    "use_dora": False,
    "bias": "none",
}
_SHAPES = {"A": (2, 8), "B": (6, 2)}
_TENSORS = save({f"base_model.model.q_proj.lora_{name}.weight": torch.ones(shape) for name, shape in _SHAPES.items()})
FILES = {"adapter_config.json": orjson.dumps(_CONFIG), "adapter_model.safetensors": _TENSORS}
ADAPTERS = (*(bytes([number]) + data for number, data in enumerate(FILES.values())), b"\x00[]", b"\x00" + b"[" * 4000)
"""The first byte says which of the two files the rest is."""


def adapter(data: bytes, folder: Path) -> None:
    """One file of an adapter, the other is sound: it fits, or an error names the folder."""
    place = folder / "adapter"
    place.mkdir(exist_ok=True)
    for number, (name, sound) in enumerate(FILES.items()):
        mutated = data and data[0] % 2 == number
        (place / name).write_bytes(data[1:] if mutated else sound)
    try:
        config = check_adapter(place, LAYER)
    except ModelUnavailable as error:
        assert str(place) in str(error), f"the message does not name the folder: {error}"
    else:
        assert config.r == 2 and config.target_modules


def jobs_of(result: ClaimResult) -> tuple[bytes, ...]:
    """First values of a row's columns; the first byte says of which."""
    claim = Claim(id=0, text="The bridge opened in 1932.").model_dump_json().encode()
    values = (claim, b"60.0", b"done", b"[]", result.model_dump_json().encode())
    return tuple(bytes([number]) + value for number, value in enumerate(values))


COLUMNS = ("claim", "budget", "state", "thoughts", "result")


def jobs(data: bytes, folder: Path) -> None:
    """One value of one row of the jobs: the archive opens, and the other row is there."""
    file = folder / "jobs.sqlite"
    file.unlink(missing_ok=True)
    claim = Claim(id=0, text="The bridge opened in 1932.")
    archive = JobArchive(file)
    for name in ("bad", "good"):
        archive.end(name, claim, 60.0, State.FAILED, [], None)
    archive.close()
    with sqlite3.connect(file) as database:
        column = COLUMNS[data[0] % len(COLUMNS)] if data else COLUMNS[0]
        database.execute(f"UPDATE jobs SET {column} = CAST(? AS TEXT) WHERE id = 'bad'", (data[1:],))
    database.close()
    again = JobArchive(file)
    try:
        kept = list(again)
        assert kept[-1].id == "good" and all(one.model_dump_json() for one in kept)
    finally:
        again.close()
