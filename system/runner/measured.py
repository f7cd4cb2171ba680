"""Loading time and memory, kept beside the journal: a resumed run counts its earlier parts."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from system.files.atomic import write_atomically
from system.graph.records import Record
from system.hardware.machine import peak_memory
from system.runner.checker import WorkerReport

FILE = "measured.json"


class Measured(Record):
    """All parts of a run together.

    Attributes:
        model_load_seconds: sum over the parts; workers of one part load side by side.
        peak_memory_gib: most resident memory of the program and its workers.
        workers: those of all parts.
    """

    model_load_seconds: float = 0.0
    peak_memory_gib: float = 0.0
    workers: tuple[WorkerReport, ...] = ()

    def and_part(self, workers: Sequence[WorkerReport]) -> "Measured":
        """These parts and one more, by its workers so far."""
        return Measured(
            model_load_seconds=self.model_load_seconds + max(worker.model_load_seconds for worker in workers),
            peak_memory_gib=max(self.peak_memory_gib, peak_memory(), *(worker.peak_memory_gib for worker in workers)),
            workers=(*self.workers, *workers),
        )


def read_measured(folder: Path) -> Measured:
    """Measurements of earlier parts of the run in a folder; zeros without any."""
    try:
        return Measured.model_validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return Measured()


def keep_measured(folder: Path, measured: Measured) -> None:
    """Write it for later parts."""
    write_atomically(folder / FILE, measured.model_dump_json(indent=2).encode())
