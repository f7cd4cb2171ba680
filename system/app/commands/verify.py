"""``factgraph verify``: check one claim against the user's own documents."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import orjson
from rich.console import Console
from rich.text import Text

from knowledge_store.pages.documents import DocumentsError
from knowledge_store.ranking import RankedStore
from submission.files import write_atomically
from system.api import rank_documents
from system.app import options
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, stands_for_failure
from system.app.drawing import draw
from system.check import Engine, check
from system.graph import Graph
from system.records import Claim, ClaimResult, Label, official_date

COLOUR = {
    Label.SUPPORTED: "green",
    Label.REFUTED: "red",
    Label.NOT_ENOUGH_EVIDENCE: "yellow",
    Label.CONFLICTING: "magenta",
}


def command(arguments: Sequence[str]) -> int:
    """Check the claim and print the answer."""
    args = options.parse(parser(), arguments)
    settings = common.settings_of(args)
    claim = Claim(id=0, text=args.claim, date=args.date, speaker=args.speaker)
    if not args.documents and not settings.retrieval.search:
        raise DocumentsError("no evidence: give --documents, or --search with an archive or a SearXNG address")
    ranked = rank_documents(args.documents, claim, settings.retrieval, fetch=args.fetch)
    engine, _ = common.load_timed(settings)
    result, graph = asyncio.run(_check(engine, claim, ranked))
    if args.output:
        save_answer(args.output, result, graph)
    if args.json:
        print(as_json(result, graph if args.graph else None))
    else:
        print_answer(result, graph, with_graph=args.graph, console=Console())
    if args.output:
        print(args.output / "report.html", file=sys.stderr)
    return EXIT_FAILED_CLAIMS if stands_for_failure(result) else 0


async def _check(engine: Engine, claim: Claim, ranked: RankedStore) -> tuple[ClaimResult, Graph]:
    async with common.closing(engine):
        return await check(engine, claim, ranked)


def as_json(result: ClaimResult, graph: Graph | None) -> str:
    """Verdict, evidence, time and failures as JSON, with the graph where it is wanted."""
    tree = result.model_dump(mode="json") | ({"graph": graph.to_json()} if graph else {})
    return orjson.dumps(tree, option=orjson.OPT_INDENT_2).decode()


def save_answer(folder: Path, result: ClaimResult, graph: Graph) -> None:
    """Write ``result.json``, with the graph, and ``report.html``, a page on this claim that opens from disk."""
    from submission.report.page import claim_page  # only here: it loads the templates

    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "result.json", as_json(result, graph) + "\n")
    write_atomically(folder / "report.html", claim_page(result, graph.to_json()))


def print_answer(result: ClaimResult, graph: Graph, *, with_graph: bool, console: Console) -> None:
    """Print label, justification, questions with answers and addresses, and (if wanted) the graph of thoughts.

    Text from documents is printed as it is: nothing in it is read as terminal markup.
    """
    verdict = result.verdict
    console.print(Text.assemble((str(verdict.label), f"bold {COLOUR[verdict.label]}"), f"  ({verdict.confidence:.0%})"))
    console.print(Text(verdict.justification))
    for pair in result.pairs:
        console.print(Text.assemble("\n", (pair.question, "bold")))
        console.print(Text(f"  {pair.answer}"))
        for url in dict.fromkeys(passage.url for passage in pair.passages):
            console.print(Text(f"  {url}", style="dim"))
    for failure in result.failures:
        console.print(Text(f"failed: {failure.operation}: {failure.message}", style="red"))
    if with_graph:
        console.print()
        console.print(draw(graph))
    console.print(Text(f"\n{result.timing.seconds:.1f} s, {result.timing.cost.calls} model calls", style="dim"))


def parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(
        prog="factgraph verify",
        usage="factgraph verify CLAIM --documents SOURCE [SOURCE ...] [option ...]",
        description="Check one claim against documents of your own.",
    )
    parser.add_argument("claim", type=_claim, help="the claim, in quotation marks")
    common.add_documents(parser)
    parser.add_argument("--date", type=_date, default="", help="when the claim was made, as 2020-08-25 or 25-8-2020")
    parser.add_argument("--speaker", type=_text, default="", help="who made it")
    parser.add_argument("--graph", action="store_true", help="show the graph of thoughts")
    parser.add_argument("--json", action="store_true", help="print verdict, evidence and time as JSON")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="write result.json and report.html there")
    options.add_settings(parser)
    return parser


def _text(argument: str) -> str:
    """An argument that is text: the shell hands on any bytes, and Python hides those that are none."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"expected UTF-8, came {argument!a:.60}; set the terminal to UTF-8") from None
    return argument


def _claim(argument: str) -> str:
    if not argument.strip():
        raise argparse.ArgumentTypeError("expected a statement to check, got an empty text")
    return _text(argument)


def _date(argument: str) -> str:
    try:
        return official_date(_text(argument).strip())
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
