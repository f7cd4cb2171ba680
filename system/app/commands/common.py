"""What several commands share: the inputs, the settings, the engine, the exit statuses."""

import argparse
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from knowledge_store.searchers.searched import open_searcher
from system.app import options
from system.check import Engine
from system.claims import ClaimsError, read_claims
from system.gold import write_gold_store
from system.loading import load_engine
from system.machine import choose_profile
from system.records import Claim, ClaimResult
from system.settings import Settings, load

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE_CLAIMS = ROOT / "system" / "examples" / "claims.json"
EXAMPLE_STORE = ROOT / "knowledge_store" / "examples"
EXIT_FAILED_CLAIMS = 3
EXIT_INTERRUPTED = 130


def add_inputs(parser: argparse.ArgumentParser, output: Path) -> None:
    """Add the options that name claims, store and output folder."""
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


def inputs_of(args: argparse.Namespace, settings: Settings) -> tuple[Path, list[Claim], Path]:
    """The file of claims, the claims wanted of it, and their knowledge store.

    Raises:
        ClaimsError: they cannot be read, or do not belong together.
    """
    search = settings.retrieval.search
    if settings.debate.evidence != "gold" and not search and bool(args.claims) != bool(args.knowledge_store):
        raise ClaimsError(
            "--claims and --knowledge-store belong together: give both, or neither for the bundled examples"
        )
    claims_file, store = args.claims or EXAMPLE_CLAIMS, args.knowledge_store or EXAMPLE_STORE
    if search and not args.knowledge_store:  # what is found is all there is
        open_searcher(search)
        store = Path(settings.retrieval.search_folder)
        store.mkdir(parents=True, exist_ok=True)
    claims = read_claims(claims_file, args.start, args.limit)
    if settings.debate.evidence == "gold":
        store = write_gold_store(claims_file, claims, args.output / "gold")
    if not store.exists():
        raise ClaimsError(
            f"{store}: no such knowledge store; expected a folder with <claim id>.json, or one file for all"
        )
    return claims_file, claims, store


def settings_of(args: argparse.Namespace) -> Settings:
    """The settings that the options ask for; says which profile was chosen and why where they name none."""
    profile, why = (args.profile, "") if args.profile else choose_profile()
    settings = load(profile, options.given_settings(args))
    if why:
        print(f"profile {profile}: {why}", file=sys.stderr)
    return settings


def load_timed(settings: Settings, trace: Path | None = None) -> tuple[Engine, float]:
    """The engine, and the seconds that loading it took, which no claim's clock contains."""
    began = time.perf_counter()
    return load_engine(settings, trace), time.perf_counter() - began


@asynccontextmanager
async def closing(engine: Engine) -> AsyncIterator[Engine]:
    """The engine; what its model holds is freed at the end, whatever happens."""
    try:
        yield engine
    finally:
        await engine.model.close()


def stands_for_failure(result: ClaimResult) -> bool:
    """Whether the row stands for a failure instead of an answer."""
    return any(failure.unanswered for failure in result.failures)
