"""The options of ``python -m knowledge_store``, apart from its work: help and typos do not wait for the rankers."""

import argparse
from pathlib import Path

from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.settings import RetrievalSettings

DESCRIPTION = "Build a knowledge store from your documents, index an archive of any size, or search a store."


def parser(prog: str = "python -m knowledge_store") -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog=prog, description=DESCRIPTION)
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    building = commands.add_parser("build", help="build a store from a folder of documents")
    building.add_argument("folder", type=Path, help=f"folder with files ending in {', '.join(sorted(SUFFIXES))}")
    building.add_argument("--output", type=Path, required=True, metavar="STORE.json", help="the store to write")
    indexing = commands.add_parser("index", help="index documents or stores as an archive, or add to one")
    indexing.add_argument(
        "sources", nargs="+", metavar="SOURCE", help="document, folder of documents, or store (JSON Lines)"
    )
    indexing.add_argument("--output", type=Path, required=True, metavar="ARCHIVE.sqlite", help="the archive")
    indexing.add_argument(
        "--dense", action="store_true", help="add vectors, so that pages are found by meaning too (needs faiss-cpu)"
    )
    indexing.add_argument(
        "--encoder", default=RetrievalSettings().encoder, help="encoder of the vectors (default: %(default)s)"
    )
    searching = commands.add_parser("search", help="show the passages of a store or archive that answer a question")
    searching.add_argument("store", type=Path, help="a store, an archive, or a document or folder of documents")
    searching.add_argument("question", type=_question, help="what to look for")
    searching.add_argument(
        "--limit", type=_positive, default=5, metavar="N", help="maximum passages to show (default: 5)"
    )
    searching.add_argument(
        "--explain", action="store_true", help="show what each word of the question adds to the BM25 score"
    )
    return made


def _question(text: str) -> str:
    if not any(character.isalnum() for character in text):
        raise argparse.ArgumentTypeError(f"expected words to look for, got {text!r}")
    return text


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, got {text}")
    return number
