"""The work of ``factgraph run``: check what is left of a file of claims, and write what a run leaves."""

import asyncio
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from knowledge_store.pages.page import shown_path
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, EXIT_INTERRUPTED, RunOptions
from system.deadline import longest
from system.files.journal import Journal
from system.graph.records import Claim, ClaimResult
from system.report.timings import RunFacts
from system.runner.measured import keep_measured, read_measured
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


def check_file(args: RunOptions, given: Mapping[str, Any] | None) -> int:
    """Check a file of claims and write the submission, the time report and the HTML report."""
    settings = common.settings_of(given, documents=bool(args.documents))
    claims_file, claims, store = common.inputs_of(args, settings)
    identity = run_identity(settings, claims, store)
    overwrite = args.overwrite or (not args.claims and not args.resume and holds_same_claims(args.output, identity))

    with open_journal(args.output, identity, resume=args.resume, overwrite=overwrite) as journal:
        check_claims(journal, claims)
        left = {claim.id for claim in claims} - {result.claim.id for result in journal.finished}
        if left:  # else no engine is loaded
            try:
                asyncio.run(_run(_checker(args, settings, store, claims), claims, args.output, journal))
            except KeyboardInterrupt:
                done = len(journal.finished)
                print(f"stopped with {done} of {len(claims)} claims done; resume with --resume", file=sys.stderr)
                return EXIT_INTERRUPTED
        from submission.report import write_report  # only now: these take seconds, which no wrong path should
        from submission.tables import print_summary
        from submission.write import write_outputs

        results = in_order(journal, claims)
        facts = _facts(settings, results, args.output)
        if left or not all((args.output / name).exists() for name in OUTPUTS if name not in NOT_ALWAYS):
            inputs: dict[str, Any] = {"claims_file": shown_path(claims_file), "store": shown_path(store)}
            inputs |= {"documents": True} if args.documents else {}  # the report then opens with the claims
            write_outputs(results, args.output, facts)
            write_run_report(args.output, settings, {**inputs, **_totals(results, args.output)})
            write_report(args.output)
    print_summary(results, facts, args.output)
    print(args.output / "report.html")
    return EXIT_FAILED_CLAIMS if any(result.failed for result in results) else 0


def _checker(args: RunOptions, settings: Settings, store: Path, claims: list[Claim]) -> "LocalChecker | ClusterChecker":
    """Who checks the claims: this process, or with --ray the workers of a cluster."""
    from system.check import load_engine

    if args.ray is None:
        began = perf_counter()  # no claim's clock contains the time of loading
        engine = load_engine(settings, args.output / "trace.jsonl" if args.trace else None)
        return LocalChecker(engine, store, claims, perf_counter() - began, own=bool(args.documents))
    try:
        from system.runner.cluster import ClusterChecker  # only here: Ray is large and may be absent
    except ModuleNotFoundError as error:
        raise CheckerError(f"--ray needs Ray ({error}): pip install '.[ray]'") from error
    if args.trace:
        raise CheckerError("--trace and --ray cannot be combined (a trace comes from one process); give one of them")
    make_engine, address = partial(load_engine, settings), args.ray[0] if args.ray else "local"
    return ClusterChecker(address, make_engine, store, claims, settings, own=bool(args.documents))


async def _run(opening: "LocalChecker | ClusterChecker", claims: list[Claim], output: Path, journal: Journal) -> None:
    """Check claims; what is measured is kept as soon as the engine is loaded, since this part may be killed."""
    earlier = read_measured(output)
    async with opening as checker:
        keep_measured(output, earlier.and_part(checker.workers))
        await run(checker.check, checker.places, claims, output, journal)
        keep_measured(output, earlier.and_part(checker.workers))


def _facts(settings: Settings, results: Sequence[ClaimResult], folder: Path) -> RunFacts:
    """Of all parts; seconds from the first claim to the last are counted on by every part (``runner.run``)."""
    measured = read_measured(folder)
    return RunFacts(
        budget_seconds=settings.run.budget,
        limit_seconds=longest(settings.run.budget, settings.run.max_concurrent_claims, CLAIM_LIMIT),
        run_seconds=max(result.timing.finished_at for result in results),
        model_load_seconds=measured.model_load_seconds,
        peak_memory_gib=measured.peak_memory_gib,
    )


def _totals(results: Sequence[ClaimResult], folder: Path) -> dict[str, Any]:
    flaws = sum((Counter(result.flaws) for result in results), Counter[str]())
    return {
        "claims": len(results),
        "failed_claims": [result.claim.id for result in results if result.failed],
        "store_flaws": dict(sorted(flaws.items())),
        "store_flaws_by_claim": {str(result.claim.id): result.flaws for result in results if result.flaws},
        "workers": [worker.model_dump() for worker in read_measured(folder).workers],
    }
