"""The journal: expensive work is saved before it counts, so that a killed run can resume.

One JSON object a line: finished claims, or records of another kind. The first line may say which run it belongs to.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import orjson
from pydantic import ValidationError

from knowledge_store.pages.page import shown_path
from system.graph.records import ClaimResult, Record, explain

R = TypeVar("R", bound=Record)


class JournalError(Exception):
    """The journal cannot be used; the message says why and what to do."""


class RecordJournal(Generic[R]):
    """A file of records; a context manager that locks it against a second run.

    Attributes:
        finished: all records so far, in the order in which they were written.

    Args:
        path: the file.
        identity: what must be the same for a run to resume: settings and input, as flat text values. None for a
            file that runs may share.
        resume: continue what the file holds; otherwise start over.
        kind: type of the records.

    Raises:
        JournalError: another run holds the file, it belongs to another run, or a line within it is damaged.
    """

    def __init__(self, path: Path, identity: dict[str, str] | None, resume: bool, kind: type[R]) -> None:
        self.path = path
        self._kind = kind
        self.finished: list[R] = []
        self._file: FileIO = path.open("a+b", buffering=0)
        try:
            self._lock()
            self._begin(identity, resume)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, result: R) -> None:
        """Write a record and wait until it is on the disk.

        Raises:
            OSError: the disk is full or gone; what was written before stays readable.
        """
        self._write(result.model_dump(mode="json"))
        self.finished.append(result)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise JournalError(
                f"{self.path}: another run is writing here; wait for it, or give another --output"
            ) from error

    def _begin(self, identity: dict[str, str] | None, resume: bool) -> None:
        lines = self._complete_lines() if resume else []
        first = 1 if identity is None else 2
        if len(lines) < first and not (lines and _identity(lines[0]) is None):  # nothing, or no record of another run
            lines = []
            self._file.truncate(0)
            if identity is not None:
                self._write({"identity": identity})
        elif identity is not None:
            self._check_identity(lines[0], identity)
        self.finished = [
            _parsed(self._kind, self.path, number, line) for number, line in enumerate(lines[first - 1 :], start=first)
        ]

    def _complete_lines(self) -> list[bytes]:
        """The lines that were written whole; what a kill left of a last one is cut off."""
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            self._file.truncate(len(whole))
        return whole.splitlines()

    def _check_identity(self, line: bytes, now: dict[str, str]) -> None:
        if (before := _identity(line)) is None:
            raise JournalError(
                f"{self.path}, line 1: expected the identity of a run, got {line[:60]!r}…; "
                "this is not a journal: start over with --overwrite or another --output"
            )
        changed = [
            f"{name} was {before.get(name)!r} and is {now.get(name)!r}"
            for name in sorted(before.keys() | now.keys())
            if before.get(name) != now.get(name)
        ]
        if changed:
            raise JournalError(
                f"{self.path}: cannot resume, because this is another run: {'; '.join(changed)}. "
                "Restore these, or start over with --overwrite or another --output"
            )

    def _write(self, value: Any) -> None:
        line = memoryview(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))
        end = self._file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(end)  # half a line would spoil the next one
            raise


class Journal(RecordJournal[ClaimResult]):
    """The journal of a run: its finished claims."""

    def __init__(self, path: Path, identity: dict[str, str], resume: bool) -> None:
        super().__init__(path, identity, resume, ClaimResult)


def read_finished(path: Path) -> list[ClaimResult]:
    """Read the finished claims of a run's journal without locking it.

    Raises:
        JournalError: there is no such file, or a line is damaged.
    """
    try:
        lines = path.read_bytes().split(b"\n")[1:-1]  # the first line names the run
    except OSError as error:
        raise JournalError(f"{path}: expected the journal of a run ({error.strerror})") from error
    return [_parsed(ClaimResult, path, number, line) for number, line in enumerate(lines, start=2)]


def _parsed(kind: type[R], path: Path, number: int, line: bytes) -> R:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        fault = explain(error.errors()[0], "the line")
        raise JournalError(
            f"{path}, line {number}: expected a finished piece of work; {fault}; delete this line to have its work "
            "done again with --resume, or start over with --overwrite or another --output"
        ) from error


def read_identity(path: Path) -> dict[str, str]:
    """The identity of the run whose journal this is; empty without one, or if it cannot be read."""
    try:
        with path.open("rb") as file:
            return _identity(file.readline()) or {}
    except OSError:
        return {}


def identity_of(settings: dict[str, Any], inputs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Flatten settings and name the inputs, so that a difference can be told by name.

    >>> identity_of({"graph": {"depth": 3}}, [("claims", "dev.json")])
    {'graph.depth': '3', 'claims': 'dev.json'}
    """
    return {**dict(flat(settings)), **{name: shown_path(value) for name, value in inputs}}


def _identity(line: bytes) -> dict[str, str] | None:
    try:
        identity = orjson.loads(line)["identity"]
    except (ValueError, KeyError, TypeError):
        return None
    return identity if isinstance(identity, dict) else None


def flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The leaves of nested settings with their full names.

    >>> dict(flat({"graph": {"depth": 3}, "strategy": "got"}))
    {'graph.depth': '3', 'strategy': 'got'}
    """
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value)
