"""``factgraph verify``: check one claim against the user's own documents."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import orjson
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from knowledge_store.pages.documents import DocumentsError
from knowledge_store.ranking import RankedStore
from submission.files import write_text
from system.app import options
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, stands_for_failure
from system.check import Engine, check
from system.correction.correcting import with_correction
from system.documents import rank_documents
from system.graph.graph import Graph
from system.graph.records import (
    Claim,
    ClaimResult,
    Content,
    Label,
    official_date,
)
from system.graph.thoughts import Thought

COLOR = {
    Label.SUPPORTED: "green",
    Label.REFUTED: "red",
    Label.NOT_ENOUGH_EVIDENCE: "yellow",
    Label.CONFLICTING: "magenta",
}


def command(arguments: Sequence[str]) -> int:
    """Check the claim and print the answer."""
    args = options.parse(parser(), arguments)
    settings = common.settings_of(args)
    claim = Claim(args.claim, date=args.date, speaker=args.speaker)
    if not args.documents and not settings.retrieval.search:
        raise DocumentsError("no evidence: give --documents, or --search with an archive or a SearXNG address")
    ranked = rank_documents(args.documents, claim, settings.retrieval, fetch=args.fetch)
    engine, _ = common.load_timed(settings)
    result, graph = asyncio.run(_check(engine.for_documents(), claim, ranked))
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
        result, graph = await check(engine, claim, ranked)
    return with_correction(result, engine.reader.verifier), graph


def as_json(result: ClaimResult, graph: Graph | None) -> str:
    """Verdict, evidence, time and failures as JSON, with the graph where it is wanted."""
    tree = result.model_dump(mode="json") | ({"graph": graph.to_json()} if graph else {})
    return orjson.dumps(tree, option=orjson.OPT_INDENT_2).decode()


def save_answer(folder: Path, result: ClaimResult, graph: Graph) -> None:
    """Write ``result.json``, with the graph, and ``report.html``, a page on this claim that opens from disk."""
    from submission.report.page import claim_page  # only here: it loads the templates

    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "result.json", as_json(result, graph) + "\n")
    write_text(folder / "report.html", claim_page(result, graph.to_json()))


def print_answer(result: ClaimResult, graph: Graph, *, with_graph: bool, console: Console) -> None:
    """Print label, justification, questions with answers and addresses, and (if wanted) the graph of thoughts.

    Text from documents is printed as it is: nothing in it is read as terminal markup.
    """
    verdict = result.verdict
    console.print(Text.assemble((str(verdict.label), f"bold {COLOR[verdict.label]}"), f"  ({verdict.confidence:.0%})"))
    console.print(Text(verdict.justification))
    if result.correction:
        console.print(Text.assemble(("Corrected: ", "bold"), result.correction.text))
    for pair in result.pairs:
        console.print(Text.assemble("\n", (pair.question, "bold")))
        console.print(Text("  " + " ".join(pair.answer.split())))
        for url in pair.urls:
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
    add_origin(parser)
    parser.add_argument("--graph", action="store_true", help="show the graph of thoughts")
    parser.add_argument("--json", action="store_true", help="print verdict, evidence and time as JSON")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="write result.json and report.html there")
    options.add_settings(parser)
    return parser


def add_origin(parser: argparse.ArgumentParser) -> None:
    """Add the options that say when and by whom something was said."""
    add_date(parser)
    parser.add_argument("--speaker", type=_text, default="", help="who said it")


def add_date(parser: argparse.ArgumentParser) -> None:
    """Add the option that says when something was said."""
    parser.add_argument("--date", type=_date, default="", help="when it was said, as 2020-08-25 or 25-8-2020")


def _text(argument: str) -> str:
    """An argument that is text: the shell hands on any bytes, and Python hides those that are none."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"expected UTF-8, got {argument!a:.60}; set the terminal to UTF-8") from None
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


WIDTH = 160  # characters of a thought's text that are shown


def draw(graph: Graph) -> Tree:
    """Draw a graph; hostile text in it is shown as text, never read as markup."""
    trees = {graph.root.id: Tree(_line(graph.root))}
    for thought in graph.thoughts[1:]:
        trees[thought.id] = trees[thought.above].add(_line(thought))
    return trees[graph.root.id]


def _line(thought: Thought[Content]) -> Text:
    words = " ".join(thought.summary.text.split())
    shown = words if len(words) <= WIDTH else f"{words[: WIDTH - 1]}…"
    return Text.assemble((thought.id, "bold"), " ", (f"{thought.summary.heading}: ", "dim"), shown)
