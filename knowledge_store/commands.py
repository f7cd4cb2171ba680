"""Build a knowledge store from your documents, index an archive of any size, or search a store.

python -m knowledge_store build FOLDER --output STORE.json
python -m knowledge_store index SOURCE… --output ARCHIVE.sqlite [--dense]
python -m knowledge_store search STORE.json|ARCHIVE.sqlite "a question" [--limit 5] [--explain]
"""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from knowledge_store.bm25.scoring import contributions, explain_score
from knowledge_store.dense.encoder import EncoderUnavailable
from knowledge_store.options import parser
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.page import Flaws, counted, describe, source_name
from knowledge_store.pages.store import write_store
from knowledge_store.progress import progress_bar
from knowledge_store.ranking import rank
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive, is_archive
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import words


def main(arguments: Sequence[str] | None = None, prog: str = "python -m knowledge_store") -> int:
    """Run the command line; returns the exit status, 2 after an error that the user can mend."""
    logging.basicConfig(format="%(message)s")
    options = parser(prog).parse_args(arguments)
    try:
        if options.command == "build":
            _build(options.folder, options.output)
        elif options.command == "index":
            _index(options.sources, options.output, options.encoder if options.dense else "")
        else:
            _search(options.store, options.question, options.limit, options.explain)
    except (DocumentsError, EncoderUnavailable, SearchError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _build(folder: Path, output: Path) -> None:
    flaws = Flaws()
    try:
        pages = write_store(read_documents(folder, flaws), output)
    except OSError as error:
        raise DocumentsError(f"cannot write the store: {error}") from error
    print(f"{output}: {counted(pages, 'page')} from {folder}{describe(flaws)}")


def _index(sources: list[str], output: Path, encoder: str) -> None:
    flaws = Flaws()
    pages = progress_bar(read_documents(sources, flaws), desc="pages", unit="page", leave=False, disable=None)
    new, changed = Archive(output).add(pages)
    print(f"{output}: {counted(new, 'new page')}, {changed:,} changed{describe(flaws)}")
    if encoder:
        from knowledge_store.dense.archive import add_vectors
        from knowledge_store.dense.encoder import SentenceEncoder

        settings = RetrievalSettings(encoder=encoder)
        count = add_vectors(Archive.open(output), SentenceEncoder.of(settings), settings)
        print(f"{output}: {counted(count, 'passage')} embedded")


def _search(store: Path, question: str, limit: int, explained: bool) -> None:
    settings = RetrievalSettings()
    if is_archive(store):
        from knowledge_store.dense.archive import encoder_of

        settings = RetrievalSettings(encoder=encoder_of(Archive.open(store)) or settings.encoder)
        ranked = rank(store, question, settings)
    else:
        flaws = Flaws()
        ranked = rank(read_documents(store, flaws), question, settings, flaws=flaws, name=store.name)
    # Loading torch takes seconds, so a wrong path is told before.
    from knowledge_store.dense.encoder import SentenceEncoder
    from knowledge_store.dense.search import PassageIndex, search

    hits = search(PassageIndex(ranked, SentenceEncoder.of(settings), settings), question, limit)
    known = {passage.key: passage.text for passage in (*ranked.passages, *(hit.passage for hit in hits))}
    counted = dict(zip(known, contributions([*known.values()], question), strict=True)) if explained else {}
    console = Console(soft_wrap=True, highlight=False)
    for number, hit in enumerate(hits, 1):
        passage = hit.passage
        place = f"characters {passage.start:,} to {passage.start + len(passage.text):,}"
        console.print(Text.assemble(f"{number}. {hit.score:.3f}  ", (source_name(passage.url), "cyan"), f"  {place}"))
        console.print(_highlighted(passage.text, question))
        if explained:
            console.print(Text(explain_score(counted[passage.key]), "dim"))
        console.print()
    console.print(Text(str(ranked.report), "dim"))


def _highlighted(text: str, question: str) -> Text:
    """The text with the question's words in bold."""
    asked = {word for _, word in words(question)}
    shown = Text(text)
    for (start, end), word in words(text):
        if word in asked:
            shown.stylize("bold yellow", start, end)
    return shown
