"""The command line: ``run`` (the default) checks a file of claims, ``verify`` one claim against one's own documents,
``compare`` runs several strategies on the same claims.
"""

import argparse
import asyncio
import logging
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from knowledge_store.documents import DocumentsError, rank_documents
from knowledge_store.encoder import EncoderUnavailable
from submission.files import SubmissionError
from submission.outputs import print_summary, write_outputs
from submission.report.write import write_report
from submission.timings import RunFacts
from system import __version__, options
from system.check import Engine, check
from system.claims import ClaimsError, read_claims
from system.comparison import compare
from system.comparison_table import comparison_tables
from system.completion import completion
from system.doctor.command import doctor
from system.doctor.command import parser as doctor_parser
from system.gold import read_gold, write_gold_store
from system.loading import load_engine
from system.machine import choose_profile, peak_memory
from system.models.base import ModelUnavailable
from system.output import holds_same_claims, open_journal, run_identity, save_comparison, write_run_report
from system.records import Claim, ClaimResult
from system.runner.checker import CheckerError, LocalChecker, WorkerReport
from system.runner.journal import Journal, JournalError
from system.runner.run import run
from system.runner.workers_table import workers_table
from system.service.access import AccessError
from system.service.command import parser as serve_parser
from system.service.command import serve
from system.settings import Settings, SettingsError, load
from system.variants import parse_variants, repeats_of, run_variants
from system.verify import print_answer
from system.weights import WeightsError, fetch_command
from system.weights import parser as fetch_parser

if TYPE_CHECKING:
    from system.runner.cluster_checker import ClusterChecker

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE_CLAIMS = ROOT / "system" / "examples" / "claims.json"
EXAMPLE_STORE = ROOT / "knowledge_store" / "examples"

