"""Files as blocks of prose: text, Markdown, HTML, PDF, DOCX and CSV.

A block is a paragraph, a heading, an item of a list or a row of a table: what can be read alone and is never joined to
the sentence after it. Untrusted files are read in a worker process: see ``reading``. Example:
``parts_of(data, ".csv", "towns.csv")`` yields ("row=2-9", blocks).
"""

import csv
import logging
import re
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from html import escape
from io import StringIO
from itertools import chain

from charset_normalizer import from_bytes
from markdown_it import MarkdownIt

from knowledge_store.normalization import encodable
from knowledge_store.pages import html, pdf, word
from knowledge_store.pages.html import row_text
from knowledge_store.pages.page import UnreadableFile
from knowledge_store.pages.pdf import SOFT_HYPHEN

ROWS = 1000  # characters of a table's rows that are cited together
MARKS = re.compile(r"^(#{1,6} \S|[-*+] \S|```|> )|\*\*\S|\]\(\S", re.MULTILINE)
LONGEST_PASTED = 200_000  # characters; parsing longer Markdown that nobody has vetted can take long

OTHER_ENCODINGS = re.compile(r"\0|\x1b\$")  # in what may be UTF-8: UTF-16 and UTF-32; ISO 2022
DECLARED = re.compile(rb"charset\s*=|<\?xml[^>]*encoding\s*=", re.IGNORECASE)
FEW, SPARSE = 100, 0.25  # bytes beyond ASCII that are too few to tell an encoding; and their share of all letters

_HTML = "!doctype html|!--|html|head|body|title|meta|link|script|style|iframe|h1|div|table|font|a|b|br|p"
HTML_STARTS = re.compile(rf"(?:<\?xml[^>]*>\s*)?<(?:{_HTML})\b".encode())
"""How pages of HTML begin, in lower case (https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type)."""

HEADING_WORDS, WRAPPED = 12, 110  # most words of a heading; longest line of a text whose lines are wrapped
_ENDS = re.compile(r"[.!?…。！？।॥؟۔,;:–—-][\"'”’»)\]]*$")  # of a line that is no heading, or goes on
_ITEM = re.compile(r"(?:[-*•–]|\(?\d{1,3}[.)])\s")
_ADDRESS = re.compile(r" ?&lt;(https?://[^\s<>]+?)&gt;")
DELIMITERS = ",;\t|"
SAMPLE = 200  # lines of a table that tell its delimiter

log = logging.getLogger(__name__)
for _library in ("trafilatura", "htmldate"):
    logging.getLogger(_library).setLevel(logging.CRITICAL)  # their complaints name no file; ours do


