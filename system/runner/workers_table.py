"""The workers of a run as a table for the terminal."""

from collections.abc import Sequence

from rich.table import Table

from system.runner.checker import WorkerReport

HEADINGS = ("machine", "process", "claims", "seconds a claim", "loading, s", "peak memory, GiB", "lost")


def workers_table(workers: Sequence[WorkerReport]) -> Table:
    """A row for each worker, in the order in which they were started."""
    table = Table(title="Workers", title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading)
    for worker in workers:
        mean = f"{worker.seconds / worker.claims:.2f}" if worker.claims else "–"
        table.add_row(
            worker.node,
            str(worker.pid),
            str(worker.claims),
            mean,
            f"{worker.model_load_seconds:.1f}",
            f"{worker.peak_memory_gib:.2f}",
            worker.lost,
        )
    return table
