"""The output folder: whether a run may use it, and what is kept of the run itself."""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import orjson

from system.journal import Journal, JournalError, identity_of, read_identity
from system.machine import describe
from system.records import Claim
from system.runner.ranking_pool import store_file
from system.settings import Settings

# What a machine can do may change between a run and its resumption; it changes no result.
WITHOUT_EFFECT = {"max_concurrent_claims", "workers", "prefetch"}
OUTPUTS = (
    "submission.json", "submission.csv", "timings.json", "timings.csv", "measured_timings.txt", "trace.jsonl",
    "run.json", "report.html", "graphs", "figures",
)  # fmt: skip


def open_journal(folder: Path, identity: dict[str, str], *, resume: bool, overwrite: bool) -> Journal:
    """Open the journal of an output folder; an earlier run's results are never silently replaced.

    Raises:
        JournalError: the folder holds a run and neither ``resume`` nor ``overwrite`` says what to do with it, or it
            holds another run than the one to be resumed, or a run is writing there now.
    """
    path = folder / "journal.jsonl"
    if not (resume or overwrite) and _holds_results(path):
        raise JournalError(
            f"{folder} already holds a run: --resume continues it, --overwrite replaces it, "
            "--output names another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(path, identity, resume)
    if not journal.finished:
        _clear(folder)
    return journal


def _holds_results(journal: Path) -> bool:
    """Whether anything stands in a journal behind its first line: a run that failed as it began has left nothing."""
    try:
        with journal.open("rb") as lines:
            return bool(lines.readline() and lines.readline())
    except FileNotFoundError:
        return False


def holds_same_claims(folder: Path, identity: dict[str, str]) -> bool:
    """Whether the folder's earlier run was over the same claims, so that a new one may replace it."""
    before = read_identity(folder / "journal.jsonl")
    return before.get("claims") == identity["claims"]


def run_identity(settings: Settings, claims: list[Claim], store: Path) -> dict[str, str]:
    """What must be equal for a run to be continued: the settings that can change a result, the claims, the stores."""
    tree = settings.model_dump(mode="json")
    tree["run"] = {name: value for name, value in tree["run"].items() if name not in WITHOUT_EFFECT}
    texts = orjson.dumps([claim.model_dump(mode="json") for claim in claims])
    files = orjson.dumps([_stamp(store_file(store, claim)) for claim in claims])
    inputs = [
        ("claims", f"{len(claims)} claims, sha256 {hashlib.sha256(texts).hexdigest()[:16]}"),
        ("knowledge store", f"{store.resolve()}, files {hashlib.sha256(files).hexdigest()[:16]}"),
    ]
    return identity_of(tree, inputs)


def write_run_report(folder: Path, settings: Settings, facts: dict[str, Any]) -> None:
    """Write ``run.json``: the facts of the run, the resolved settings, the machine and the versions."""
    report = {**facts, "settings": settings.model_dump(mode="json"), "machine": describe()}
    write_whole(folder / "run.json", orjson.dumps(report, option=orjson.OPT_INDENT_2))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _clear(folder: Path) -> None:
    """Remove what an earlier run left, so that no file of two runs stand side by side."""
    for name in OUTPUTS:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _stamp(file: Path) -> tuple[str, int, int]:
    try:
        status = file.stat()
    except OSError:
        return file.name, -1, -1
    return file.name, status.st_size, status.st_mtime_ns
