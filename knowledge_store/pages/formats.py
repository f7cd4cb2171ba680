"""Files as blocks of prose: text, Markdown, HTML, PDF, DOCX and CSV.

A block is a paragraph, a heading, an item of a list or a row of a table: what can be read alone and is never joined to
the sentence after it. Untrusted files are read in a worker process: see ``documents``. Example:
``parts_of(data, ".csv", "towns.csv")`` yields ("row=2-9", blocks).
"""

import csv
import logging
import re
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, lookup, register_error
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from html import escape
from io import StringIO
from itertools import accumulate, pairwise, takewhile, zip_longest
from operator import itemgetter
from typing import Any

from charset_normalizer import from_bytes
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from knowledge_store.normalization import encodable
from knowledge_store.pages import html, pdf, word
from knowledge_store.pages.html import names_columns, row_text
from knowledge_store.pages.page import UnreadableFile, counted
from knowledge_store.pages.pdf import SOFT_HYPHEN

ROWS = 1000  # characters of a table's rows that are cited together
MARKS = re.compile(r"^(#{1,6} \S|[-*+] \S|```|> )|\*\*\S|\]\(\S", re.MULTILINE)
LONGEST_PASTED = 200_000  # characters; parsing longer Markdown that nobody has vetted can take long

OTHER_ENCODINGS = re.compile(r"\0.?\0|\x1b\$", re.DOTALL)  # in what may be UTF-8: UTF-16 and UTF-32; ISO 2022
_CONTROL = re.compile(rb"[\x01-\x08\x0b\x0e-\x1f]")
DECLARED = re.compile(rb"<(?:meta[^>]*charset|\?xml[^>]*encoding)\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
ON_THE_WEB = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk", "shift_jis": "cp932"}
"""What declared encodings mean to browsers (https://encoding.spec.whatwg.org/#names-and-labels)."""
FEW, SPARSE = 100, 0.25  # bytes beyond ASCII that are too few to tell an encoding; and their share of all letters

_HTML = "!doctype html|!--|html|head|body|title|meta|link|script|style|iframe|h1|div|table|font|a|b|br|p"
HTML_STARTS = re.compile(rf"(?:<\?xml[^>]*>\s*)?<(?:{_HTML})\b".encode())
"""How pages of HTML begin, in lower case (https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type)."""

HEADING_WORDS = 12  # at most
NARROW, WRAPPED = 45, 110  # characters of the longest line of a text whose lines are wrapped
_ENDS = re.compile(r"[.!?…。！？।॥؟۔,;:–—-][\"'”’»)\]]*$")  # of a line that is no heading, or goes on
_ITEM = re.compile(r"(?:[-*•–]|\(?\d{1,3}[.)])\s|[A-Z][\w .’'-]{1,30}:\s")  # or "Apologies: A. Berg"
_QUOTING = re.compile(r"^(?:> ?)+", re.MULTILINE)  # of mail
_DIVIDED = re.compile(r"(?<=[^\W\d_])-\n(?=\w)")  # a word at a line's end; a bare hyphen says not how it is written
RAISED = (
    r"(?:(?<=[.!?,;:”\"’»%]) ?|(?<=[a-z]{4})(?![²³](?!\d))|(?<=\b1[5-9]\d\d)|(?<=\b20\d\d))[⁰¹²³⁴-⁹]{1,3}(?![\w⁄⁺⁻])"
)
"""The mark of a note, behind a sentence, a word or a year; and no power of a unit ("miles²"), or of ten."""
_NOTE = re.compile(rf"{RAISED}|(?<=[.!?,;:”\"])(?:\[\d{{1,3}}\])+(?=\s|$)")
_ADDRESS = re.compile(r" ?&lt;(https?://[^\s<>]+?)&gt;")
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(footnote_plugin).use(front_matter_plugin)
DELIMITERS = ",;\t|"
_VALUE = re.compile(r"(?!(?:1[5-9]|20)\d\d$)\d[\d.,]{2,}")  # a number, and no year
_SAID = re.compile(r"[.!?]$|: \S")  # in a note below a table
SAMPLE = 200  # lines of a table that tell its delimiter

log = logging.getLogger(__name__)


def _as_windows(error: Any) -> tuple[str, int]:
    """The bytes that are no UTF-8, read as Windows-1252."""
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


register_error("cp1252", _as_windows)
for _library in ("trafilatura", "htmldate"):
    logging.getLogger(_library).setLevel(logging.CRITICAL)  # their complaints name no file; ours do


def parts_of(data: bytes, suffix: str, name: str) -> list[tuple[str, list[str]]]:
    """The parts of a file that can be cited, each with its place and its blocks that are not blank.

    A place is the fragment of an address: "page=3" of a PDF (RFC 8118), "row=2-9" of a table (RFC 7111), else empty.
    The suffix is one of ``SUFFIXES``, the name is for warnings. Raises an ``UnreadableFile``.
    """
    parts: Iterable[tuple[str, Iterable[str]]]
    if suffix == ".pdf":
        parts = pdf.pages_of(data, name)
    elif suffix in (".csv", ".tsv"):
        parts = _csv(data, name)
    else:
        parts = [("", _blocks(data, suffix, name))]
    shown = ((place, (encodable(block).replace(SOFT_HYPHEN, "") for block in blocks)) for place, blocks in parts)
    kept = ((place, [_NOTE.sub("", block) for block in blocks if block.strip()]) for place, blocks in shown)
    return [(place, blocks) for place, blocks in kept if blocks]


def _blocks(data: bytes, suffix: str, name: str) -> Iterator[str]:
    """Yield the blocks of a file without places."""
    text = word.html_of(data, name) if suffix == ".docx" else decoded(data, name)
    longest = 0
    if suffix in (".html", ".htm"):
        blocks = html.article(text, name)
    elif suffix == ".docx":
        blocks = html.everything(text, name)
    elif suffix in (".md", ".markdown"):
        blocks = html.everything(MARKDOWN.render(text), name)
    else:
        text = _DIVIDED.sub("-", _QUOTING.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
        blocks = re.split(r"\n[^\S\n]*\n", text)
        longest = max(map(len, text.split("\n")))
    for block in blocks:
        yield from text_blocks(block, longest)


def html_of(data: bytes, suffix: str, name: str) -> str | None:
    """Return a document with its links as HTML (HTML, DOCX, PDF); None for other formats. See ``parts_of``."""
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
    """Decode as UTF-8 or, with a warning, as what the bytes declare or look like; refuse other bytes.

    Few bytes beyond ASCII tell no encoding. Without a declaration they are read as Windows-1252, as browsers do.
    """
    plain = not _CONTROL.search(data)
    with suppress(UnicodeDecodeError):
        text = data.decode("utf-8-sig")
        if not OTHER_ENCODINGS.search(text) or (plain and text.count("\0") < SPARSE * len(text)):
            if "\0" in text:
                log.warning("%s: left out its NUL characters", name)
            return text.replace("\0", "")
    known = data.decode("utf-8-sig", "ignore")
    if 0 < len(data) - len(known.encode()) < sum(char > "\x7f" for char in known):
        log.warning("%s: not all UTF-8, the rest read as cp1252", name)
        return data.decode("utf-8-sig", "cp1252").replace("\0", "")
    high = sum(byte > 127 for byte in data[: 100 * FEW])
    letters = sum(byte > 127 or chr(byte).isalpha() for byte in data[: 100 * FEW])
    few = plain and 0 < high <= min(FEW, SPARSE * letters)
    for label in [*DECLARED.findall(data[:2048])[:1], *[b"cp1252"] * few]:
        with suppress(LookupError, UnicodeError):
            codec = ON_THE_WEB.get(found := lookup(label.decode()).name, found)
            text = data.decode(codec)
            if "utf" not in codec and not OTHER_ENCODINGS.search(text):
                log.warning("%s: not UTF-8, read as %s", name, codec)
                return text
    if len(data) % 2 and data.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
        log.warning("%s: left out its last byte, which is half a character", name)
        data = data[:-1]
    guess = from_bytes(data).best()
    if guess is None or OTHER_ENCODINGS.search(str(guess)):
        raise UnreadableFile("not text in any known encoding")
    if guess.encoding not in ("ascii", "utf_8"):
        log.warning("%s: not UTF-8, read as %s", name, guess.encoding)
    return str(guess)


def text_blocks(block: str, longest: int = 0) -> Iterator[str]:
    """Cut a paragraph at lines that stand alone: headings, items, and all if the ``longest`` line is not wrapped.

    >>> list(text_blocks("Tessaly Foods\\nTessaly Foods was founded in Bergen,\\nin the year 2010."))
    ['Tessaly Foods', 'Tessaly Foods was founded in Bergen,\\nin the year 2010.']
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
    short = longest < NARROW or (len(line) < pdf.SHORT_LINE * longest and len(line.split()) <= HEADING_WORDS)
    goes_on = _ENDS.search(line) or pdf.GOES_ON.search(line) or after[:1].islower() or line[:1].islower()
    return short and not goes_on


def _csv(data: bytes, name: str) -> Iterator[tuple[str, Iterable[str]]]:
    """The rows of a file's tables, some at a time. A header behind a blank line, or a repeated one, begins another."""
    text = decoded(data, name)
    csv.field_size_limit(sys.maxsize)  # the worker's memory is limited
    told = re.match(r'"?sep=(.)"?\r?\n', text)
    delimiter, usual = _shape(text[:100_000].splitlines()[:SAMPLE], told[1] if told else DELIMITERS)
    rows = _records(text[told.end() :] if told else text, delimiter, name)
    used = {place for row in rows for place, cell in enumerate(row) if cell.strip()}
    rows, usual = [[cell for place, cell in enumerate(row) if place in used] for row in rows], min(usual, len(used))
    wide = [place for place, row in enumerate(rows) if _is_wide(row, usual)]
    starts = [0]
    for above, place in pairwise(wide[:-1]):
        row, header = rows[place], rows[wide[0]]
        titles = [*takewhile(any, reversed(rows[above + 1 : place]))]
        blank = above + 1 + len(titles) < place
        named = not any(map(str.isdigit, "".join(row))) and (blank or (titles and row[0] == header[0]))
        if named or (row == header and not any(map(_VALUE.fullmatch, row))):
            starts.append(place - len(titles))
    for begin, end in pairwise([*starts, len(rows)]):
        yield from _table(rows[begin:end], begin + 1 + bool(told), usual, name)


def _table(rows: list[list[str]], first: int, usual: int, name: str) -> Iterator[tuple[str, Iterable[str]]]:
    """The rows of a table, some at a time; lines above the header, such as a title, are a part of their own.

    A row with at most one field, or half as many as most have, is no header, and neither is one with a large number.
    """
    head = next((place for place, row in enumerate(rows) if _is_wide(row, usual)), len(rows))
    grouped = head > 0 and rows[head - 1][:1] == [""] and sum(map(bool, rows[head - 1])) > 1
    head -= grouped
    names, below = (rows[head : head + 1] or [[]])[0], rows[head + 1 :]
    if any(map(any, rows)) and (not below or any(_VALUE.fullmatch(cell.strip()) for cell in names)):
        log.warning("%s: expected a header and rows below it, found none; read without", name)
        names, below = [], rows[head:]
    grouped = grouped or (names[:1] == [""] and len({*names}) < len(names) and names_columns(below))
    if names and any(map(str.strip, below[0])) and (grouped or names[:1] != [""] == below[0][:1]):
        names += [""] * (len(below[0]) - len(names))
        groups: Iterator[str] = accumulate(names, lambda group, name: name or group)  # one is above several names
        names = [f"{group} {name}".strip() for group, name in zip_longest(groups, below.pop(0), fillvalue="")]
    if head:
        yield _rows(first, first + head), [" ".join(filter(None, row)) for row in rows[:head]]
    since = first + len(rows) - len(below)
    blocks: list[str] = []
    for number, row in enumerate(below, since):
        block = row_text([] if _SAID.search("".join(row[:1])) and not any(row[1:]) else names, row)
        if blocks and sum(map(len, blocks)) + len(block) > ROWS:
            yield _rows(since, number), blocks
            blocks, since = [], number
        blocks.append(block)
    if blocks:
        yield _rows(since, since + len(blocks)), blocks


def _records(text: str, delimiter: str, name: str) -> list[list[str]]:
    """Read rows; a line whose quotation marks are not closed is read as it is."""
    rows, faults, begin, lines = list[list[str]](), list[int](), 0, [*StringIO(text, newline="")]
    while begin < len(lines):
        reader = csv.reader(lines[begin:], delimiter=delimiter, strict=True)
        end = begin
        try:
            for row in reader:
                rows.append(row)
                end = begin + reader.line_num
        except csv.Error:
            rows += csv.reader(lines[end : end + 1], delimiter=delimiter, quoting=csv.QUOTE_NONE)
            faults.append(len(rows))
            end += 1
        begin = end
    if faults:
        named = counted(len(faults), "row")
        log.warning("%s: quotation marks are not closed in %s, first in row %d", name, named, faults[0])
    return rows


def _is_wide(row: Sequence[str], usual: int) -> bool:
    """Whether a row is no title or comment, by the number of fields that most rows have."""
    filled = sum(bool(cell.strip()) for cell in row)
    comment = bool(row) and row[0].lstrip().startswith("#") and filled < usual
    return not comment and filled > max(usual // 2, min(usual, 1))


def _shape(sample: Sequence[str], delimiters: str) -> tuple[str, int]:
    """The delimiter that cuts most lines but comments into equally many fields, and how many; 0 if it cuts none."""
    shapes, sample = [], [line for line in sample if not line.startswith("#")]
    for delimiter in delimiters:
        counts = Counter(len(row) for row in csv.reader(sample, delimiter=delimiter) if len(row) > 1)
        fields, lines = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        shapes.append((lines, fields, delimiter))
    _, fields, delimiter = max(shapes, key=itemgetter(0, 1))
    return delimiter, fields


def _rows(first: int, end: int) -> str:
    return f"row={first}-{end - 1}" if end - first > 1 else f"row={first}"


SUFFIXES = frozenset({".txt", ".md", ".markdown", ".html", ".htm", ".pdf", ".docx", ".csv", ".tsv"})
LIBRARIES = {
    ".html": ("trafilatura",),
    ".htm": ("trafilatura",),
    ".pdf": ("pypdfium2",),
    ".docx": ("mammoth", "lxml.html"),
}
"""Modules that are imported late, because it takes long."""
