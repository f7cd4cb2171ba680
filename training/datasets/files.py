"""Writing a data set: JSON Lines, whole or not at all, with a card beside it."""

import hashlib
import os
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson

from training.datasets.leakage import LEAKED_TEXT, HeldOut, texts_of
from training.datasets.samples import DataSet, Drops, Renderer, Sample, rendered
from training.errors import TrainingError

REPEATED = "sample repeated"
LICENCE = "AVeriTeC (Schlichtkrull et al., 2023), CC BY-NC 4.0; the licence holds for what is made of it"
VERSIONS = ("got-factcheck", "pydantic", "sentence-transformers", "transformers")


@dataclass(frozen=True)
class Making:
    """How data sets are made: the same for all of them.

    Attributes:
        folder: where they are written.
        facts: what all cards say.
    """

    folder: Path
    renderer: Renderer
    held_out: HeldOut
    facts: dict[str, Any]


def write_data_set(data: DataSet, making: Making) -> dict[str, Any]:
    """Write a data set and its card; returns the card.

    Dropped and counted: samples that do not fit the engine, that repeat another, or that repeat a held-out claim.

    Raises:
        TrainingError: the disk is full or the folder cannot be written; no half file is left, earlier files stay.
    """
    drops = Drops(data.drops)
    lines, kept = _lines(data, making, drops)
    path = making.folder / f"{data.name}.jsonl"
    content = b"".join(lines)
    card = {**_card(data.name, kept, drops), **data.notes, **making.facts}
    card["file"] = {"name": path.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    write_whole(path, content)
    write_whole(
        path.with_suffix(".card.json"), orjson.dumps(card, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    )
    return card


def sha256_of(path: Path) -> str:
    """Hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        TrainingError: it cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise TrainingError(
            f"{path}: cannot be written ({error.strerror}); make room and give the same command again: "
            "data sets that are complete and work in journals are kept"
        ) from error


def _lines(data: DataSet, making: Making, drops: Drops) -> tuple[list[bytes], list[Sample]]:
    lines: list[bytes] = []
    kept: list[Sample] = []
    seen: set[bytes] = set()
    for sample in data.samples:
        line = rendered(sample, making.renderer, drops)
        if line is None:
            continue
        content = orjson.dumps({key: value for key, value in line.items() if key not in ("id", "claim_id")})
        if content in seen:
            drops[REPEATED] += 1
        elif any(map(making.held_out.in_text, texts_of(line))):
            drops[LEAKED_TEXT] += 1
        else:
            lines.append(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            kept.append(sample)
        seen.add(content)
    return lines, kept


def _card(name: str, kept: list[Sample], drops: Drops) -> dict[str, Any]:
    return {
        "data set": name,
        "samples": len(kept),
        "claims": len({sample.task.claim.id for sample in kept}),
        "labels": dict(Counter(str(sample.label) for sample in kept).most_common()),
        "kinds": dict(Counter(sample.kind for sample in kept).most_common()),
        "dropped": {reason: count for reason, count in drops.most_common() if count},
        "licence": LICENCE,
        "versions": {package: version(package) for package in VERSIONS},
    }
