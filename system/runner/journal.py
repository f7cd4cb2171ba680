"""The journal: every finished claim on disk before it counts, so that a killed run goes on where it was.

One JSON object a line. The first line says of which run this is the journal; each further line is a finished claim, or
another record of work that is too dear to be done twice.
"""

import fcntl
import os
from collections.abc import Iterable
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import orjson
from pydantic import ValidationError

from system.records import ClaimResult, Record

R = TypeVar("R", bound=Record)


class JournalError(Exception):
    """The journal cannot be used; the message says why and what to do."""


class RecordJournal(Generic[R]):
    """The journal of one output folder; a context manager that locks it against a second run.

    Attributes:
        finished: all records so far, in the order in which they were written.

    Args:
        path: the file.
        identity: what must be the same for a run to be continued: settings and input, as flat text values.
        resume: continue what the file holds; otherwise begin anew.
        kind: type of the records.

    Raises:
        JournalError: another run holds the file, it belongs to another run, or a line within it is damaged.
    """

    def __init__(self, path: Path, identity: dict[str, str], resume: bool, kind: type[R]) -> None:
        self._path = path
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
                f"{self._path}: another run is writing here; wait for it, or give another --output"
            ) from error

    def _begin(self, identity: dict[str, str], resume: bool) -> None:
        lines = self._complete_lines() if resume else []
        if lines:
            self._check_identity(self._parse_identity(lines[0]), identity)
            self.finished = [self._parse(number, line) for number, line in enumerate(lines[1:], start=2)]
        else:
            self._file.truncate(0)
            self._write({"identity": identity})

    def _complete_lines(self) -> list[bytes]:
        """The lines that were written whole; what a kill left of a last one is cut off."""
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._file.truncate(len(whole))
        return whole.splitlines()

    def _check_identity(self, before: dict[str, str], now: dict[str, str]) -> None:
        changed = [
            f"{name} was {before.get(name)!r} and is {now.get(name)!r}"
            for name in sorted(before.keys() | now.keys())
            if before.get(name) != now.get(name)
        ]
        if changed:
            raise JournalError(
                f"{self._path}: cannot resume, for this is another run: {'; '.join(changed)}. "
                "Restore these, or begin anew with --overwrite or another --output"
            )

    def _parse_identity(self, line: bytes) -> dict[str, str]:
        identity = _identity(line)
        if identity is None:
            raise JournalError(
                f"{self._path}, line 1: expected the identity of a run, found {line[:60]!r}…; "
                "this is no journal: begin anew with --overwrite or another --output"
            )
        return identity

    def _parse(self, number: int, line: bytes) -> R:
        try:
            return self._kind.model_validate_json(line)
        except ValidationError as error:
            raise JournalError(
                f"{self._path}, line {number}: expected a finished claim, found {line[:60]!r}…; "
                "the file was damaged: delete this line to have its claim checked again"
            ) from error

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


def read_identity(path: Path) -> dict[str, str]:
    """The identity of the run whose journal this is; empty where there is none or it cannot be read."""
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
    return {**dict(_flatten(settings, "")), **dict(inputs)}


def _identity(line: bytes) -> dict[str, str] | None:
    try:
        identity = orjson.loads(line)["identity"]
    except (ValueError, KeyError, TypeError):
        return None
    return identity if isinstance(identity, dict) else None


def _flatten(tree: dict[str, Any], prefix: str) -> Iterable[tuple[str, str]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value)
