"""What outlives the process: jobs that have ended, and the names of those that had not, in one SQLite file."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter

from system.app.service.schema import State
from system.records import Claim, ClaimResult, Content
from system.thoughts import Thought

TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, claim TEXT NOT NULL, budget REAL NOT NULL, state TEXT NOT NULL, thoughts BLOB, result BLOB)"""
THOUGHTS = TypeAdapter(list[Thought[Any]])
Kept = tuple[str, Claim, float, State, list[Thought[Content]], ClaimResult | None]


class Archive:
    """The file; each change is on disk before the call returns. One service, and one thread at a time, may use it.

    Args:
        file: made where it is not there; None keeps nothing beyond the process.

    Raises:
        sqlite3.Error: the file cannot be read or written, or another service has it.
    """

    def __init__(self, file: Path | None) -> None:
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(file or ":memory:", timeout=0, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute(TABLE)
        unfinished = (State.LOST, State.QUEUED)
        self._database.execute("UPDATE jobs SET state = ? WHERE state = ?", unfinished)

    def begin(self, job_id: str, claim: Claim, budget: float) -> None:
        """Keep the name of a job that is to be done."""
        row = (job_id, claim.model_dump_json(), budget, State.QUEUED)
        self._database.execute("INSERT INTO jobs (id, claim, budget, state) VALUES (?, ?, ?, ?)", row)

    def end(self, job_id: str, state: State, thoughts: list[Thought[Content]], result: ClaimResult | None) -> None:
        """Keep what became of a job."""
        drawn = orjson.dumps([thought.model_dump(mode="json") for thought in thoughts])
        row = (state, drawn, result.model_dump_json() if result else None, job_id)
        self._database.execute("UPDATE jobs SET state = ?, thoughts = ?, result = ? WHERE id = ?", row)

    def forget(self, job_id: str) -> None:
        """Drop a job."""
        self._database.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

    def __iter__(self) -> Iterator[Kept]:
        """The jobs that are kept, oldest first; those that had not ended are lost."""
        rows = self._database.execute("SELECT id, claim, budget, state, thoughts, result FROM jobs ORDER BY rowid")
        for job_id, claim, budget, state, thoughts, result in rows.fetchall():
            known = THOUGHTS.validate_json(thoughts) if thoughts else []
            found = ClaimResult.model_validate_json(result) if result else None
            yield job_id, Claim.model_validate_json(claim), budget, State(state), known, found

    def close(self) -> None:
        """Close the file."""
        self._database.close()
