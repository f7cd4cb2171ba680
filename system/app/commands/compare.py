"""``factgraph compare``: run several strategies on the same claims with the same stores."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console, Group
from rich.table import Table

from knowledge_store.pages.page import shown_path
from submission.tables import SHORT
from system.app import options
from system.app.commands import common
from system.app.parsers import compare as parser
from system.app.variants import (
    ComparisonJournal,
    Interval,
    Scores,
    compare,
    parse_variants,
    repeats_of,
    run_variants,
    save_comparison,
)
from system.averitec.gold import gold_by_id
from system.files.journal import JournalError
from system.graph.records import ClaimResult, Label
from system.models.loading import check_routes
from system.models.loop_thread import run_loop
from system.runner.run import holds_results, run_identity
from system.strategies.base import asked_by

Columns = Mapping[str, Callable[[Scores], str]]


def command(arguments: Sequence[str]) -> int:
    """Run the strategies; print and save how they did."""
    args = options.parse(parser(), arguments)
    settings = common.settings_of(args)
    variants = parse_variants(args.strategies, args.profile or settings.profile, options.given_settings(args))
    for variant in variants:
        check_routes(variant.settings, asked_by(variant.settings))
    claims_file, claims, store = common.inputs_of(args, settings)
    annotated = gold_by_id(claims_file)
    gold = [annotated[claim.id].label for claim in claims]
    repeats = args.repeats or repeats_of(settings)
    identity = run_identity(variants[0].settings, claims, store)
    identity |= {"strategies": args.strategies, "repeats": str(repeats)}
    with _open_journal(args, identity) as journal:
        engine, _ = common.load_timed(settings)
        engine = engine.for_documents() if args.documents else engine

        async def run_all() -> dict[str, list[list[ClaimResult]]]:
            async with common.closing(engine):
                return await run_variants(engine, variants, claims, store, repeats, journal)

        try:
            runs = run_loop(run_all())
        except KeyboardInterrupt:
            checks = len(claims) * len(variants) * repeats
            print(
                f"stopped with {len(journal.finished)} of {checks} checks done; resume with --resume", file=sys.stderr
            )
            return common.EXIT_INTERRUPTED
        scores = compare(gold, runs, two_labels=any(one.settings.graph.two_labels for one in variants))
        save_comparison(args.output, scores, runs, {"claims_file": shown_path(claims_file), "store": shown_path(store)})
        journal.path.unlink()  # whoever finds one has an unfinished comparison
    Console().print(comparison_tables(scores, len(claims)))
    return 0


def _open_journal(args: argparse.Namespace, identity: dict[str, str]) -> ComparisonJournal:
    """The journal of the comparison in the output folder; not the name of a run's, which stays when the run has ended.

    Raises:
        JournalError: the folder holds an unfinished one and no option says what to do with it, or another than this.
    """
    path = args.output / "unfinished.jsonl"
    if not (args.resume or args.overwrite) and holds_results(path):
        raise JournalError(
            f"{args.output} holds an unfinished comparison; give --resume, --overwrite or another --output"
        )
    args.output.mkdir(parents=True, exist_ok=True)
    return ComparisonJournal(path, identity, args.resume)


def comparison_tables(scores: Sequence[Scores], claims: int) -> Group:
    """Scores, wrong labels and costs, one row a strategy; differences are to the first row."""
    first, repeats = scores[0].strategy, max(row.repeats for row in scores)
    times = f", {repeats} times each" if repeats > 1 else ""
    greedy = [row.strategy for row in scores if row.repeats < repeats]
    times += f" ({', '.join(greedy)}: once, since no reply is sampled)" if greedy else ""
    return Group(
        _table(
            f"Scores on {claims} claims{times}, in percent with 95% intervals",
            scores,
            {
                "accuracy": lambda row: _interval(row.accuracy),
                "difference": lambda row: "" if row.strategy == first else _interval(row.difference, signed=True),
                "macro-F1": lambda row: _interval(row.macro_f1),
            },
        ),
        _table(
            "False-positive rate per label",
            scores,
            {SHORT[label]: _rate_of(label) for label in scores[0].false_positive_rates},
        ),
        _table(
            "Cost per claim",
            scores,
            {
                "rounds": lambda row: f"{row.rounds:.2f}",
                "calls": lambda row: f"{row.calls:.1f}",
                "tokens in": lambda row: f"{row.tokens_in:.0f}",
                "out": lambda row: f"{row.tokens_out:.0f}",
                "seconds": lambda row: f"{row.seconds:.2f}",
                "failed": lambda row: f"{row.failures:.2f}",
                "cut": lambda row: f"{row.cut_short:.1%}",
            },
        ),
    )


def _table(title: str, scores: Sequence[Scores], columns: Columns) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("strategy", overflow="fold")
    for heading in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in scores:
        table.add_row(row.strategy, *(cell(row) for cell in columns.values()))
    return table


def _rate_of(label: Label) -> Callable[[Scores], str]:
    return lambda row: f"{row.false_positive_rates[label]:.1%}"


def _interval(interval: Interval, *, signed: bool = False) -> str:
    form = "+.1f" if signed else ".1f"
    value, low, high = (f"{100 * number:{form}}" for number in (interval.value, interval.low, interval.high))
    return f"{value} [{low}, {high}]"
