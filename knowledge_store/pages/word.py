"""Word documents as HTML, read by mammoth, with what they show when all tracked changes are accepted.

mammoth skips elements that it does not know, with their text: simple fields, moved text, some text boxes. They are
unwrapped before. What is still left out is named in a warning. Example: ``html_of(data, "minutes.docx")``.
"""

import logging
import zlib
from collections import Counter
from collections.abc import Sequence
from html import escape
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from knowledge_store.pages.page import UnreadableFile, counted

MAX_UNPACKED = 256 * 2**20  # bytes; a document that unpacks to more is refused
NO_DOCX = "expected a Word document (.docx): another format, or damaged"
DOCUMENT = "word/document.xml"
COMMENTS = "word/comments.xml"
NOTES = {"footnote": "word/footnotes.xml", "endnote": "word/endnotes.xml"}
OPTIONAL = ("word/styles.xml", "word/numbering.xml")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
V = "{urn:schemas-microsoft-com:vml}"
DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/"
UNREAD = {"equation": f"{M}oMath", "chart": f"{DRAWN}chart}}chart", "diagram": f"{DRAWN}diagram}}relIds"}
UNREAD |= {"embedded document": f"{W}altChunk"}
HIDDEN = "//w:r[w:rPr/*[self::w:vanish or self::w:dstrike][not(@w:val = '0' or @w:val = 'false')]]"
_KNOWN = "document body p r t tbl tr tc ins smartTag drawing hyperlink sdt sdtContent txbxContent object pict"
KNOWN = {f"{W}{name}" for name in [*_KNOWN.split(), "footnotes", "footnote", "endnotes", "endnote"]} | {
    *(f"{V}{name}" for name in ("group", "rect", "roundrect", "shape", "textbox")),
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
            log.warning("%s: left out its damaged %s", name, part[5:-4])
            del parts[part]
    if DOCUMENT not in trees:
        raise UnreadableFile(NO_DOCX)
    for kind, part in NOTES.items():
        known = {note.get(f"{W}id") for note in trees[part].iter(f"{W}{kind}")} if part in trees else set()
        marks = [mark for mark in trees[DOCUMENT].iter(f"{W}{kind}Reference") if mark.get(f"{W}id") not in known]
        for mark in marks:  # at which mammoth would stop
            mark.getparent().remove(mark)
        if marks:
            log.warning("%s: lacks %s", name, counted(len(marks), kind))
    for part, tree in trees.items():
        _drop_missing(tree, parts.get(part.replace("word/", "word/_rels/") + ".rels", b""), name)
        _unwrap(tree)
        parts[part] = etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=True)
    text = _converted(parts, trees[DOCUMENT], name)
    _name_unread(text, parts, list(trees.values()), name)
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
    """Convert with styles and lists; as bare paragraphs, if mammoth fails without them too."""
    import mammoth

    for unread, fault in {
        (COMMENTS,): "its styles and lists are damaged (%s); read without them",
        (COMMENTS, *OPTIONAL): "damaged (%s); read as paragraphs, without its tables and notes",
    }.items():
        packed = BytesIO()
        with ZipFile(packed, "w") as archive:
            for part in parts.keys() - unread:
                archive.writestr(part, parts[part])
        try:
            return str(mammoth.convert_to_html(packed, convert_image=lambda _: []).value)
        except Exception as error:  # noqa: BLE001 - whatever one part does to the reader, the rest is read
            log.warning(f"%s: {fault}", name, str(error).partition("\n")[0][:200] or type(error).__name__)
    paragraphs = ("".join(text.text or "" for text in one.iter(f"{W}t")) for one in document.iter(f"{W}p"))
    return "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)


def _drop_missing(tree: Any, relations: bytes, name: str) -> None:
    """Drop references to links and pictures that the document lacks, at which mammoth would stop."""
    from lxml import etree

    listed = etree.fromstring(relations, etree.XMLParser(recover=True, resolve_entities=False)) if relations else None
    known = set() if listed is None else set(listed.xpath("//@Id"))
    lost = [(one, key) for one in tree.iter() for key, to in one.items() if key.startswith(R) and to not in known]
    for element, key in lost:
        del element.attrib[key]
    if lost:
        log.warning("%s: lacks the targets of %s to links or pictures", name, counted(len(lost), "reference"))


def _unwrap(tree: Any) -> None:
    """Let mammoth find all text that is shown: replace what it does not know by its contents."""
    deleted = [row for row in tree.iter(f"{W}tr") if row.find(f"{W}trPr/{W}del") is not None]
    hidden = tree.xpath(HIDDEN, namespaces={"w": W[1:-1]})
    for gone in [*tree.iter(f"{W}moveFrom"), *deleted, *hidden]:
        gone.getparent().remove(gone)
    for either in [*tree.iter(f"{MC}AlternateContent")]:
        fallback = either.find(f"{MC}Fallback")
        empty = fallback is None or next(fallback.iter(f"{W}t"), None) is None
        _replace(either, next(iter(either), ()) if empty else fallback)
    for text in [*tree.iter(f"{W}t")]:
        for element in [*text.iterancestors()]:
            if element.tag not in KNOWN and element.getparent() is not None:
                _replace(element, element)


def _replace(element: Any, holder: Any) -> None:
    """Put the children of a holder in the place of an element."""
    parent = element.getparent()
    at = parent.index(element)
    parent[at : at + 1] = list(holder)


def _name_unread(text: str, parts: dict[str, bytes], trees: Sequence[Any], name: str) -> None:
    """Warn of what is not part of the running text, is no text, or is missing in the HTML."""
    from lxml import html

    around = [part for part in parts if part.startswith(("word/header", "word/footer"))]
    if any(b"<w:t>" in parts[part] or b"<w:t " in parts[part] for part in around):
        log.warning("%s: left out headers and footers of its pages", name)
    shown = Counter(char for tree in trees for one in tree.iter(f"{W}t") for char in one.text or "")
    read = Counter("".join(html.fragment_fromstring(text, create_parent=True).itertext()))
    counts = {"comment": parts.get(COMMENTS, b"").count(b"<w:comment ")}
    counts |= {what: sum(1 for tree in trees for _ in tree.iter(tag)) for what, tag in UNREAD.items()}
    counts["character"] = sum(count for char, count in (shown - read).items() if not char.isspace())
    for what, count in counts.items():
        if count:
            log.warning("%s: left out %s", name, counted(count, what))
