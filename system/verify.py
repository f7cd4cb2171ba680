"""Check one claim against the user's own documents, and show the answer on the terminal."""

from rich.console import Console
from rich.text import Text

from system.drawing import draw
from system.graph import Graph
from system.records import ClaimResult, Label

COLOUR = {
    Label.SUPPORTED: "green",
    Label.REFUTED: "red",
    Label.NOT_ENOUGH_EVIDENCE: "yellow",
    Label.CONFLICTING: "magenta",
}


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
