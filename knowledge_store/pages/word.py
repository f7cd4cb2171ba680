"""Word documents as HTML, read by mammoth, with what they show when all tracked changes are accepted.

mammoth skips elements that it does not know, and their text with them: simple fields, moved text, some text boxes. They
are unwrapped before, and the result is checked against the XML. What is still left out is named in a warning.
Example: ``html_of(data, "minutes.docx")``.
"""

import logging
import zlib
from collections import Counter
from html import escape
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from knowledge_store.pages.page import UnreadableFile

MAX_UNPACKED = 256 * 2**20  # bytes; a document that unpacks to more is refused
NO_DOCX = "expected a Word document (.docx): another format, or damaged"
DOCUMENT = "word/document.xml"
COMMENTS = "word/comments.xml"
NOTES = {"footnote": "word/footnotes.xml", "endnote": "word/endnotes.xml"}
OPTIONAL = ("word/styles.xml", "word/numbering.xml")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V = "{urn:schemas-microsoft-com:vml}"
_KNOWN = "document body p r t tbl tr tc ins smartTag drawing hyperlink sdt sdtContent txbxContent object pict"
KNOWN = {f"{W}{name}" for name in [*_KNOWN.split(), "footnotes", "footnote", "endnotes", "endnote"]} | {
    *(f"{V}{name}" for name in ("group", "rect", "roundrect", "shape", "textbox")),
    f"{MC}AlternateContent",
    f"{MC}Fallback",
}
"""Elements through which mammoth finds text."""

DAMAGE = (BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, ValueError, zlib.error)  # of a ZIP file

log = logging.getLogger(__name__)


def html_of(data: bytes, name: str) -> str:
    """Convert a document to HTML; warn of what is left out, with its name."""
    from lxml import etree

    parts = _unpacked(data, name)
    trees: dict[str, Any] = {}
    for part in [part for part in (DOCUMENT, *NOTES.values()) if part in parts]:
        try:
            trees[part] = etree.fromstring(parts[part], etree.XMLParser(resolve_entities=False, no_network=True))
        except etree.XMLSyntaxError:
            if part != DOCUMENT:
                log.warning("%s: its %s are damaged and left out", name, part[5:-4])
            del parts[part]
    if DOCUMENT not in trees:
        raise UnreadableFile(NO_DOCX)
    _drop_lost_notes(trees, name)
    for part, tree in trees.items():
        _unwrap(tree)
        parts[part] = etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=True)
    _name_unread(parts, trees, name)
    text = _converted(parts, trees[DOCUMENT], name)
    _check(text, trees, name)
    return text


def _unpacked(data: bytes, name: str) -> dict[str, bytes]:
    """The parts of a document that are text, by their names; damaged ones are left out."""
    try:
        archive = ZipFile(BytesIO(data))
    except DAMAGE as error:
        raise UnreadableFile(NO_DOCX) from error
    size = sum(part.file_size for part in archive.infolist())
    if size > MAX_UNPACKED:
        raise UnreadableFile(f"expected at most {MAX_UNPACKED // 2**20} MiB when unpacked, got {size / 2**20:,.0f}")
    parts: dict[str, bytes] = {}
    for part in archive.namelist():
        try:
            if part.endswith((".xml", ".rels")):
                parts[part] = archive.read(part)
        except DAMAGE:
            log.warning("%s: its part %s is damaged and left out", name, part)
    return parts


def _converted(parts: dict[str, bytes], document: Any, name: str) -> str:
    """Convert with styles and lists; without them, and then as bare paragraphs, if they are damaged."""
    import mammoth

    faults = {
        (COMMENTS,): "its styles and lists are damaged (%s); read without them",
        (COMMENTS, *OPTIONAL): "damaged (%s); read as paragraphs, without its tables and notes",
    }
    for unread, fault in faults.items():
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            for part, content in parts.items():
                if part not in unread:
                    archive.writestr(part, content)
        try:
            text: str = mammoth.convert_to_html(packed, convert_image=lambda _: []).value
            return text
        except Exception as error:  # noqa: BLE001 - whatever one part does to the reader, the rest is read
            reason = str(error).partition("\n")[0][:200] or type(error).__name__
            log.warning(f"%s: {fault}", name, reason)
    paragraphs = ("".join(text.text or "" for text in one.iter(f"{W}t")) for one in document.iter(f"{W}p"))
    return "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)


def _drop_lost_notes(trees: dict[str, Any], name: str) -> None:
    """Remove marks of notes that the document does not have."""
    for kind, part in NOTES.items():
        known = {note.get(f"{W}id") for note in trees[part].iter(f"{W}{kind}")} if part in trees else set()
        marks = [mark for mark in trees[DOCUMENT].iter(f"{W}{kind}Reference") if mark.get(f"{W}id") not in known]
        for mark in marks:
            mark.getparent().remove(mark)
        if marks:
            log.warning("%s: %d %ss are missing", name, len(marks), kind)


def _unwrap(tree: Any) -> None:
    """Let mammoth find all text that is shown: replace what it does not know by its contents."""
    for gone in [*tree.iter(f"{W}moveFrom")]:
        gone.getparent().remove(gone)
    for row in [*tree.iter(f"{W}tr")]:
        if row.find(f"{W}trPr/{W}del") is not None:
            row.getparent().remove(row)
    for choice in [*tree.iter(f"{MC}AlternateContent")]:
        fallback = choice.find(f"{MC}Fallback")
        if fallback is None or next(fallback.iter(f"{W}t"), None) is None:
            for other in [*choice[1:]]:
                choice.remove(other)  # of several choices, the first is shown
            _replace(choice)
        else:
            for other in choice.findall(f"{MC}Choice"):
                choice.remove(other)
    for text in [*tree.iter(f"{W}t")]:
        for element in [*text.iterancestors()]:
            if element.tag not in KNOWN and element.getparent() is not None:
                _replace(element)


def _replace(element: Any) -> None:
    """Put the children of an element in its place."""
    parent = element.getparent()
    at = parent.index(element)
    parent[at : at + 1] = list(element)


def _name_unread(parts: dict[str, bytes], trees: dict[str, Any], name: str) -> None:
    """Warn of what is not part of the running text, or not text."""
    around = [part for part in parts if part.startswith(("word/header", "word/footer"))]
    if any(b"<w:t>" in parts[part] or b"<w:t " in parts[part] for part in around):
        log.warning("%s: headers and footers of its pages are left out", name)
    if comments := parts.get(COMMENTS, b"").count(b"<w:comment "):
        log.warning("%s: left out %d of its comments", name, comments)
    if equations := sum(1 for tree in trees.values() for _ in tree.iter(f"{M}oMath")):
        log.warning("%s: left out %d of its equations", name, equations)


def _check(text: str, trees: dict[str, Any], name: str) -> None:
    """Warn of words that the document shows and the HTML lacks."""
    from lxml import html

    shown = Counter(char for tree in trees.values() for one in tree.iter(f"{W}t") for char in one.text or "")
    read = Counter("".join(html.fragment_fromstring(text, create_parent=True).itertext()))
    if lost := sum(count for char, count in (shown - read).items() if not char.isspace()):
        log.warning("%s: %d of its characters could not be read", name, lost)
