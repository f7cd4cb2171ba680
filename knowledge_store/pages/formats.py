"""Files as blocks of prose: text, Markdown, HTML, PDF, DOCX and CSV.

A block is a paragraph, a heading, an item of a list or a row of a table: what stands for itself and is never joined to
the sentence after it. Files of strangers are read in a process of their own: see ``reading``.
"""

import csv
import logging
import re
import sys
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO, StringIO
from itertools import islice
from typing import Any
from zipfile import BadZipFile, ZipFile

from charset_normalizer import from_bytes
from markdown_it import MarkdownIt

from knowledge_store.normalization import encodable

MAX_UNPACKED = 256 * 2**20  # bytes; a DOCX that unpacks to more is refused
NO_DOCX = "expected a Word document (.docx): another format, or damaged"
MAX_PDF_PAGES = 5000
NAMED = 10  # parts of a file that are left out for the same reason, by number, and the reasons
NO_TEXT = "no text (damaged, or a picture: recognize the text in it first, by OCR)"
SHOWN, PICTURES = frozenset((b"Tj", b"TJ", b"'", b'"')), frozenset((b"Do", b"INLINE IMAGE"))
"""Operators of a PDF that show text, and pictures."""
_WORD = re.compile(r"\w+[\s,;]")  # and no letter of a list, as "a."
SHORT_LINE = 0.7  # of the longest line of a PDF page: a shorter line ends its block
LONGEST_NAME = 60  # characters of a column's name, which each row repeats
ROWS = 1000  # characters of a table's rows that are cited together
SOFT_HYPHEN = "\u00ad"  # shows where a word may be divided
LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
"""Letters that PDFs draw as one, in place of which nobody types or quotes them."""
MARKS = re.compile(r"^(#{1,6} \S|[-*+] \S|```|> )|\*\*\S|\]\(\S", re.MULTILINE)
LONGEST_PASTED = 200_000  # characters; parsing longer Markdown that nobody has vetted can take long

NO_TEXT_OF_UTF8 = re.compile(r"\0|\x1b\$")  # UTF-16 and UTF-32; ISO 2022
OTHER_ENCODINGS = re.compile(rf"{NO_TEXT_OF_UTF8.pattern}|~\{{(?:[!-w][!-~])+~\}}|\A\+/v")  # and HZ; UTF-7
"""What shows that bytes which may be UTF-8 are something else."""

_HTML = "!doctype html|!--|html|head|body|title|meta|link|script|style|iframe|h1|div|table|font|a|b|br|p"
HTML_STARTS = re.compile(rf"(?:<\?xml[^>]*>\s*)?<(?:{_HTML})\b".encode())
"""How pages of HTML begin, in lower case (https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type)."""

_INLINE = "a abbr b bdi bdo cite code em i kbd mark q s small span strong sub sup time u var"
INLINE = frozenset(_INLINE.split())
"""HTML's elements that do not end a block."""

HIDDEN = ("head", "script", "style", "noscript", "template", "nav", "footer", "aside", "dialog", "iframe", "svg")
"""HTML's elements that are no text of a page."""
_LOWER = "translate(concat(@id, ' ', @class), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"
BANNERS = (
    "//body//*[self::nav or @role='navigation' or @role='dialog' or @role='contentinfo' or @hidden"
    f" or ((contains({_LOWER}, 'cookie') or contains({_LOWER}, 'consent')) and string-length() < 2000)]"
)
"""Menus, and what asks for consent."""

log = logging.getLogger(__name__)
for _library in ("trafilatura", "htmldate", "pypdf"):
    logging.getLogger(_library).setLevel(logging.CRITICAL)  # their complaints name no file; ours do


class UnreadableFile(ValueError):
    """A file is not what its name says, or too large; the message says which."""


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


def plain_text(text: str) -> str:
    """A pasted text without its Markdown markup; any other text as it is, without lone surrogates.

    >>> plain_text("# Aster\\n\\nIt **opened** in [1932](https://a.example).")
    'Aster\\n\\nIt opened in 1932.'
    >>> plain_text("2 * 3 * 4 is #1")
    '2 * 3 * 4 is #1'
    """
    text = encodable(text)
    if len(text) > LONGEST_PASTED or not MARKS.search(text):
        return text
    return "\n\n".join(block for block in _markdown(text.encode(), "pasted text") if block.strip())


def suffix_of(data: bytes) -> str:
    """The suffix that the bytes of a document without a name would have."""
    head = data[:1024].removeprefix(BOM_UTF8).lstrip().lower()
    if head.startswith(b"%pdf"):
        return ".pdf"
    if head.startswith(b"pk\x03\x04"):
        return ".docx"
    return ".html" if HTML_STARTS.match(head) else ".txt"


