"""``factgraph verify``: check one claim against the user's own documents."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from factgraph import options
from factgraph.commands import common
from factgraph.commands.common import EXIT_FAILED_CLAIMS, stands_for_failure
from factgraph.drawing import draw
from knowledge_store.pages.documents import read_documents
from knowledge_store.pages.page import Flaws
from knowledge_store.ranking import RankedStore, rank
from system.check import Engine, check
from system.graph import Graph
from system.records import Claim, ClaimResult, Label

COLOUR = {
    Label.SUPPORTED: "green",
    Label.REFUTED: "red",
    Label.NOT_ENOUGH_EVIDENCE: "yellow",
    Label.CONFLICTING: "magenta",
}


def command(arguments: Sequence[str]) -> int:
    """Check the claim and print the answer."""
    args = parser().parse_args(arguments)
    settings = common.settings_of(args)
    claim = Claim(id=0, text=args.claim, date=args.date, speaker=args.speaker)
    flaws = Flaws()
    pages = read_documents(args.documents, flaws)
    ranked = rank(pages, claim.text, settings.retrieval, claim.day, flaws=flaws, name=args.documents.name)
    engine, _ = common.load_timed(settings)
    result, graph = asyncio.run(_check(engine, claim, ranked))
    print_answer(result, graph, with_graph=args.graph, console=Console())
    return EXIT_FAILED_CLAIMS if stands_for_failure(result) else 0


async def _check(engine: Engine, claim: Claim, ranked: RankedStore) -> tuple[ClaimResult, Graph]:
    async with common.closing(engine):
        return await check(engine, claim, ranked)


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
        usage="factgraph verify CLAIM --documents PATH [option ...]",
        description="Check one claim against documents of your own.",
    )
    parser.add_argument("claim", type=_text, help="the claim, in quotation marks")
    parser.add_argument(
        "--documents", type=Path, required=True, metavar="PATH", help="text, Markdown or HTML file, or a folder of them"
    )
    parser.add_argument("--date", default="", help="when the claim was made, as 25-8-2020")
    parser.add_argument("--speaker", type=_text, default="", help="who made it")
    parser.add_argument("--graph", action="store_true", help="show the graph of thoughts")
    options.add_settings(parser)
    return parser


def _text(argument: str) -> str:
    """An argument that is text: the shell hands on any bytes, and Python hides those that are none."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"expected UTF-8, came {argument!a:.60}; set the terminal to UTF-8") from None
    return argument
