"""The work of ``factgraph run``: check what is left of a file of claims, and write what a run leaves."""

import sys
from collections.abc import Mapping, Sequence
from filecmp import cmpfiles
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from knowledge_store.pages.page import shown_path
from submission.report import write_report
from submission.tables import print_summary
from submission.write import Written, write_outputs
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, EXIT_INTERRUPTED, RunOptions
from system.check import load_engine
from system.deadline import longest
from system.files.journal import Journal
from system.graph.records import Claim, ClaimResult
from system.models.loop_thread import run_loop
from system.report.timings import RunFacts
from system.runner.measured import Measured, WorkerReport, keep_measured, read_measured
from system.runner.run import (
    OUTPUTS,
    CheckerError,
    LocalChecker,
    check_claims,
    holds_same_claims,
    in_order,
    open_journal,
    run,
    run_identity,
    write_run_report,
)
from system.settings import CLAIM_LIMIT, Settings

if TYPE_CHECKING:
    from system.runner.cluster import ClusterChecker

NOT_ALWAYS = ("trace.jsonl", "figures", "measured.json")  # nor in the runs of earlier versions
OF_CLAIMS = ("submission.json", "submission.csv", "timings.csv")  # what the journal alone decides
HEADINGS = ("machine", "process", "claims", "seconds per claim", "loading, s", "peak memory, GiB", "lost")


def check_file(args: RunOptions, given: Mapping[str, Any] | None) -> int:
    """Check a file of claims and write the submission, the time report and the HTML report."""
    settings = common.settings_of(given, documents=bool(args.documents))
    claims_file, claims, store = common.inputs_of(args, settings)
    identity = run_identity(settings, claims, store)
    overwrite = args.overwrite or (not args.claims and not args.resume and holds_same_claims(args.output, identity))

    with open_journal(args.output, identity, resume=args.resume, overwrite=overwrite) as journal:
        check_claims(journal, claims)
        try:
            checked = _check_what_is_left(args, settings, store, claims, journal)
        except KeyboardInterrupt:
            done = len(journal.finished)
            print(f"stopped with {done} of {len(claims)} claims done; resume with --resume", file=sys.stderr)
            return EXIT_INTERRUPTED
        results, measured = in_order(journal, claims), read_measured(args.output)
        facts = _facts(settings, results, measured)
        if checked or not _is_written(args.output, results, facts):
            inputs: dict[str, Any] = {"claims_file": shown_path(claims_file), "store": shown_path(store)}
            inputs |= {"documents": True} if args.documents else {}  # the report then opens with the claims
            written = _write(args.output, results, settings, facts, inputs, measured)
        else:  # a run that checks nothing changes nothing
            written = Written.of(args.output)
    print_summary(results, facts, written)
    if args.ray:
        Console().print(workers_table(measured.workers))
    print(args.output / "report.html")
    return EXIT_FAILED_CLAIMS if any(result.failed for result in results) else 0


def _check_what_is_left(
    args: RunOptions, settings: Settings, store: Path, claims: list[Claim], journal: Journal
) -> bool:
    """Check the claims that the journal does not hold; whether there were any, for which alone an engine is loaded."""
    if {claim.id for claim in claims} <= {result.claim.id for result in journal.finished}:
        return False
    run_loop(_run(_checker(args, settings, store, claims), claims, args.output, journal))
    return True


def _checker(args: RunOptions, settings: Settings, store: Path, claims: list[Claim]) -> "LocalChecker | ClusterChecker":
    """Who checks the claims: this process, or with --ray the workers of a cluster."""
    if not args.ray:
        engine, load_seconds = common.load_timed(settings, args.output / "trace.jsonl" if args.trace else None)
        return LocalChecker(engine, store, claims, load_seconds, own=bool(args.documents))
    try:
        from system.runner.cluster import ClusterChecker  # only here: Ray is large and may be absent
    except ModuleNotFoundError as error:
        raise CheckerError(f"--ray needs Ray ({error}): pip install '.[ray]'") from error
    if args.trace:
        raise CheckerError("--trace and --ray cannot be combined (a trace comes from one process); give one of them")
    make_engine = partial(load_engine, settings)
    return ClusterChecker(args.ray, make_engine, store, claims, settings, own=bool(args.documents))


async def _run(opening: "LocalChecker | ClusterChecker", claims: list[Claim], output: Path, journal: Journal) -> None:
    """Check claims; what is measured is kept as soon as the engine is loaded, since this part may be killed."""
    earlier = read_measured(output)
    async with opening as checker:
        keep_measured(output, earlier.and_part(checker.workers))
        await run(checker.check, checker.places, claims, output, journal)
        keep_measured(output, earlier.and_part(checker.workers))


def _facts(settings: Settings, results: Sequence[ClaimResult], measured: Measured) -> RunFacts:
    """Of all parts; seconds from the first claim to the last are counted on by every part (``runner.run``)."""
    return RunFacts(
        budget_seconds=settings.run.budget,
        limit_seconds=longest(settings.run.budget, settings.run.max_concurrent_claims, CLAIM_LIMIT),
        run_seconds=max(result.timing.finished_at for result in results),
        model_load_seconds=measured.model_load_seconds,
        peak_memory_gib=measured.peak_memory_gib,
    )


def _is_written(folder: Path, results: Sequence[ClaimResult], facts: RunFacts) -> bool:
    """Whether all outputs are there, none empty, and those of single claims are of these results."""
    paths = [folder / name for name in OUTPUTS if name not in NOT_ALWAYS]
    if not all(path.is_dir() or (path.is_file() and path.stat().st_size) for path in paths):
        return False
    with TemporaryDirectory() as fresh:
        write_outputs(results, Path(fresh), facts)
        same, *_ = cmpfiles(fresh, folder, OF_CLAIMS, shallow=False)
    return len(same) == len(OF_CLAIMS)


def _write(
    folder: Path,
    results: Sequence[ClaimResult],
    settings: Settings,
    facts: RunFacts,
    inputs: dict[str, Any],
    measured: Measured,
) -> Written:
    written = write_outputs(results, folder, facts)
    workers = {"workers": [worker.model_dump() for worker in measured.workers]}
    write_run_report(folder, settings, {**inputs, **_totals(results), **workers})
    write_report(folder)
    return written


def _totals(results: Sequence[ClaimResult]) -> dict[str, Any]:
    flaws: dict[str, int] = {}
    for result in results:
        for flaw, count in result.flaws.items():
            flaws[flaw] = flaws.get(flaw, 0) + count
    return {
        "claims": len(results),
        "failed_claims": [result.claim.id for result in results if result.failed],
        "store_flaws": dict(sorted(flaws.items())),
        "store_flaws_by_claim": {str(result.claim.id): result.flaws for result in results if result.flaws},
    }


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
