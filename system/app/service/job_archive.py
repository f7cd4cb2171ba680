"""An archive that outlives the service, one SQLite file: jobs that have ended, and the names of the others."""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, Json, ValidationError, model_validator

from system.app.service.schema import State
from system.graph.records import Claim, ClaimResult, Content, explain
from system.graph.thoughts import Thought

log = logging.getLogger(__name__)

TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, claim TEXT NOT NULL, budget REAL NOT NULL, state TEXT NOT NULL, thoughts BLOB, result BLOB,
    problem TEXT NOT NULL DEFAULT '')"""
PROBLEM = "ALTER TABLE jobs ADD COLUMN problem TEXT NOT NULL DEFAULT ''"  # which earlier files have not
ENDED = """INSERT INTO jobs (id, claim, budget, state, thoughts, result, problem) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, thoughts = excluded.thoughts, result = excluded.result,
    problem = excluded.problem"""
ENDS = (State.DONE, State.FAILED, State.CANCELLED, State.LOST)


class Kept(BaseModel):
    """A row: a job that has ended."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(min_length=1)
    claim: Json[Claim]
    budget: float = Field(gt=0, allow_inf_nan=False)
    state: State
    thoughts: Annotated[Json[list[Thought[Any]]] | None, Field()] = None
    result: Json[ClaimResult] | None = None
    problem: str = ""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.state not in ENDS or (self.state is State.DONE) != (self.result is not None):
            raise ValueError("expected a job that has ended, with its result if it is done")
        return self


class JobArchive:
    """The file; each change is on disk before the call returns. One service, and one thread at a time, may use it.

    A job that had not ended when the file was closed is lost: it is marked so as its row is read.

    Args:
        file: made where it is not there; None keeps nothing beyond the process.

    Raises:
        OSError, sqlite3.Error: the file cannot be read or written, or another service has it.
    """

    def __init__(self, file: Path | None) -> None:
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
        self._file = file
        self._database = sqlite3.connect(file or ":memory:", timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._execute("PRAGMA locking_mode = EXCLUSIVE")
            self._execute(TABLE)
            if "problem" not in [name for _, name, *_ in self._execute("PRAGMA table_info(jobs)")]:
                self._execute(PROBLEM)
            self._execute("UPDATE jobs SET state = state WHERE FALSE")  # takes the file for writing, and reads no row
            self._rows = [row for (row,) in self._execute("SELECT rowid FROM jobs ORDER BY rowid")]
        except sqlite3.Error:
            self.close()
            raise

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except UnicodeDecodeError as error:  # sqlite3 decodes names of columns, and messages that quote what is damaged
            raise sqlite3.DatabaseError(f"the file is damaged ({error})") from error

    def begin(self, job_id: str, claim: Claim, budget: float) -> None:
        """Keep the name of a job that is to be done."""
        row = (job_id, claim.model_dump_json(), budget, State.QUEUED)
        self._execute("INSERT INTO jobs (id, claim, budget, state) VALUES (?, ?, ?, ?)", row)

    def end(
        self,
        job_id: str,
        claim: Claim,
        budget: float,
        state: State,
        thoughts: list[Thought[Content]],
        result: ClaimResult | None,
        problem: str = "",
    ) -> None:
        """Keep what became of a job, or why nothing did."""
        drawn = orjson.dumps([thought.model_dump(mode="json") for thought in thoughts])
        found = result.model_dump_json() if result else None
        self._execute(ENDED, (job_id, claim.model_dump_json(), budget, state, drawn, found, problem))

    def forget(self, job_id: str) -> None:
        """Drop a job."""
        self._execute("DELETE FROM jobs WHERE id = ?", (job_id,))

    def __iter__(self) -> Iterator[Kept]:
        """The jobs that were kept when the file was opened, oldest first; rows that cannot be read are logged."""
        for row in self._rows:
            try:
                self._execute(
                    "UPDATE jobs SET state = ? WHERE rowid = ? AND state = ?", (State.LOST, row, State.QUEUED)
                )
                with closing(self._execute("SELECT * FROM jobs WHERE rowid = ?", (row,))) as found:
                    names = [name for name, *_ in found.description]
                    yield Kept(**dict(zip(names, found.fetchone(), strict=True)))
            except (sqlite3.Error, ValidationError, TypeError) as error:
                faults = isinstance(error, ValidationError) and error.errors(include_url=False)
                reason = explain(faults[0], quoting=False) if faults else error
                log.warning("%s: row %s cannot be read and is skipped (%s)", self._file, row, reason)

    def close(self) -> None:
        """Close the file."""
        self._database.close()
