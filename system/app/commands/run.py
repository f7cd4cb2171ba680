"""``factgraph run``, or without the name of a command: check a file of claims."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from submission.report.page import write_report
from submission.tables import print_summary
from submission.timings import RunFacts
from submission.write import write_outputs
from system import __version__
from system.app import options
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, EXIT_INTERRUPTED, stands_for_failure
from system.check import load_engine
from system.journal import Journal
from system.machine import peak_memory
from system.records import Claim, ClaimResult
from system.runner.checker import CheckerError, LocalChecker, WorkerReport
from system.runner.run import holds_same_claims, open_journal, run, run_identity, write_run_report
from system.settings import Settings

if TYPE_CHECKING:
    from system.runner.cluster import ClusterChecker

OTHER_COMMANDS = """commands (each has its own --help; the default is run):
  run          check a file of claims
  verify       check one claim against documents of your own
  compare      run several strategies on the same claims
  score        score predictions against gold labels
  report       write the HTML report of a run, or compare two
  validate     find faults in a submission
  calibrate    fit confidences to gold labels
  store        build, index or search a knowledge store
  doctor       check that this machine has what a run needs
  fetch        download a profile's weights before a run
  serve        answer claims over HTTP
  completion   print a shell completion script
"""
HEADINGS = ("machine", "process", "claims", "seconds per claim", "loading, s", "peak memory, GiB", "lost")


def command(arguments: Sequence[str]) -> int:
    """Check a file of claims and write the submission, the time report and the HTML report."""
    args = options.parse(parser(), arguments)
    settings = common.settings_of(args)
    claims_file, claims, store = common.inputs_of(args, settings)
    identity = run_identity(settings, claims, store)
    overwrite = args.overwrite or (not args.claims and not args.resume and holds_same_claims(args.output, identity))

    with open_journal(args.output, identity, resume=args.resume, overwrite=overwrite) as journal:
        checker = _checker(args, settings, store)
        try:
            results, workers, run_seconds = asyncio.run(_run(checker, claims, args.output, journal))
        except KeyboardInterrupt:
            done = len(journal.finished)
            print(
                f"stopped with {done} of {len(claims)} claims done; resume with --resume",
                file=sys.stderr,
            )
            return EXIT_INTERRUPTED
        facts = RunFacts(
            budget_seconds=settings.run.budget,
            run_seconds=run_seconds,
            model_load_seconds=max(worker.model_load_seconds for worker in workers),
            peak_memory_gib=max(peak_memory(), *(worker.peak_memory_gib for worker in workers)),
        )
        written = write_outputs(results, args.output, facts)
        inputs = {"claims_file": str(claims_file), "store": str(store)}
        spread = {"workers": [worker.model_dump() for worker in workers]}
        write_run_report(args.output, settings, {**inputs, **_totals(results), **spread})
        report = write_report(args.output)
    print_summary(results, facts, written)
    if args.ray:
        Console().print(workers_table(workers))
    print(report)
    return EXIT_FAILED_CLAIMS if any(stands_for_failure(result) for result in results) else 0


def parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(
        prog="factgraph",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="factgraph [--claims FILE --knowledge-store FOLDER] [--output FOLDER] [option ...]",
        description="Check claims against a knowledge store; write a leaderboard submission and a time report.\n\n"
        + OTHER_COMMANDS,
    )
    parser.add_argument("--version", action="version", version=f"factgraph {__version__}")
    common.add_inputs(parser, Path("output"))
    parser.add_argument("--resume", action="store_true", help="resume the run in --output")
    parser.add_argument("--overwrite", action="store_true", help="replace the run in --output")
    parser.add_argument("--trace", action="store_true", help="write every prompt and reply to trace.jsonl")
    parser.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="spread the claims over a Ray cluster, one engine per GPU or per share of CPUs; HOST:PORT of its head, "
        "auto for the cluster that this machine belongs to, or no value for this machine alone",
    )
    options.add_settings(parser)
    return parser


def _checker(args: argparse.Namespace, settings: Settings, store: Path) -> "LocalChecker | ClusterChecker":
    """Who checks the claims: this process, or with --ray the workers of a cluster."""
    if not args.ray:
        engine, load_seconds = common.load_timed(settings, args.output / "trace.jsonl" if args.trace else None)
        return LocalChecker(engine, store, load_seconds)
    try:
        from system.runner.cluster import ClusterChecker  # only here: Ray is large and may be absent
    except ModuleNotFoundError as error:
        raise CheckerError(f"--ray needs Ray ({error}): pip install '.[ray]'") from error
    if args.trace:
        raise CheckerError("--trace and --ray cannot be combined (a trace comes from one process); give one of them")
    return ClusterChecker(args.ray, partial(load_engine, settings), store, settings)


async def _run(
    opening: "LocalChecker | ClusterChecker", claims: list[Claim], output: Path, journal: Journal
) -> tuple[list[ClaimResult], list[WorkerReport], float]:
    """The results, who checked them, and seconds from the first claim to the last, in all parts of a resumed run."""
    async with opening as checker:
        results = await run(checker, claims, output, journal)
        return results, checker.workers, max(result.timing.finished_at for result in results)


def _totals(results: Sequence[ClaimResult]) -> dict[str, Any]:
    flaws: dict[str, int] = {}
    for result in results:
        for flaw, count in result.flaws.items():
            flaws[flaw] = flaws.get(flaw, 0) + count
    return {
        "claims": len(results),
        "failed_claims": [result.claim.id for result in results if stands_for_failure(result)],
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
