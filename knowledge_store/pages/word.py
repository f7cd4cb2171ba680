"""Word documents as HTML, with what they show when all tracked changes are accepted.

Every element of the document is passed through, known or not, so no text that Word shows is lost. Notes follow the text
that marks them. Comments, equations, headers and footers are left out with a warning.
Example: ``html_of(data, "minutes.docx")``.
"""

import logging
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from html import escape
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from knowledge_store.pages.page import UnreadableFile

MAX_UNPACKED = 256 * 2**20  # bytes; a document that unpacks to more is refused
NO_DOCX = "expected a Word document (.docx): another format, or damaged"
READ = re.compile(r"word/(document|footnotes|endnotes|comments|header\d*|footer\d*|_rels/\w+)\.xml(\.rels)?")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
CHOICES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
UNSEEN = {"pPr", "rPr", "tblPr", "trPr", "tcPr", "sdtPr", "sectPr", "del", "moveFrom", "delText", "instrText", "rt"}
PLAIN = {"tab": " ", "br": "<br>", "cr": "<br>", "noBreakHyphen": "-"}
DAMAGE = (BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, ValueError, zlib.error)  # of a ZIP file

_HEADING = re.compile(r"heading|title", re.IGNORECASE)

log = logging.getLogger(__name__)


def html_of(data: bytes, name: str) -> str:
    """Convert a document to HTML; warn of what is left out, with its name."""
    parts = _unpacked(data, name)
    if "document" not in parts:
        raise UnreadableFile(NO_DOCX)
    reader = _Reader(parts)
    text = reader.html("document", parts["document"])
    notes = "".join(f'<li id="{key}">{reader.html(part, note)}</li>' for key, (part, note) in reader.cited.items())
    around = [one for part, tree in parts.items() if part[:6] in ("header", "footer") for one in tree.iter(f"{W}t")]
    if any(one.text for one in around):
        log.warning("%s: headers and footers of its pages are left out", name)
    reader.left_out["comment"] = sum(1 for tree in parts.values() for _ in tree.iter(f"{W}comment"))
    for kind, count in reader.left_out.items():
        if count:
            log.warning("%s: left out %d of its %ss", name, count, kind)
    for kind, count in reader.missing.items():
        log.warning("%s: %d %ss are missing", name, count, kind)
    return f"{text}<ol>{notes}</ol>"


def _unpacked(data: bytes, name: str) -> dict[str, Any]:
    """The parts of a document that are read, as trees by their names; damaged ones are left out."""
    from lxml import etree

    try:
        archive = ZipFile(BytesIO(data))
    except DAMAGE as error:
        raise UnreadableFile(NO_DOCX) from error
    size = sum(part.file_size for part in archive.infolist())
    if size > MAX_UNPACKED:
        raise UnreadableFile(f"expected at most {MAX_UNPACKED // 2**20} MiB when unpacked, got {size / 2**20:,.0f}")
    parts: dict[str, Any] = {}
    for match in filter(None, map(READ.fullmatch, archive.namelist())):
        try:
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            parts[match[1]] = etree.fromstring(archive.read(match[0]), parser)
        except (etree.XMLSyntaxError, *DAMAGE):
            log.warning("%s: its %s are damaged and left out", name, match[1])
    return parts


class _Reader:
    """Writes parts of a document as HTML, and notes which notes it marks, which of them are missing, and what it skips.

    ``cited`` has each note with the name of its part, by its id in the HTML.
    """

    def __init__(self, parts: dict[str, Any]) -> None:
        self.cited: dict[str, tuple[str, Any]] = {}
        self.missing: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self._parts = parts
        self._links: dict[str, str] = {}
        self._items: Counter[str] = Counter()  # of each list
        self._goes_on = False  # the end of the last paragraph is deleted

    def html(self, part: str, element: Any) -> str:
        """What an element of a part holds."""
        self._links = {one.get("Id"): one.get("Target", "") for one in self._parts.get(f"_rels/{part}", ())}
        return self._inside(element)

    def _inside(self, element: Any) -> str:
        return "".join(map(self._html, element))

    def _html(self, element: Any) -> str:
        tag = str(element.tag).removeprefix(W)
        if tag in UNSEEN:
            return ""
        if tag == "t":
            return escape(element.text or "")
        if tag in PLAIN:
            return PLAIN[tag]
        if tag == "p":
            return self._paragraph(element)
        if tag == "tbl":
            return self._table(element)
        if tag == "hyperlink":
            address, text = self._links.get(element.get(ID, ""), ""), self._inside(element)
            return f'<a href="{escape(address)}">{text}</a>' if address else text
        if tag in ("footnoteReference", "endnoteReference"):
            return self._mark(tag.removesuffix("Reference"), element.get(f"{W}id", ""))
        if tag == MATH:
            self.left_out["equation"] += 1
            return ""
        if tag == CHOICES:
            return next(filter(None, map(self._inside, element)), "")
        return self._inside(element)

    def _paragraph(self, element: Any) -> str:
        style, number = (element.find(f"{W}pPr/{W}{path}") for path in ("pStyle", f"numPr/{W}numId"))
        begin, end = "<p>", "</p>"
        if style is not None and _HEADING.search(style.get(f"{W}val", "")):
            begin, end = "<h2>", "</h2>"
        elif number is not None:
            listed = number.get(f"{W}val", "")
            self._items[listed] += 1
            begin, end = f'<ol start="{self._items[listed]}"><li>', "</li></ol>"
        if self._goes_on:
            begin = ""
        self._goes_on = goes_on = element.find(f"{W}pPr/{W}rPr/{W}del") is not None
        return f"{begin}{self._inside(element)}{'' if goes_on else end}"

    def _table(self, table: Any) -> str:
        """A table; cells that are merged with those above repeat them."""
        rows, above = "", dict[int, str]()
        for row in _children(table, "tr"):
            if row.find(f"{W}trPr/{W}del") is not None:
                continue
            cells, column = "", 0
            for cell in _children(row, "tc"):
                span, merged = (cell.find(f"{W}tcPr/{W}{name}") for name in ("gridSpan", "vMerge"))
                goes_on = merged is not None and merged.get(f"{W}val") != "restart"
                above[column] = above.get(column, "") if goes_on else self._inside(cell)
                width = span.get(f"{W}val", "") if span is not None else ""
                cells += f'<td colspan="{width}">{above[column]}</td>'
                column += int(width) if width.isdecimal() else 1
            rows += f"<tr>{cells}</tr>"
        return f"<table>{rows}</table>"

    def _mark(self, kind: str, number: str) -> str:
        notes = self._parts.get(f"{kind}s")
        found = notes.xpath("*[@*[local-name()='id']=$number]", number=number) if notes is not None else ()
        if not found:
            self.missing[kind] += 1
            return ""
        key = f"{kind}-{number}"
        self.cited.setdefault(key, (f"{kind}s", found[0]))
        return f'<sup><a href="#{key}">[{list(self.cited).index(key) + 1}]</a></sup>'


def _children(element: Any, tag: str) -> Iterator[Any]:
    """Rows of a table or cells of a row, also those in content controls, and none of another table."""
    for child in element:
        if child.tag == f"{W}{tag}":
            yield child
        elif child.tag != f"{W}tbl":
            yield from _children(child, tag)
