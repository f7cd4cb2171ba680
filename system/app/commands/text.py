"""``factgraph text``: check the statements of a text, and show the text with their verdicts."""

import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from cyclopts import Parameter

from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError
from system.app.commands import common
from system.app.commands.common import EXIT_FAILED_CLAIMS, EXIT_INTERRUPTED, EXIT_REFUTED
from system.app.options import Date, Documents, Fetch, Json, SettingOptions, Speaker
from system.documents import stores_in
from system.graph.records import Claim, ClaimResult, Label

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from system.api import TextOptions
    from system.article.records import Article, CheckedStatement, CheckedText
    from system.citations.records import CheckedCitations
    from system.files.journal import RecordJournal
    from system.settings import Settings

C = TypeVar("C", "CheckedText", "CheckedCitations")
SHOWN = 180  # characters of a reason in the table


def text(
    article: Annotated[str, Parameter(help="file (text, Markdown, HTML, PDF, DOCX …), or - for standard input")],
    /,
    *,
    documents: Documents = (),  # type: ignore[assignment]
    fetch: Fetch = False,
    knowledge_store: Annotated[Path | None, Parameter(help="a knowledge store, or a folder of them")] = None,
    date: Date = "",
    speaker: Speaker = "",
    as_json: Json = False,
    output: Annotated[
        Path | None, Parameter(help="where result.json and report.html go (default: output/text/NAME)")
    ] = None,
    resume: Annotated[bool, Parameter(help="go on with the check in --output")] = False,
    overwrite: Annotated[bool, Parameter(help="replace the check of another text in --output")] = False,
    settings: SettingOptions | None = None,
) -> int:
    """Check the statements of a text against documents of your own, a knowledge store or a search.

    Exit status: 0 nothing refuted, 1 a statement refuted, 2 bad input, 3 a statement not checked.
    """
    origin = Claim("a statement", date=date, speaker=speaker)
    check_text_file(article)
    common.one_source(documents, knowledge_store)
    common.find_sources(documents, settings, fetch=fetch, store=bool(knowledge_store))
    if knowledge_store:
        stores_in(knowledge_store)
    chosen, folder = common.settings_of(settings, documents=True, brief=True), folder_of(output, "text", article)
    from system.article.reading import read_article
    from system.article.records import CheckedStatement, CheckedText  # only now: these take seconds
    from system.files.journal import JournalError, RecordJournal, read_identity

    read = read_article(article)
    identity = _identity(origin, documents or [knowledge_store], chosen, read)
    path = folder / "journal.jsonl"
    before = read_identity(path).get("text", identity["text"])
    if before != identity["text"] and not (resume or overwrite):
        raise JournalError(f"{folder} holds the check of another text ({before}); give --overwrite or another --output")
    given: TextOptions = {"store": knowledge_store, "date": origin.date, "speaker": speaker, "fetch": fetch}
    with RecordJournal(path, identity, resume, CheckedStatement) as journal:
        try:
            _check(read, documents, given, chosen, journal)
        except KeyboardInterrupt:
            done = f"{len(journal.finished)} of {len(read.claims)} statements done"
            print(f"stopped with {done}; go on with --resume", file=sys.stderr)
            return EXIT_INTERRUPTED
    checked = CheckedText.of(read, journal.finished)
    from system.report.article import text_page

    publish(folder, checked, text_page(checked), print_text, as_json=as_json)
    if any(one.result.failed for one in checked.statements):
        return EXIT_FAILED_CLAIMS
    return EXIT_REFUTED if checked.counts[Label.REFUTED] else 0


def check_text_file(source: str) -> None:
    """Look whether a text is there, before anything large is imported; raise ``DocumentsError`` if not."""
    path = Path(source)
    if source not in STANDARD_INPUT and not path.is_file():
        raise DocumentsError(f"{source}: {'is a folder' if path.is_dir() else 'no such file'}; expected a text")


def _check(
    article: "Article",
    documents: Documents,
    options: "TextOptions",
    settings: "Settings",
    journal: "RecordJournal[CheckedStatement]",
) -> None:
    """Check what is not in the journal yet; each statement counts once it is there."""
    known = {one.sentence.number for one in journal.finished}
    with common.load_checker(settings) as checker:
        options = {**options, "done": tuple(journal.finished), "progress": True}
        for statement in checker.check_text(article, documents, **options):
            if statement.sentence.number not in known:
                journal.append(statement)


def _identity(
    origin: Claim, sources: "list[str] | list[Path | None]", settings: "Settings", article: "Article"
) -> dict[str, str]:
    """The identity of a check, the same when it goes on: text, sources, settings that can change a verdict."""
    from system.files.journal import identity_of

    tree = settings.model_dump(mode="json", exclude={"run": {"max_concurrent_claims", "workers"}})
    inputs = [
        ("text", f"sha256 {sha256(article.text.encode()).hexdigest()[:16]}"),
        ("sources", " ".join(map(_place, sources))),
        ("date", origin.date),
        ("speaker", origin.speaker),
    ]
    return identity_of(tree, inputs)


def _place(source: str | Path | None) -> str:
    """A source in one spelling, whichever folder it was given from."""
    return str(Path(source).resolve()) if source and Path(source).exists() else str(source)


def folder_of(given: Path | None, command: str, source: str) -> Path:
    """The output folder, which exists from here on: the one given, or one of the text's name."""
    folder = given or Path("output", command, "standard-input" if source in STANDARD_INPUT else Path(source).stem)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def explained(reason: str, result: ClaimResult | None) -> "Text":
    """A reason as a table shows it, with the correction if there is one."""
    from rich.text import Text

    plain = " ".join(reason.split())
    why = Text(plain if len(plain) <= SHOWN else f"{plain[:SHOWN].rsplit(' ', 1)[0]} …")
    if result and result.correction:
        why.append_text(Text.assemble("\n", ("corrected: ", "bold"), result.correction.text))
    return why


def publish(folder: Path, checked: C, page: str, table: "Callable[[C, Console], None]", *, as_json: bool) -> None:
    """Write what was checked as JSON and as a page, and print it as JSON or as a table."""
    import orjson
    from rich.console import Console

    from system.files.texts import write_text

    plain = orjson.dumps(checked.to_dict(), option=orjson.OPT_INDENT_2).decode()
    write_text(folder / "result.json", f"{plain}\n")
    write_text(folder / "report.html", page)
    if as_json:
        print(plain)
    else:
        table(checked, Console())
    print(folder / "report.html", file=sys.stderr)


def print_text(checked: "CheckedText", console: "Console") -> None:
    """Print a row for each statement, and the counts; nothing in a text is read as terminal markup."""
    from rich.table import Table
    from rich.text import Text

    from system.app.commands.verify import COLOR

    table = Table(box=None, padding=(0, 2, 1, 0), header_style="dim")
    for heading, ratio in (("", None), ("statement", 3), ("verdict", None), ("why", 4)):
        table.add_column(heading, ratio=ratio)
    for one in checked.statements:
        why = explained(one.result.verdict.justification, one.result)
        label = Text(str(one.label), style=f"bold {COLOR[one.label]}")
        table.add_row(str(one.sentence.number), Text(one.sentence.claim), label, why)
    console.print(table)
    console.print(Text(checked.headline if checked.statements else "no statement to check"))
