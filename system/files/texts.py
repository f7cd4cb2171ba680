"""Text files that are written whole or not at all, in UTF-8 that every reader can carry."""

from pathlib import Path

from knowledge_store.normalization import encodable
from system.files.atomic import write_atomically


class FileError(Exception):
    """A file that cannot be read or written; the message names it, what was expected and the remedy."""


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8 so that ``path`` holds either its earlier content or all of ``text``.

    Line ends are written as they are. The folder is made if it is missing.

    Raises:
        FileError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise FileError(f"cannot write {path} ({error.strerror}); give another path") from error


def repair(text: str) -> str:
    """Return text that UTF-8 can carry: join surrogate pairs, replace lone ones by U+FFFD, drop NULs.

    >>> repair("a\\ud83d\\ude00 b\\ud800 c\\0")
    'a😀 b\ufffd c'
    """
    return encodable(text).replace("\0", "")
