"""``factgraph verify``: check one claim against the user's own documents."""

import sys
from collections.abc import Sequence
from pathlib import Path

import orjson
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from knowledge_store.pages.documents import DocumentsError, find_documents
from knowledge_store.pages.page import source_name
from system.app import options
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS
from system.app.parsers import verify as parser
from system.check import Engine
from system.checker import Checked, Checker
from system.collection import Collection, document_collection
from system.files.texts import write_text
from system.graph.graph import Graph
from system.graph.records import Claim, ClaimResult, Content, Label
from system.graph.thoughts import Thought
from system.models.loop_thread import run_loop

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
    find_documents(args.documents, fetch=args.fetch)
    collection = document_collection(args.documents, settings, fetch=args.fetch)
    engine, _ = common.load_timed(settings)
    checked = run_loop(_check(engine, claim, collection))
    if args.output:
        save_answer(args.output, checked)
    if args.json:
        print(as_json(checked, graph=args.graph))
    else:
        print_answer(checked.result, checked.graph, with_graph=args.graph, console=Console())
    if args.output:
        print(args.output / "report.html", file=sys.stderr)
    return EXIT_FAILED_CLAIMS if checked.result.failed else 0


async def _check(engine: Engine, claim: Claim, collection: Collection) -> Checked:
    async with common.closing(engine):
        return await Checker(engine).check(claim, collection)


def as_json(checked: Checked, *, graph: bool) -> str:
    """Verdict, evidence, time and failures as JSON, with the graph if it is wanted."""
    return orjson.dumps(checked.to_dict(graph=graph), option=orjson.OPT_INDENT_2).decode()


def save_answer(folder: Path, checked: Checked) -> None:
    """Write ``result.json``, with the graph, and ``report.html``, a page on this claim that opens from disk."""
    from system.report.page import claim_page  # only here: it loads the templates

    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "result.json", as_json(checked, graph=True) + "\n")
    write_text(folder / "report.html", claim_page(checked.result, checked.graph.to_json()))


def print_answer(result: ClaimResult, graph: Graph, *, with_graph: bool, console: Console) -> None:
    """Print label, justification, questions with answers and sources, and (if wanted) the graph of thoughts.

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
            console.print(Text(f"  {source_name(url)}", style="dim"))
    for failure in result.failures:
        console.print(Text(f"failed: {failure.operation}: {failure.message}", style="red"))
    if with_graph:
        console.print()
        console.print(draw(graph))
    console.print(Text(f"\n{result.timing.seconds:.1f} s, {result.timing.cost.calls} model calls", style="dim"))


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