def decoded(data: bytes, name: str) -> str:
    """Decode as UTF-8 or, failing that, as what the bytes say or look like, with a warning.

    Raises:
        UnreadableFile: the bytes look like no text.
    """
    with suppress(UnicodeDecodeError):
        text = data.decode("utf-8-sig")
        if not OTHER_ENCODINGS.search(text):
            return text
    guess = from_bytes(data).best()
    if guess is None or NO_TEXT_OF_UTF8.search(str(guess)):
        raise UnreadableFile("not text in any known encoding")
    if guess.encoding not in ("ascii", "utf_8"):
        log.warning("%s: not UTF-8, read as %s", name, guess.encoding)
    return str(guess)


def _text(data: bytes, name: str) -> list[str]:
    return re.split(r"\n[^\S\n]*\n", decoded(data, name).replace("\r\n", "\n"))


def _markdown(data: bytes, name: str) -> Iterator[str]:
    """Blocks without their markup; a row of a table is one block."""
    header: list[str] = []
    row: list[str] = []
    in_table = False
    for token in MarkdownIt("commonmark").enable("table").parse(decoded(data, name)):
        if token.type in ("table_open", "table_close"):
            in_table, header = token.type == "table_open", []
        elif token.type == "inline":
            text = "".join(child.content or " " * (child.type == "softbreak") for child in token.children or ())
            if in_table:
                row.append(text)
            else:
                yield text
        elif token.type == "tr_close":
            if header:
                yield _row(header, row)
            header, row = header or row, []
        elif token.type in ("fence", "code_block"):
            yield token.content


def _html(data: bytes, name: str) -> Iterator[str]:
    """The article without menus and advertisements; a page that is too short for that is taken whole."""
    import trafilatura  # a second to import

    text = _without_banners(decoded(data, name))
    markdown = trafilatura.extract(text, include_comments=False, output_format="markdown") or ""
    if "\n\n" not in markdown and not markdown.startswith("|"):
        markdown = markdown.replace("\n", "\n\n")  # of a short page it gives lines
    return _markdown(markdown.encode(), name) if markdown else _whole_html(text)


def _without_banners(text: str) -> str:
    from lxml import html

    tree = _tree(text)
    banners = [] if tree is None else tree.xpath(BANNERS)
    for banner in banners:
        if banner.getparent() is not None:
            banner.drop_tree()
    return html.tostring(tree, encoding="unicode") if banners else text


def _tree(text: str) -> Any:
    """The tree of a page; None of nothing but whitespace and comments."""
    from lxml import etree, html

    try:
        return html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:
        return None


