"""Making a knowledge store, in the official format, from the user's own documents."""

from pathlib import Path

import orjson

from knowledge_store.documents import DocumentsError, read_documents
from knowledge_store.reading import Flaws, Page


def build(folder: Path, output: Path, flaws: Flaws) -> int:
    """Write the documents of a folder as a store: one line for each, so that ``read_pages`` returns the same pages.

    Args:
        folder: see ``read_documents``.
        output: the store; an existing file is replaced.
        flaws: counts the files that had to be left out.

    Returns:
        Number of pages written.

    Raises:
        DocumentsError: there is no document with text, or the store cannot be written.
    """
    lines = [_line(page, output.stem) for page in read_documents(folder, flaws)]
    if not lines:
        raise DocumentsError(f"no document at {folder} has text")
    try:
        output.write_bytes(b"".join(lines))
    except OSError as error:
        raise DocumentsError(f"the store cannot be written: {error}") from error
    return len(lines)


def _line(page: Page, claim_id: str) -> bytes:
    record = {"claim_id": claim_id, "type": "document", "query": "", "url": page.url, "url2text": page.sentences}
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
