"""``factgraph citations``: check whether the sources that a text cites say what its sentences say."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, EXIT_REFUTED
from system.app.commands.text import check_text_file, explained, folder_of, publish
from system.app.options import Date, Json, SettingOptions
from system.graph.records import Claim

if TYPE_CHECKING:
    from rich.console import Console

    from system.citations.records import CheckedCitations


def citations(
    text: Annotated[str, Parameter(help="file (Markdown, HTML, text, PDF, DOCX …), or - for standard input")],
    /,
    *,
    documents: Annotated[
        list[str], Parameter(consume_multiple=True, help="the sources: files, folders of them, or a store")
    ] = (),  # type: ignore[assignment]
    fetch: Annotated[bool, Parameter(help="fetch cited addresses that no document has")] = False,
    date: Date = "",
    as_json: Json = False,
    output: Annotated[Path | None, Parameter(help="where the results go (default: output/citations/NAME)")] = None,
    settings: SettingOptions | None = None,
) -> int:
    """Check whether the sources that a text cites (links, footnotes, numbered references) say what its sentences say.

    A source is found among --documents by its name or address, or beside the text.

    Exit status: 0 nothing contradicted, 1 a sentence contradicted, 2 bad input, 3 a source not readable.
    """
    origin = Claim("a statement", date=date)
    check_text_file(text)
    common.find_sources(documents, {}, fetch=fetch, store=True)
    chosen, folder = common.settings_of(settings, documents=True, brief=True), folder_of(output, "citations", text)
    from system.citations.marks import read_citing  # only now: it takes a second
    from system.citations.records import UNREAD, CheckedCitations, Outcome

    citing = read_citing(text)
    with common.load_checker(chosen) as checker:
        found = checker.check_citations(citing, documents, fetch=fetch, date=origin.date, progress=True)
        checked = CheckedCitations.of(citing.article, found, citing.unresolved)
    from system.report.citations import citations_page

    publish(folder, checked, citations_page(checked), print_citations, as_json=as_json)
    if any(checked.counts[outcome] for outcome in UNREAD):
        return EXIT_FAILED_CLAIMS
    return EXIT_REFUTED if checked.counts[Outcome.CONTRADICTED] else 0


def print_citations(checked: "CheckedCitations", console: "Console") -> None:
    """Print a row for each citation, and the counts; nothing in a text is read as terminal markup."""
    from rich.table import Table
    from rich.text import Text

    from knowledge_store.pages.page import counted, source_name
    from system.citations.records import UNREAD, Outcome, described

    color = {Outcome.SUPPORTED: "green", Outcome.CONTRADICTED: "red"} | dict.fromkeys(UNREAD, "magenta")
    table = Table(box=None, padding=(0, 2, 1, 0), header_style="dim")
    for heading, ratio in (("statement", 3), ("cites", 2), ("its source", None), ("why", 4)):
        table.add_column(heading, ratio=ratio)
    for one in checked.citations:
        label = Text(str(one.outcome), style=f"bold {color.get(one.outcome, 'yellow')}")
        cited = one.citation
        name = source_name(cited.target)
        where = name if cited.mark == cited.target else f"{cited.mark} {name}"
        table.add_row(Text(cited.sentence.claim), Text(where), label, explained(one.why, one.result))
    console.print(table)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in checked.counts.items() if count)
    console.print(Text(f"{counted(len(checked.citations), 'citation')}: {counts}"))
    if lost := described(checked.unresolved):
        console.print(Text(lost))
