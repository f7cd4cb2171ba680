"""``factgraph compare``: run several strategies on the same claims with the same stores."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from system import options
from system.commands import common
from system.comparison import compare
from system.comparison_table import comparison_tables
from system.gold import read_gold
from system.output import save_comparison
from system.records import ClaimResult
from system.variants import parse_variants, repeats_of, run_variants


def command(arguments: Sequence[str]) -> int:
    """Run the strategies; print and save how they did."""
    args = parser().parse_args(arguments)
    settings = common.settings_of(args)
    variants = parse_variants(args.strategies, args.profile or settings.profile, options.given_settings(args))
    claims_file, claims, store = common.inputs_of(args, settings)
    gold = [read_gold(claims_file)[claim.id].label for claim in claims]
    engine, _ = common.load_timed(settings)

    async def run_all() -> dict[str, list[list[ClaimResult]]]:
        async with common.closing(engine):
            return await run_variants(engine, variants, claims, store, args.repeats or repeats_of(settings))

    runs = asyncio.run(run_all())
    scores = compare(gold, runs)
    save_comparison(args.output, scores, runs, {"claims_file": str(claims_file), "store": str(store)})
    Console().print(comparison_tables(scores, len(claims)))
    return 0


def parser() -> argparse.ArgumentParser:
    """The options."""
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
    common.add_inputs(parser, Path("comparison"))
    options.add_settings(parser)
    return parser
