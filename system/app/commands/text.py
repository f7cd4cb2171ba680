"""``factgraph text``: check the statements of a text, and show the text with their verdicts."""

import argparse
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError, find_documents
from knowledge_store.searchers.searched import open_searcher
from system.api import FactChecker
from system.app import options
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, EXIT_INTERRUPTED, EXIT_REFUTED
from system.app.commands.verify import COLOR
from system.app.parsers import text as parser
from system.article.checking import stores_in
from system.article.reading import read_article
from system.article.records import Article, CheckedStatement, CheckedText
from system.citations.records import CheckedCitations
from system.files.journal import JournalError, RecordJournal, identity_of, read_identity
from system.files.texts import write_text
from system.graph.records import ClaimResult, Label
from system.settings import Settings

C = TypeVar("C", CheckedText, CheckedCitations)
SHOWN = 180  # characters of a reason in the table


def command(arguments: Sequence[str]) -> int:
    """Check the text, print its statements, and write the page.

    Returns:
        0 where no statement is refuted, 1 where one is; 3 where a verdict stands for a failure, whatever the others.
    """
    args = options.parse(parser(), arguments)
    settings = common.settings_of(args, reading=True)
    if not (args.documents or args.knowledge_store or settings.retrieval.search):
        raise DocumentsError("no evidence: give --documents, --knowledge-store or --search")
    if args.documents and args.knowledge_store:
        raise DocumentsError("--documents and --knowledge-store cannot be combined; give one of them")
    article = read_article(args.article)
    find_sources(args, settings)
    output = folder_of(args.output, "text", args.article)
    identity = _identity(args, settings, article)
    path = output / "journal.jsonl"
    before = read_identity(path).get("text", identity["text"])
    if before != identity["text"] and not (args.resume or args.overwrite):
        raise JournalError(f"{output} holds the check of another text ({before}); give --overwrite or another --output")
    with RecordJournal(path, identity, args.resume, CheckedStatement) as journal:
        try:
            checked = _checked(args, settings, article, journal)
        except KeyboardInterrupt:
            done = f"{len(journal.finished)} of {len(article.claims)} statements done"
            print(f"stopped with {done}; go on with --resume", file=sys.stderr)
            return EXIT_INTERRUPTED
    from system.report.article import text_page  # only here: it loads the templates

    publish(args, output, checked, text_page(checked), print_text)
    if any(one.failed for one in checked.statements):
        return EXIT_FAILED_CLAIMS
    return EXIT_REFUTED if checked.counts[Label.REFUTED] else 0


def _checked(
    args: argparse.Namespace, settings: Settings, article: Article, journal: RecordJournal[CheckedStatement]
) -> CheckedText:
    """Check what is not in the journal yet; each statement counts once it is there."""
    engine, _ = common.load_timed(settings)
    known = {one.sentence.number for one in journal.finished}
    with FactChecker(engine=engine) as checker:
        statements = checker.check_text(
            article,
            args.documents,
            store=args.knowledge_store,
            date=args.date,
            speaker=args.speaker,
            done=tuple(journal.finished),
            fetch=args.fetch,
            progress=True,
        )
        for statement in statements:
            if statement.sentence.number not in known:
                journal.append(statement)
    return CheckedText.of(article, journal.finished)


def find_sources(args: argparse.Namespace, settings: Settings) -> None:
    """Look whether there is evidence, before models are loaded for half a minute.

    Raises:
        DocumentsError: a document or a store does not exist.
        SearchError: there is no such archive.
    """
    find_documents(args.documents or (), fetch=args.fetch)
    if store := getattr(args, "knowledge_store", None):
        stores_in(store)
    if settings.retrieval.search:
        open_searcher(settings.retrieval.search)


def _identity(args: argparse.Namespace, settings: Settings, article: Article) -> dict[str, str]:
    """The identity of a check, the same when it goes on: text, sources, settings that can change a verdict."""
    tree = settings.model_dump(mode="json", exclude={"run": {"max_concurrent_claims", "workers"}})
    return identity_of(
        tree,
        [
            ("text", f"sha256 {sha256(article.text.encode()).hexdigest()[:16]}"),
            ("sources", " ".join(map(_place, args.documents or [args.knowledge_store]))),
            ("date", args.date),
            ("speaker", args.speaker),
        ],
    )


def _place(source: str | Path | None) -> str:
    """A source in one spelling, whichever folder it was given from."""
    return str(Path(source).resolve()) if source and Path(source).exists() else str(source)


def folder_of(given: Path | None, command: str, source: str) -> Path:
    """The output folder, which exists from here on: the one given, or one of the text's name."""
    name = "standard-input" if source == STANDARD_INPUT else Path(source).stem
    folder = given or Path("output", command, name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def explained(reason: str, result: ClaimResult | None) -> Text:
    """A reason as a table shows it, with the correction where there is one."""
    plain = " ".join(reason.split())
    why = Text(plain if len(plain) <= SHOWN else f"{plain[:SHOWN].rsplit(' ', 1)[0]} …")
    if result and result.correction:
        why.append_text(Text.assemble("\n", ("corrected: ", "bold"), result.correction.text))
    return why


def publish(args: argparse.Namespace, folder: Path, checked: C, page: str, table: Callable[[C, Console], None]) -> None:
    """Write what was checked as JSON and as a page, and print it as JSON or as a table."""
    plain = orjson.dumps(checked.to_dict(), option=orjson.OPT_INDENT_2).decode()
    write_text(folder / "result.json", f"{plain}\n")
    write_text(folder / "report.html", page)
    if args.json:
        print(plain)
    else:
        table(checked, Console())
    print(folder / "report.html", file=sys.stderr)


def print_text(checked: CheckedText, console: Console) -> None:
    """Print a row for each statement, and the counts; nothing in a text is read as terminal markup."""
    table = Table(box=None, padding=(0, 2, 1, 0), header_style="dim")
    for heading, ratio in (("", None), ("statement", 3), ("verdict", None), ("why", 4)):
        table.add_column(heading, ratio=ratio)
    for one in checked.statements:
        why = explained(one.result.verdict.justification, one.result)
        label = Text(str(one.label), style=f"bold {COLOR[one.label]}")
        table.add_row(str(one.sentence.number), Text(one.sentence.claim), label, why)
    console.print(table)
    console.print(Text(checked.headline if checked.statements else "no statement to check"))
