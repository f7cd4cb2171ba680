"""The judge's replies on disk, by what was asked: nothing is asked twice, and a run that was stopped goes on."""

import fcntl
import json
import os
from io import FileIO
from pathlib import Path
from types import TracebackType

from submission.files import SubmissionError


class ReplyJournal:
    """A JSON Lines file of replies; a context manager that locks it against a second run.

    Several runs, predictions and judges may share a file: a reply is found by its key, which names all that it
    depends on.

    Raises:
        SubmissionError: the file cannot be written, another run holds it, or a line within it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: FileIO = path.open("a+b", buffering=0)
        except OSError as error:
            raise SubmissionError(
                f"{path}: replies cannot be kept here ({error.strerror}); give another place with --judgements"
            ) from error
        try:
            self._lock()
            self._replies = self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "ReplyJournal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def get(self, key: str) -> str | None:
        """The reply that was kept under a key."""
        return self._replies.get(key)

    def append(self, key: str, reply: str, claim_id: int) -> None:
        """Keep a reply and wait until it is on the disk; the claim's id is for people who read the file.

        Raises:
            SubmissionError: the disk is full or gone; what was written before stays readable.
        """
        line = memoryview((json.dumps({"key": key, "claim_id": claim_id, "reply": reply}) + "\n").encode())
        end = self._file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._file.truncate(end)  # half a line would spoil the next one
            raise SubmissionError(f"{self._path}: a reply cannot be kept ({error.strerror}); make room") from error
        self._replies[key] = reply

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SubmissionError(
                f"{self._path}: another run is writing here; wait for it, or give another place with --judgements"
            ) from error

    def _read(self) -> dict[str, str]:
        """All replies; what a kill left of a last line is cut off."""
        self._file.seek(0)
        data = self._file.readall() or b""
        whole = data[: data.rfind(b"\n") + 1]
        self._file.truncate(len(whole))
        return dict(self._entry(number, line) for number, line in enumerate(whole.splitlines(), start=1))

    def _entry(self, number: int, line: bytes) -> tuple[str, str]:
        try:
            entry = json.loads(line)
            return str(entry["key"]), str(entry["reply"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SubmissionError(
                f"{self._path}: line {number}: expected a kept reply, came {line[:60]!r}; the file was damaged or is "
                "another one: delete the line to have the judge asked again, or give another place with --judgements"
            ) from error