def _whole_html(text: str) -> Iterator[str]:
    """All that a page shows, an element a block."""
    from lxml import etree

    tree = _tree(text)
    if tree is None:
        return
    etree.strip_elements(tree, *HIDDEN, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    blocks = [""]
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        if element.tag not in INLINE:
            blocks.append("")
        blocks[-1] += (element.text if event == "start" else element.tail) or ""
    for block in blocks:
        yield " ".join(block.split())


def _pdf(data: bytes, name: str) -> Iterator[tuple[str, Iterable[str]]]:
    from pypdf import PdfReader

    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableFile("encrypted: save it without its password")
    if len(reader.pages) > MAX_PDF_PAGES:
        raise UnreadableFile(f"expected at most {MAX_PDF_PAGES:,} pages, got {len(reader.pages):,}")
    tree: Any = reader.root_object["/Pages"]
    declared = tree.get("/Count")
    if isinstance(declared, int) and declared > len(reader.pages):
        log.warning("%s: %d of its %d pages are missing", name, declared - len(reader.pages), declared)
    lost: dict[str, list[int]] = {}
    for number, page in enumerate(reader.pages, 1):
        try:
            text = page.extract_text()
            if not text.strip() and _draws(page, SHOWN | PICTURES if not text else PICTURES):
                lost.setdefault(NO_TEXT, []).append(number)
        except Exception as error:  # noqa: BLE001 - whatever one page does to its reader, the others are read
            lost.setdefault(_damage(error), []).append(number)
        else:
            yield f"page={number}", _unwrapped(text.translate(LIGATURES).split("\n"))
    if sum(map(len, lost.values())) == len(reader.pages) and NO_TEXT not in lost:
        raise UnreadableFile(next(iter(lost), "no pages"))
    _name_lost(name, "page", lost)


def _draws(page: Any, wanted: Collection[bytes]) -> bool:
    """Whether a page of a PDF has one of these operators, or contents of which nothing can be read."""
    contents = page.get_contents()
    operators = set() if contents is None else {operator for _, operator in contents.operations}
    return contents is not None and (not operators or not operators.isdisjoint(wanted))


def _damage(error: Exception) -> str:
    return f"damaged ({str(error).partition(chr(10))[0] or type(error).__name__:.200})"


def _name_lost(name: str, what: str, lost: Mapping[str, Sequence[int]]) -> None:
    """Name the parts that are left out of a file, those with the same reason together."""
    for reason, places in islice(lost.items(), NAMED):
        numbers = ", ".join(map(str, places[:NAMED])) + (
            f" and {more} more" if (more := len(places) - NAMED) > 0 else ""
        )
        log.warning("%s: %s %s skipped, %s", name, what if len(places) == 1 else f"{what}s", numbers, reason)
    if rest := sum(map(len, islice(lost.values(), NAMED, None))):
        log.warning("%s: %d more %ss skipped", name, rest, what)


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """The blocks of a page whose lines are wrapped.

    A line ends its block if it is much shorter than the longest, unless its sentence goes on in the next. The first may
    be a running head, and ends its block in any case.
    """
    full = SHORT_LINE * max(map(len, lines), default=0)
    block: list[str] = []
    for number, line in enumerate(map(str.rstrip, lines)):
        if block and (block[-1].endswith(SOFT_HYPHEN) or (block[-1].endswith("-") and line[:1].islower())):
            block[-1] = block[-1][:-1]  # a word that was divided
        elif block:
            block.append(" ")
        block.append(line)
        after = "".join(lines[number + 1 : number + 2]) if number else ""
        goes_on = line.rstrip(",;")[-1:].isalpha() and after[:1].islower() and _WORD.match(after)
        if len(line) < full and not goes_on:
            yield "".join(block)
            block = []
    yield "".join(block)


def _docx(data: bytes, name: str) -> Iterator[str]:
    from docx import Document
    from docx.table import Table

    try:
        with ZipFile(BytesIO(data)) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except BadZipFile as error:
        raise UnreadableFile(NO_DOCX) from error
    if size > MAX_UNPACKED:
        raise UnreadableFile(f"expected at most {MAX_UNPACKED // 2**20} MiB when unpacked, got {size / 2**20:,.0f}")
    try:
        contents = Document(BytesIO(data)).iter_inner_content()
    except (KeyError, ValueError) as error:  # other parts than those of a text
        raise UnreadableFile(NO_DOCX) from error
    tables, lost = 0, dict[str, list[int]]()
    for content in contents:
        if not isinstance(content, Table):
            yield content.text
            continue
        tables += 1
        try:
            rows = [[cell.text for cell in row.cells] for row in content.rows]
        except Exception as error:  # noqa: BLE001 - whatever one table does to its reader, the rest is read
            lost.setdefault(_damage(error), []).append(tables)
        else:
            yield from _table(rows)
    _name_lost(name, "table", lost)


def _csv(data: bytes, name: str) -> Iterator[tuple[str, Iterable[str]]]:
    text = decoded(data, name)
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    delimiter = max(",;\t|", key=first.count)
    csv.field_size_limit(sys.maxsize)  # the worker's memory is limited
    blocks: list[str] = []
    since = 2
    for number, block in enumerate(_table(csv.reader(StringIO(text, newline=""), delimiter=delimiter)), since):
        if blocks and sum(map(len, blocks)) + len(block) > ROWS:
            yield _rows(since, number - 1), blocks
            blocks, since = [], number
        blocks.append(block)
    yield _rows(since, since + len(blocks) - 1), blocks


def _rows(first: int, last: int) -> str:
    return f"row={first}-{last}" if last > first else f"row={first}"


def _table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A block for each row below the header."""
    found = iter(rows)
    header = next(found, [])
    return (_row(header, row) for row in found)


def _row(header: Sequence[str], row: Sequence[str]) -> str:
    """A row that can be read alone.

    >>> _row(["year", "value"], ["2020", "12%"])
    'year: 2020, value: 12%'
    """
    names = [name[:LONGEST_NAME] for name in header] + [""] * (len(row) - len(header))
    cells = ((" ".join(name.split()), " ".join(cell.split())) for name, cell in zip(names, row, strict=False))
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


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
LIBRARIES = {".html": ("trafilatura",), ".htm": ("trafilatura",), ".pdf": ("pypdf",), ".docx": ("docx",)}
"""Modules that the readers import late, because it takes long."""
