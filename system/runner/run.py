"""A run: many claims, several at a time, each safe on disk before it counts; and the folder of its outputs.

Claims are checked by this process (``LocalChecker``) or by the actors of a Ray cluster (``cluster.ClusterChecker``).

    async with LocalChecker(engine, store, claims) as checker:
        results = await run(checker.check, checker.places, claims, output, journal)
"""

import asyncio
import hashlib
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from time import perf_counter
from typing import Any

import orjson

from knowledge_store.pages.page import shown_path
from knowledge_store.progress import progress_bar
from system.check import Engine
from system.checker import Checker, each
from system.collection import StoreCollection, store_file
from system.files.atomic import write_atomically
from system.files.journal import Journal, JournalError, identity_of, read_identity
from system.graph.records import Claim, ClaimResult
from system.hardware.machine import describe_machine
from system.runner.measured import WorkerReport
from system.settings import Settings


class CheckerError(Exception):
    """No claim can be checked any more, or none ever could; what is finished is in the journal."""


class LocalChecker:
    """One engine with its collection; an async context manager that closes both.

    Args:
        store: folder with one store per claim id, or one file for all.
        claims: all that will be checked.
        load_seconds: what loading the engine took.
        own: whether the documents are the user's own.
    """

    def __init__(
        self, engine: Engine, store: Path, claims: Sequence[Claim], load_seconds: float = 0.0, *, own: bool = False
    ) -> None:
        self._engine, self._claims = engine, claims
        self._collection = StoreCollection(store, engine.settings, own=own)
        self._batch = Checker(engine).batch(self._collection)
        self.places = self._batch.places
        self.workers = [WorkerReport.here(load_seconds)]

    async def __aenter__(self) -> "LocalChecker":
        await self._collection.open(self._claims)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._collection.close()
        await self._engine.model.close()

    async def check(self, claim: Claim) -> tuple[ClaimResult, bytes]:
        """Check a claim; return its result with the graph as JSON."""
        checked = await self._batch.check(claim)
        self.workers = [self.workers[0].after(checked.result)]
        return checked.result, orjson.dumps(checked.graph.to_json())


async def run(
    check: Callable[[Claim], Awaitable[tuple[ClaimResult, bytes]]],
    places: int,
    claims: Sequence[Claim],
    output: Path,
    journal: Journal,
) -> list[ClaimResult]:
    """Check the claims that the journal does not hold yet, ``places`` at a time; return all results in order.

    ``check`` returns a result with the graph as JSON, which goes to a folder of ``output``.

    Raises:
        CheckerError: no worker is left.
        JournalError: a claim cannot be written.
    """
    done = {result.claim.id for result in journal.finished}
    graphs = output / "graphs"
    graphs.mkdir(parents=True, exist_ok=True)
    left = [claim for claim in claims if claim.id not in done]
    earlier = max((result.timing.finished_at for result in journal.finished), default=0.0)
    began = perf_counter()
    with progress_bar(total=len(claims), initial=len(done), unit="claim", desc="checking", smoothing=0.05) as progress:
        async with aclosing(each(check, left, places)) as checks:
            async for result, graph in checks:
                timing = result.timing.model_copy(update={"finished_at": earlier + perf_counter() - began})
                try:
                    await asyncio.to_thread(write_atomically, graphs / f"{result.claim.id}.json", graph)
                    journal.append(result.model_copy(update={"timing": timing}))
                except OSError as error:
                    raise JournalError(
                        f"{output}: claim {result.claim.id} cannot be written ({error.strerror}); the "
                        f"{len(journal.finished)} claims before it are safe: make room, then use --resume"
                    ) from error
                progress.update()
    return in_order(journal, claims)


def in_order(journal: Journal, claims: Sequence[Claim]) -> list[ClaimResult]:
    """Return the results of claims, all of which the journal holds."""
    by_id = {result.claim.id: result for result in journal.finished}
    return [by_id[claim.id] for claim in claims]


OUTPUTS = (
    "submission.json", "submission.csv", "timings.json", "timings.csv", "measured_timings.txt", "trace.jsonl",
    "run.json", "report.html", "graphs", "figures", "measured.json",
)  # fmt: skip


def open_journal(folder: Path, identity: dict[str, str], *, resume: bool, overwrite: bool) -> Journal:
    """Open the journal of an output folder; an earlier run's results are never silently replaced.

    Raises:
        JournalError: an earlier run has neither option, is not the one to be resumed, or is still writing.
    """
    path = folder / "journal.jsonl"
    # A run that failed as it began has left no more than the first line, which names the run.
    if not (resume or overwrite) and path.exists() and len(path.read_bytes().splitlines()) > 1:
        raise JournalError(f"{folder} already holds a run; give --resume, --overwrite or another --output")
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(path, identity, resume)
    if not journal.finished:
        _clear(folder)
    return journal


def check_claims(journal: Journal, claims: Sequence[Claim]) -> None:
    """Check that a journal holds only results of these claims; a ``JournalError`` names the line of another."""
    by_id = {claim.id: claim for claim in claims}
    for number, result in enumerate(journal.finished, start=2):  # the first line names the run
        if result.claim != by_id.get(result.claim.id):
            raise JournalError(
                f"{journal.path}, line {number}: expected a claim of this run, got {result.claim.id} "
                f"{result.claim.text!r:.60}; delete this line to have its work done again, or start over with "
                "--overwrite or another --output"
            )


def holds_same_claims(folder: Path, identity: dict[str, str]) -> bool:
    """Return whether the folder's earlier run was over the same claims, so that a new one may replace it."""
    return read_identity(folder / "journal.jsonl").get("claims") == identity["claims"]


def run_identity(settings: Settings, claims: list[Claim], store: Path) -> dict[str, str]:
    """Return what must be equal for a run to resume: settings that can change a result, claims, stores."""
    tree = settings.model_dump(mode="json", exclude={"run": {"max_concurrent_claims", "workers"}})
    texts = orjson.dumps([claim.model_dump(mode="json") for claim in claims])
    files = orjson.dumps([_stamp(store_file(store, claim)) for claim in claims])
    claimed = f"{len(claims)} claims, sha256 {hashlib.sha256(texts).hexdigest()[:16]}"
    stored = f"{store.resolve()}, files {hashlib.sha256(files).hexdigest()[:16]}"
    return identity_of(tree, [("claims", claimed), ("knowledge store", stored)])


def write_run_report(folder: Path, settings: Settings, facts: dict[str, Any]) -> None:
    """Write ``run.json``: the facts of the run, the resolved settings, the machine and the versions."""
    report = {**facts, "settings": settings.model_dump(mode="json"), "machine": describe_machine()}
    write_atomically(folder / "run.json", orjson.dumps(report, option=orjson.OPT_INDENT_2))


def _clear(folder: Path) -> None:
    """Remove what an earlier run left, so that files of two runs never stand side by side."""
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
        return shown_path(file.name), -1, -1
    return shown_path(file.name), status.st_size, status.st_mtime_ns
