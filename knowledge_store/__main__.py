"""Write documents as a store, index documents and stores as an archive of any size, or search.

python -m knowledge_store build FOLDER --output STORE.json
python -m knowledge_store index SOURCE… --output ARCHIVE.sqlite [--dense]
python -m knowledge_store search STORE.json|ARCHIVE.sqlite "a question" [--limit 5]
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.page import Flaws, counted, describe, source_name
from knowledge_store.progress import progress_bar
from knowledge_store.searchers import SearchError
from knowledge_store.settings import RetrievalSettings


def main(argv: Sequence[str] | None = None, prog: str = "python -m knowledge_store") -> int:
    """Run a command; return the exit status, 2 after an error that the user can mend."""
    options = parser(prog).parse_args(argv)
    from knowledge_store.dense.encoder import EncoderUnavailable  # only now: it takes seconds to import

    logging.basicConfig(format="%(message)s")
    try:
        if options.command == "build":
            _build(options.folder, options.output)
        elif options.command == "index":
            _index(options.sources, options.output, options.encoder if options.dense else "")
        else:
            _search(options.store, options.question, options.limit)
    except (DocumentsError, EncoderUnavailable, OSError, SearchError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def parser(prog: str = "python -m knowledge_store") -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog=prog, description=(__doc__ or "").partition("\n")[0])
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    building = commands.add_parser("build", help="write documents as a store")
    building.add_argument("folder", help="document or folder of documents")
    building.add_argument("--output", type=Path, required=True, metavar="STORE.json", help="the store to write")
    indexing = commands.add_parser("index", help="index documents or stores as an archive, or add to one")
    add = indexing.add_argument
    add("sources", nargs="+", metavar="SOURCE", help="document, folder of documents, or store (JSON Lines)")
    add("--output", type=Path, required=True, metavar="ARCHIVE.sqlite", help="the archive")
    add("--dense", action="store_true", help="add vectors, so that pages are found by meaning too (extra: archive)")
    add("--encoder", default=RetrievalSettings().encoder, help="encoder of the vectors (default: %(default)s)")
    searching = commands.add_parser("search", help="show the passages of a store or archive that answer a question")
    add = searching.add_argument
    add("store", type=Path, help="a store, an archive, or a document or folder of documents")
    add("question", type=_question, help="what to look for")
    add("--limit", type=_positive, default=5, metavar="N", help="maximum passages to show (default: 5)")
    return made


def _question(text: str) -> str:
    if not any(map(str.isalnum, text)):
        raise argparse.ArgumentTypeError(f"expected words to look for, got {text!r}")
    return text


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, got {text}")
    return int(text)


def _build(folder: str, output: Path) -> None:
    from knowledge_store.pages.store import write_store

    flaws = Flaws()
    count = write_store(read_documents(folder, flaws), output)
    print(f"{output}: {counted(count, 'page')}{describe(flaws)}")


def _index(sources: list[str], output: Path, encoder: str) -> None:
    from knowledge_store.dense.archive import add_vectors
    from knowledge_store.dense.encoder import SentenceEncoder
    from knowledge_store.searchers.archive import Archive

    flaws = Flaws()
    pages = progress_bar(read_documents(sources, flaws), desc="pages", unit="page", leave=False, disable=None)
    new, changed = Archive(output).add(pages)
    print(f"{output}: {counted(new, 'new page')}, {changed:,} changed{describe(flaws)}")
    if encoder:
        settings = RetrievalSettings(encoder=encoder)
        count = add_vectors(Archive.open(output), SentenceEncoder.of(settings), settings)
        print(f"{output}: {counted(count, 'passage')} embedded")


def _search(store: Path, question: str, limit: int) -> None:
    from knowledge_store.dense.archive import encoder_of
    from knowledge_store.dense.encoder import SentenceEncoder
    from knowledge_store.dense.search import PassageIndex, search
    from knowledge_store.ranking import rank
    from knowledge_store.searchers.archive import Archive, is_archive

    settings, flaws = RetrievalSettings(), Flaws()
    if is_archive(store):
        settings = RetrievalSettings(encoder=encoder_of(Archive.open(store)) or settings.encoder)
        ranked = rank(store, question, settings)
    else:
        ranked = rank(read_documents(store, flaws), question, settings, flaws=flaws, name=store.name)
    hits = search(PassageIndex(ranked, SentenceEncoder.of(settings), settings), question, limit)
    for number, hit in enumerate(hits, 1):
        print(f"{number}. {hit.score:.3f}  {source_name(hit.passage.url)}\n{hit.passage.text}\n")
    print(ranked.report)


if __name__ == "__main__":
    sys.exit(main())
