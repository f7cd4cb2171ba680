"""``factgraph citations``: check whether the sources that a text cites say what its sentences say."""

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from knowledge_store.pages.page import source_name
from system.api import FactChecker
from system.app import options
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, EXIT_REFUTED
from system.app.commands.text import explained, find_sources, folder_of, publish
from system.app.parsers import citations as parser
from system.citations.checking import read_citing
from system.citations.records import UNREAD, CheckedCitations, CitingText, Outcome, described
from system.settings import Settings

COLOR = {Outcome.SUPPORTED: "green", Outcome.CONTRADICTED: "red"} | dict.fromkeys(UNREAD, "magenta")


def command(arguments: Sequence[str]) -> int:
    """Check the citations, print them, and write the page.

    Returns:
        0 where no source contradicts its sentence, 1 where one does; 3 where a source could not be read.
    """
    args = options.parse(parser(), arguments)
    settings = common.settings_of(args, reading=True)
    citing = read_citing(args.text)
    find_sources(args, settings)
    checked = _checked(args, settings, citing)
    from system.report.citations import citations_page  # only here: it loads the templates

    output = folder_of(args.output, "citations", args.text)
    publish(args, output, checked, citations_page(checked), print_citations)
    if any(checked.counts[outcome] for outcome in UNREAD):
        return EXIT_FAILED_CLAIMS
    return EXIT_REFUTED if checked.counts[Outcome.CONTRADICTED] else 0


def _checked(args: argparse.Namespace, settings: Settings, citing: CitingText) -> CheckedCitations:
    engine, _ = common.load_timed(settings)
    with FactChecker(engine=engine) as checker:
        found = checker.check_citations(citing, args.documents, fetch=args.fetch, date=args.date, progress=True)
        return CheckedCitations.of(citing.article, found, citing.unresolved)


def print_citations(checked: CheckedCitations, console: Console) -> None:
    """Print a row for each citation, and the counts; nothing in a text is read as terminal markup."""
    table = Table(box=None, padding=(0, 2, 1, 0), header_style="dim")
    for heading, ratio in (("statement", 3), ("cites", 2), ("its source", None), ("why", 4)):
        table.add_column(heading, ratio=ratio)
    for one in checked.citations:
        label = Text(str(one.outcome), style=f"bold {COLOR.get(one.outcome, 'yellow')}")
        cited = one.citation
        name = source_name(cited.target)
        where = name if cited.mark == cited.target else f"{cited.mark} {name}"
        why = explained(one.why, one.result)
        table.add_row(Text(cited.sentence.claim), Text(where), label, why)
    console.print(table)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in checked.counts.items() if count)
    console.print(Text(f"{len(checked.citations)} citations: {counts}"))
    if lost := described(checked.unresolved):
        console.print(Text(lost))