# What a user can mend; anything else is a defect of ours and keeps its traceback.
USER_ERRORS = (
    AccessError,
    CheckerError,
    ClaimsError,
    DocumentsError,
    EncoderUnavailable,
    JournalError,
    ModelUnavailable,
    SettingsError,
    SubmissionError,
    WeightsError,
)
OTHER_COMMANDS = """other commands, each with a --help of its own:
  verify       check one claim against documents of your own
  compare      run several strategies on the same claims
  doctor       check that this machine has what a run needs
  fetch        download the weights of a profile ahead of a run
  serve        answer claims over HTTP
  completion   print the completion script of a shell
"""
EXIT_FAILED_CLAIMS = 3
EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 when every claim has an answer, 3 when some were answered by a failure, 2 for bad input, 130 after Ctrl-C.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logging.getLogger("system").setLevel(logging.INFO)  # memory plan, load times, adapters that are absent
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands = {
        "verify": verify_command,
        "compare": compare_command,
        "doctor": doctor_command,
        "fetch": fetch_command,
        "serve": serve_command,
        "completion": completion_command,
    }
    command = commands.get(next(iter(arguments), ""), run_command)
    try:
        return command(arguments)
    except USER_ERRORS as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # a disk that is full, gone or closed to us; no defect of ours shows itself so
        print(f"error: {error}; what is finished is in the journal, and --resume goes on with it", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def run_command(arguments: Sequence[str]) -> int:
    """Check a file of claims and write the submission and the time report."""
    args = _run_parser().parse_args(arguments)
    settings = _settings(args)
    claims_file, claims, store = _inputs(args, settings)
    identity = run_identity(settings, claims, store)
    overwrite = args.overwrite or (not args.claims and not args.resume and holds_same_claims(args.output, identity))

    with open_journal(args.output, identity, resume=args.resume, overwrite=overwrite) as journal:
        checker = _checker(args, settings, store)
        try:
            results, workers, run_seconds = asyncio.run(_run(checker, claims, args.output, journal))
        except KeyboardInterrupt:
            done = len(journal.finished)
            print(
                f"stopped with {done} of {len(claims)} claims done; the same command with --resume goes on",
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
    return EXIT_FAILED_CLAIMS if any(_failed(result) for result in results) else 0


def verify_command(arguments: Sequence[str]) -> int:
    """Check one claim against the user's own documents and print the answer."""
    args = _verify_parser().parse_args(arguments[1:])
    settings = _settings(args)
    claim = Claim(id=0, text=args.claim, date=args.date, speaker=args.speaker)
    ranked = rank_documents(args.documents, claim.text, settings.retrieval, claim.day)
    engine, _ = _load(settings)
    result, graph = asyncio.run(check(engine, claim, ranked))
    print_answer(result, graph, with_graph=args.graph, console=Console())
    return EXIT_FAILED_CLAIMS if _failed(result) else 0


def compare_command(arguments: Sequence[str]) -> int:
    """Run several strategies on the same claims with the same stores; print and save how they did."""
    args = _compare_parser().parse_args(arguments[1:])
    settings = _settings(args)
    variants = parse_variants(args.strategies, args.profile or settings.profile, options.given_settings(args))
    claims_file, claims, store = _inputs(args, settings)
    gold = [read_gold(claims_file)[claim.id].label for claim in claims]
    engine, _ = _load(settings)
    repeats = args.repeats or repeats_of(settings)
    runs = asyncio.run(run_variants(engine, variants, claims, store, repeats))
    scores = compare(gold, runs)
    save_comparison(args.output, scores, runs, {"claims_file": str(claims_file), "store": str(store)})
    Console().print(comparison_tables(scores, len(claims)))
    return 0


def doctor_command(arguments: Sequence[str]) -> int:
    """Check that this machine has what a run needs."""
    from submission.legacy.resources import local_wordnet  # only here: NLTK takes its time

    return doctor(arguments[1:], EXAMPLE_CLAIMS, EXAMPLE_STORE, local_wordnet())


def serve_command(arguments: Sequence[str]) -> int:
    """Answer claims over HTTP until told to stop; the libraries that this needs are an extra."""
    return serve(arguments[1:], _settings, _load)


def completion_command(arguments: Sequence[str]) -> int:
    """Print the completion script of a shell."""
    commands = {
        "verify": _verify_parser(),
        "compare": _compare_parser(),
        "doctor": doctor_parser(),
        "fetch": fetch_parser(),
        "serve": serve_parser(),
    }
    return completion(arguments[1:], _run_parser(), commands)


def _inputs(args: argparse.Namespace, settings: Settings) -> tuple[Path, list[Claim], Path]:
    """The file of claims, the claims wanted of it, and their knowledge store."""
    if settings.debate.evidence != "gold" and bool(args.claims) != bool(args.knowledge_store):
        raise ClaimsError(
            "--claims and --knowledge-store belong together: give both, or neither for the bundled examples"
        )
    claims_file, store = args.claims or EXAMPLE_CLAIMS, args.knowledge_store or EXAMPLE_STORE
    claims = read_claims(claims_file, args.start, args.limit)
    if settings.debate.evidence == "gold":
        store = write_gold_store(claims_file, claims, args.output / "gold")
    if not store.exists():
        raise ClaimsError(
            f"{store}: no such knowledge store; expected a folder with <claim id>.json, or one file for all"
        )
    return claims_file, claims, store


def _load(settings: Settings, trace: Path | None = None) -> tuple[Engine, float]:
    began = time.perf_counter()
    return load_engine(settings, trace), time.perf_counter() - began


def _checker(args: argparse.Namespace, settings: Settings, store: Path) -> "LocalChecker | ClusterChecker":
    """Who checks the claims: this process, or with --ray the workers of a cluster."""
    if not args.ray:
        engine, load_seconds = _load(settings, trace=args.output / "trace.jsonl" if args.trace else None)
        return LocalChecker(engine, store, load_seconds)
    try:
        from system.runner.cluster_checker import ClusterChecker  # only here: Ray is large and may be absent
    except ModuleNotFoundError as error:
        raise CheckerError(f"--ray needs Ray ({error}): pip install '.[ray]'") from error
    if args.trace:
        raise CheckerError("--trace writes one file from one process: leave it out, or run without --ray")
    return ClusterChecker(args.ray, partial(load_engine, settings), store, settings)


async def _run(
    opening: "LocalChecker | ClusterChecker", claims: list[Claim], output: Path, journal: Journal
) -> tuple[list[ClaimResult], list[WorkerReport], float]:
    """The results, who checked them, and seconds from the first claim to the last."""
    async with opening as checker:
        began = time.perf_counter()
        results = await run(checker, claims, output, journal)
        return results, checker.workers, time.perf_counter() - began


def _settings(args: argparse.Namespace) -> Settings:
    profile, why = (args.profile, "") if args.profile else choose_profile()
    settings = load(profile, options.given_settings(args))
    if why:
        print(f"profile {profile}: {why}")
    return settings


def _totals(results: Sequence[ClaimResult]) -> dict[str, Any]:
    flaws: dict[str, int] = {}
    for result in results:
        for flaw, count in result.flaws.items():
            flaws[flaw] = flaws.get(flaw, 0) + count
    return {
        "claims": len(results),
        "failed_claims": [result.claim.id for result in results if _failed(result)],
        "store_flaws": dict(sorted(flaws.items())),
        "store_flaws_by_claim": {str(result.claim.id): result.flaws for result in results if result.flaws},
    }


def _failed(result: ClaimResult) -> bool:
    """Whether the row stands for a failure instead of an answer."""
    return any(failure.operation in ("vote", "read") for failure in result.failures)


def _run_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="factgraph",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="factgraph [--claims FILE --knowledge-store FOLDER] [--output FOLDER] [option ...]",
        description="Check claims against a knowledge store; write a leaderboard submission and a time report.\n\n"
        + OTHER_COMMANDS,
    )
    parser.add_argument("--version", action="version", version=f"factgraph {__version__}")
    _add_inputs(parser, Path("output"))
    parser.add_argument("--resume", action="store_true", help="go on with the run in --output")
    parser.add_argument("--overwrite", action="store_true", help="replace the run in --output")
    parser.add_argument("--trace", action="store_true", help="write every prompt and reply to trace.jsonl")
    parser.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="spread the claims over a Ray cluster, an engine per GPU or per share of CPUs: HOST:PORT of its head, "
        "auto for the one this machine belongs to, or nothing for this machine alone",
    )
    options.add_settings(parser)
    return parser


