"""Loading time and memory, kept beside the journal: a resumed run counts its earlier parts."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from system.files.atomic import write_atomically
from system.graph.records import ClaimResult, Record
from system.hardware.machine import peak_memory

FILE = "measured.json"


class WorkerReport(Record):
    """Work of one process with an engine in this part of the run."""

    node: str = ""
    pid: int = 0
    model_load_seconds: float = 0.0
    claims: int = 0  #: how many it has finished
    seconds: float = 0.0  #: sum of their seconds; claims that were in flight together count in full
    peak_memory_gib: float = 0.0

    @classmethod
    def here(cls, load_seconds: float) -> "WorkerReport":
        """Return the report of this process before its first claim."""
        return cls(node=platform.node(), pid=os.getpid(), model_load_seconds=load_seconds)

    def after(self, result: ClaimResult) -> "WorkerReport":
        """Return the report with one more claim."""
        done = {"claims": self.claims + 1, "seconds": self.seconds + result.timing.seconds}
        return self.model_copy(update={**done, "peak_memory_gib": peak_memory()})


class Measured(Record):
    """All parts of a run: the sum of their loading times, the most memory that a process had, and all workers."""

    model_load_seconds: float = 0.0
    peak_memory_gib: float = 0.0
    workers: tuple[WorkerReport, ...] = ()

    def and_part(self, workers: Sequence[WorkerReport]) -> "Measured":
        """Return these parts and one more, whose workers loaded side by side."""
        return Measured(
            model_load_seconds=self.model_load_seconds + max(worker.model_load_seconds for worker in workers),
            peak_memory_gib=max(self.peak_memory_gib, peak_memory(), *(worker.peak_memory_gib for worker in workers)),
            workers=(*self.workers, *workers),
        )


def read_measured(folder: Path) -> Measured:
    """Read the measurements of earlier parts of the run in a folder; zeros without any."""
    try:
        return Measured.model_validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return Measured()


def keep_measured(folder: Path, measured: Measured) -> None:
    """Write them for later parts."""
    write_atomically(folder / FILE, measured.model_dump_json(indent=2).encode())
