"""``factgraph verify``: check one claim against the user's own documents."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS
from system.app.options import ClaimText, Date, Documents, Fetch, Json, SettingOptions, Speaker
from system.app.service.client import ask_running_service
from system.graph.records import Claim, ClaimResult, Content, Label

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

    from system.checker import Checked
    from system.graph.graph import Graph
    from system.graph.thoughts import Thought
    from system.settings import Settings

COLOR = {
    Label.SUPPORTED: "green",
    Label.REFUTED: "red",
    Label.NOT_ENOUGH_EVIDENCE: "yellow",
    Label.CONFLICTING: "magenta",
}
WIDTH = 160  # characters of a thought's text that are shown


def verify(
    claim: ClaimText,
    /,
    *,
    documents: Documents = (),  # type: ignore[assignment]
    fetch: Fetch = False,
    date: Date = "",
    speaker: Speaker = "",
    graph: Annotated[bool, Parameter(help="show the graph of thoughts")] = False,
    as_json: Json = False,
    output: Annotated[Path | None, Parameter(help="folder for result.json and report.html")] = None,
    settings: SettingOptions | None = None,
) -> int:
    """Check one claim against documents of your own.

    Exit status: 0 the claim is checked, whatever the verdict, 2 bad input, 3 the check failed.
    """
    asked = Claim(claim, date=date, speaker=speaker)
    common.find_sources(documents, settings, fetch=fetch)
    if output:  # before anything takes long
        output.mkdir(parents=True, exist_ok=True)
    checked = _checked(asked, documents, common.settings_of(settings, documents=True), fetch=fetch)
    if as_json:
        print(_json(checked, graph=graph))
    else:
        from rich.console import Console

        print_answer(checked.result, checked.graph, with_graph=graph, console=Console())
    if output:
        save_answer(output, checked)
        print(output / "report.html", file=sys.stderr)
    return EXIT_FAILED_CLAIMS if checked.result.failed else 0


def _checked(claim: Claim, documents: Documents, settings: "Settings", *, fetch: bool) -> "Checked":
    from system.checker import Checked  # only now: these take seconds
    from system.graph.graph import Graph

    if answer := ask_running_service(claim, documents, settings, fetch=fetch):
        result = ClaimResult.model_validate(answer["result"])
        sys.stderr.writelines(f"{warning}\n" for warning in result.warnings)
        return Checked(result, Graph.from_json(answer["graph"]))
    with common.load_checker(settings) as checker:
        return checker.check(claim, documents, fetch=fetch)


def _json(checked: "Checked", *, graph: bool) -> str:
    import orjson

    return orjson.dumps(checked.to_dict(graph=graph), option=orjson.OPT_INDENT_2).decode()


def save_answer(folder: Path, checked: "Checked") -> None:
    """Write ``result.json``, with the graph, and ``report.html``, a page on this claim that opens from disk."""
    from system.files.texts import write_text
    from system.report.page import claim_page

    write_text(folder / "result.json", _json(checked, graph=True) + "\n")
    write_text(folder / "report.html", claim_page(checked.result, checked.graph.to_json()))


def print_answer(result: ClaimResult, graph: "Graph", *, with_graph: bool, console: "Console") -> None:
    """Print label, justification, questions with answers and sources, and (if wanted) the graph of thoughts.

    Text from documents is printed as it is: nothing in it is read as terminal markup.
    """
    from rich.text import Text

    from knowledge_store.pages.page import source_name

    verdict = result.verdict
    sure = "" if verdict.label is Label.NOT_ENOUGH_EVIDENCE else f"  ({verdict.confidence:.0%})"
    console.print(Text.assemble((str(verdict.label), f"bold {COLOR[verdict.label]}"), sure))
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


def draw(graph: "Graph") -> "Tree":
    """Draw a graph; hostile text in it is shown as text, never read as markup."""
    from rich.text import Text
    from rich.tree import Tree

    def line(thought: "Thought[Content]") -> Text:
        words = " ".join(thought.summary.text.split())
        shown = words if len(words) <= WIDTH else f"{words[: WIDTH - 1]}…"
        return Text.assemble((thought.id, "bold"), " ", (f"{thought.summary.heading}: ", "dim"), shown)

    trees = {graph.root.id: Tree(line(graph.root))}
    for thought in graph.thoughts[1:]:
        trees[thought.id] = trees[thought.above].add(line(thought))
    return trees[graph.root.id]