def parts_of(data: bytes, suffix: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """The parts of a file that can be cited, each with its place and its blocks that are not blank.

    A place is the fragment of an address: "page=3" of a PDF (RFC 8118), "row=2-9" of a table, where the header is row 1
    (RFC 7111), and empty for the whole of another file.

    Args:
        suffix: the ending of its name, as in ``SUFFIXES``.
        name: for warnings.

    Raises:
        UnreadableFile: it is damaged, encrypted, too large, or no text in any known encoding.
    """
    for place, blocks in READERS[suffix](data, name):
        shown = (encodable(block).replace(SOFT_HYPHEN, "") for block in blocks)
        if kept := [block for block in shown if block.strip()]:
            yield place, kept


def html_of(data: bytes, suffix: str, name: str) -> str | None:
    """Return a document with its links as HTML (HTML, DOCX, PDF); None for other formats.

    Raises:
        UnreadableFile: see ``parts_of``.
    """
    if suffix == ".docx":
        return word.html_of(data, name)
    if suffix == ".pdf":
        blocks = (escape(block) for _, blocks in pdf.pages_of(data, name, links=True) for block in blocks)
        linked = (_ADDRESS.sub(r'<a href="\1">\1</a>', block) for block in blocks)
        return "".join(f"<p>{block}</p>" for block in linked)
    return decoded(data, name) if suffix in (".html", ".htm") else None


def suffix_of_text(text: str) -> str:
    """The suffix of a pasted text: that of Markdown if it has its markup.

    >>> suffix_of_text("It **opened** in 1932."), suffix_of_text("2 * 3 * 4 is #1")
    ('.md', '.txt')
    """
    return ".md" if len(text) <= LONGEST_PASTED and MARKS.search(text) else ".txt"


def suffix_of(data: bytes) -> str:
    """The suffix that the bytes of a document without a name would have."""
    head = data[:1024].removeprefix(BOM_UTF8).lstrip().lower()
    if head.startswith(b"%pdf"):
        return ".pdf"
    if head.startswith(b"pk\x03\x04"):
        return ".docx"
    return ".html" if HTML_STARTS.match(head) else ".txt"


def decoded(data: bytes, name: str) -> str:
    """Decode as UTF-8 or, failing that, as what the bytes declare or look like, with a warning.

    Few bytes beyond ASCII do not tell encodings of Latin letters apart. Without a declaration they are read as
    Windows-1252, as browsers do (https://html.spec.whatwg.org/#determining-the-character-encoding).

    Raises:
        UnreadableFile: the bytes look like no text.
    """
    with suppress(UnicodeDecodeError):
        text = data.decode("utf-8-sig")
        if not OTHER_ENCODINGS.search(text):
            return text
    if _is_western(data):
        with suppress(UnicodeDecodeError):
            text = data.decode("cp1252")
            log.warning("%s: not UTF-8, read as cp1252", name)
            return text
    guess = from_bytes(data).best()
    if guess is None or OTHER_ENCODINGS.search(str(guess)):
        raise UnreadableFile("not text in any known encoding")
    if guess.encoding not in ("ascii", "utf_8"):
        log.warning("%s: not UTF-8, read as %s", name, guess.encoding)
    return str(guess)


def _is_western(data: bytes) -> bool:
    """Whether a text declares no encoding, and its bytes beyond ASCII are few and stand alone among other letters."""
    high = sum(byte > 127 for byte in data[: 100 * FEW])
    letters = sum(byte > 127 or chr(byte).isalpha() for byte in data[: 100 * FEW])
    controls = any(byte < 32 and byte not in b"\t\n\f\r" for byte in data)
    return not controls and 0 < high <= min(FEW, SPARSE * letters) and not DECLARED.search(data[:2048])


def _text(data: bytes, name: str) -> list[str]:
    text = decoded(data, name).replace("\r\n", "\n").replace("\r", "\n")
    longest = max(map(len, text.split("\n")))
    return [part for block in re.split(r"\n[^\S\n]*\n", text) for part in text_blocks(block, longest)]


def text_blocks(block: str, longest: int = 0) -> Iterator[str]:
    """Cut a paragraph of plain text at lines that stand alone: headings, items, and all if lines are not wrapped.

    >>> list(text_blocks("Tessaly Foods\\nTessaly Foods was founded in Bergen,\\nin the year 2010."))
    ['Tessaly Foods', 'Tessaly Foods was founded in Bergen,\\nin the year 2010.']

    Args:
        longest: characters of the longest line of the text, which tells whether its lines are wrapped.
    """
    lines = block.split("\n")
    longest = max(longest, *map(len, lines))
    begin = 0
    for number, line in enumerate(lines[:-1], 1):
        after = lines[number].lstrip()
        if _stands_alone(line.strip(), after, longest) or _ITEM.match(after):
            yield "\n".join(lines[begin:number])
            begin = number
    yield "\n".join(lines[begin:])


def _stands_alone(line: str, after: str, longest: int) -> bool:
    """Whether a line does not go on in the one after it."""
    if longest > WRAPPED:
        return True
    short = len(line) < pdf.SHORT_LINE * longest and len(line.split()) <= HEADING_WORDS
    return short and not _ENDS.search(line) and not after[:1].islower() and not line[:1].islower()


def _markdown(data: bytes, name: str) -> Iterator[str]:
    return _cut_lines(html.everything(MarkdownIt("commonmark").enable("table").render(decoded(data, name))))


def _html(data: bytes, name: str) -> Iterator[str]:
    return _cut_lines(html.article(decoded(data, name)))


def _docx(data: bytes, name: str) -> Iterator[str]:
    return _cut_lines(html.everything(word.html_of(data, name)))


def _cut_lines(blocks: Iterable[str]) -> Iterator[str]:
    """Cut blocks at lines that stand alone."""
    return (part for block in blocks for part in text_blocks(block))


def _pdf(data: bytes, name: str) -> Iterator[tuple[str, list[str]]]:
    return pdf.pages_of(data, name)


def _csv(data: bytes, name: str) -> Iterator[tuple[str, Iterable[str]]]:
    """The rows of a table, some at a time; lines above the header, such as a title, are a part of their own."""
    text = decoded(data, name)
    csv.field_size_limit(sys.maxsize)  # the worker's memory is limited
    first, _, rest = text.partition("\n")
    told = re.fullmatch(r'"?sep=(.)"?\r?', first)
    delimiter = told[1] if told else _delimiter(text)
    rows = csv.reader(StringIO(rest if told else text, newline=""), delimiter=delimiter)
    above, header, number = _header(rows, 1 + bool(told), text, delimiter)
    below = next(rows, None)
    if below is None:
        log.warning("%s: expected a header and rows below it, got only lines without", name)
        above, number = [*above, header], number + 1
    if above:
        yield _rows(number - len(above), number - 1), [" ".join(filter(None, row)) for row in above]
    blocks: list[str] = []
    since = number + 1
    for number, row in enumerate(chain([below] if below is not None else [], rows), since):
        block = row_text(header, row)
        if blocks and sum(map(len, blocks)) + len(block) > ROWS:
            yield _rows(since, number - 1), blocks
            blocks, since = [], number
        blocks.append(block)
    if blocks:
        yield _rows(since, since + len(blocks) - 1), blocks


def _delimiter(text: str) -> str:
    """The delimiter that cuts most lines into equally many fields."""
    sample = text[:100_000].splitlines()[:SAMPLE]
    return max(DELIMITERS, key=lambda delimiter: _usual(sample, delimiter)[::-1])


def _usual(lines: Sequence[str], delimiter: str) -> tuple[int, int]:
    """How many fields most lines with more than one have, and how many lines those are."""
    counts = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if len(row) > 1)
    return max(counts.items(), key=lambda item: (item[1], item[0]), default=(1, 0))