def _add_inputs(parser: argparse.ArgumentParser, output: Path) -> None:
    parser.add_argument(
        "--claims", type=Path, metavar="FILE", help="AVeriTeC JSON, JSON Lines or text (default: the bundled examples)"
    )
    parser.add_argument(
        "--knowledge-store", type=Path, metavar="FOLDER", help="with <claim id>.json; or one file for all claims"
    )
    parser.add_argument(
        "--output", type=Path, default=output, metavar="FOLDER", help=f"for all results (default: {output})"
    )
    parser.add_argument("--start", type=int, default=0, metavar="N", help="id of the first claim (default: 0)")
    parser.add_argument("--limit", type=int, metavar="N", help="number of claims (default: all)")


def _compare_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="factgraph compare",
        usage="factgraph compare --strategies A,B [--claims FILE --knowledge-store FOLDER] [option ...]",
        description="Run several strategies on the same annotated claims and stores; compare scores and costs.",
        epilog="A strategy may have settings of its own: --strategies got,got:debate=false,carp:claim_graph=false",
    )
    parser.add_argument("--strategies", required=True, help="separated by commas; differences are to the first")
    parser.add_argument(
        "--repeats", type=int, metavar="N", help="runs with a seed of their own (default: 5 where sampled, else 1)"
    )
    _add_inputs(parser, Path("comparison"))
    options.add_settings(parser)
    return parser


def _verify_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="factgraph verify",
        usage="factgraph verify CLAIM --documents PATH [option ...]",
        description="Check one claim against documents of your own.",
    )
    parser.add_argument("claim", help="the claim, in quotation marks")
    parser.add_argument(
        "--documents", type=Path, required=True, metavar="PATH", help="text, Markdown or HTML file, or a folder of them"
    )
    parser.add_argument("--date", default="", help="when the claim was made, as 25-8-2020")
    parser.add_argument("--speaker", default="", help="who made it")
    parser.add_argument("--graph", action="store_true", help="show the graph of thoughts")
    options.add_settings(parser)
    return parser