def _header(
    rows: Iterator[list[str]], number: int, text: str, delimiter: str
) -> tuple[list[list[str]], list[str], int]:
    """The rows above the header, the header, and its number.

    A row with at most one field, or half as many as most have, is no header, nor is a comment.
    """
    usual, alike = _usual(text[:100_000].splitlines()[:SAMPLE], delimiter)
    above: list[list[str]] = []
    for row in rows:
        filled = sum(bool(cell.strip()) for cell in row)
        comment = bool(row) and row[0].lstrip().startswith("#") and filled < usual
        if not comment and filled > (max(1, usual // 2) if alike else 0):
            return above, row, number
        above.append(row)
        number += 1
    return above, [], number


def _rows(first: int, last: int) -> str:
    return f"row={first}-{last}" if last > first else f"row={first}"


def _whole(read: Callable[[bytes, str], Iterable[str]]) -> "Reader":
    """The reader of a format without places."""
    return lambda data, name: [("", read(data, name))]


Reader = Callable[[bytes, str], Iterable[tuple[str, Iterable[str]]]]

READERS: dict[str, Reader] = {
    ".txt": _whole(_text),
    **dict.fromkeys((".md", ".markdown"), _whole(_markdown)),
    **dict.fromkeys((".html", ".htm"), _whole(_html)),
    ".pdf": _pdf,
    ".docx": _whole(_docx),
    ".csv": _csv,
    ".tsv": _csv,
}

SUFFIXES = frozenset(READERS)
LIBRARIES = {
    ".html": ("trafilatura",),
    ".htm": ("trafilatura",),
    ".pdf": ("pypdfium2",),
    ".docx": ("lxml.html",),
}
"""Modules that the readers import late, because it takes long."""
