"""Word documents as HTML, read by mammoth, with what they show when all tracked changes are accepted.

mammoth skips elements that it does not know, with their text: simple fields, moved text, some text boxes. They are
unwrapped before. What is still left out is named in a warning. Example: ``html_of(data, "minutes.docx")``.
"""

import logging
from collections import Counter
from collections.abc import Iterable
from html import escape
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from lxml import etree
from lxml.html import fragment_fromstring

from knowledge_store.pages.page import UnreadableFile

MAX_UNPACKED = 256 * 2**20  # bytes; a document that unpacks to more is refused
DOCUMENT = "word/document.xml"
COMMENTS = "word/comments.xml"
BODIES = (DOCUMENT, "word/footnotes.xml", "word/endnotes.xml")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V = "{urn:schemas-microsoft-com:vml}"
_KNOWN = "document body p r t tbl tr tc ins smartTag drawing hyperlink sdt sdtContent txbxContent object pict"
KNOWN = {f"{W}{name}" for name in [*_KNOWN.split(), "footnotes", "footnote", "endnotes", "endnote"]} | {
    *(f"{V}{name}" for name in ("group", "rect", "roundrect", "shape", "textbox")),
}
"""Elements through which mammoth finds text."""

log = logging.getLogger(__name__)


def html_of(data: bytes, name: str) -> str:
    """Convert a document to HTML; warn of what is left out, with its name."""
    try:
        parts = _unpacked(data)
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        trees = {part: etree.fromstring(parts[part], parser) for part in BODIES if part == DOCUMENT or part in parts}
    except (MemoryError, UnreadableFile):
        raise
    except Exception as error:  # whatever the bytes do to zipfile and lxml
        raise UnreadableFile("expected a Word document (.docx): another format, or damaged") from error
    for part, tree in trees.items():
        _unwrap(tree)
        parts[part] = etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=True)
    text = _converted(parts, trees.values(), name)
    _name_unread(text, parts, trees.values(), name)
    return text


def _unpacked(data: bytes) -> dict[str, bytes]:
    """The parts of a document that are text, by their names."""
    with ZipFile(BytesIO(data)) as archive:
        size = sum(part.file_size for part in archive.infolist())
        if size > MAX_UNPACKED:
            raise UnreadableFile(f"expected at most {MAX_UNPACKED // 2**20} MiB when unpacked, got {size / 2**20:,.0f}")
        return {part: archive.read(part) for part in archive.namelist() if part.endswith((".xml", ".rels"))}


def _converted(parts: dict[str, bytes], trees: Iterable[Any], name: str) -> str:
    """Convert a document without its comments; as bare paragraphs, if mammoth fails."""
    import mammoth

    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for part in parts.keys() - {COMMENTS}:
            archive.writestr(part, parts[part])
    try:
        return str(mammoth.convert_to_html(packed, convert_image=lambda _: []).value)
    except Exception as error:  # noqa: BLE001 - whatever one part does to the reader, the text is read
        reason = str(error).partition("\n")[0][:200] or type(error).__name__
        log.warning("%s: damaged (%s); read as paragraphs, without its tables and links", name, reason)
    paragraphs = (paragraph.iter(f"{W}t") for tree in trees for paragraph in tree.iter(f"{W}p"))
    return "".join(f"<p>{escape(''.join(text.text or '' for text in texts))}</p>" for texts in paragraphs)


def _unwrap(tree: Any) -> None:
    """Let mammoth find all text that is shown: replace what it does not know by its contents."""
    etree.strip_elements(tree, f"{W}moveFrom", with_tail=False)
    for either in [*tree.iter(f"{MC}AlternateContent")]:  # the last alternative is for the oldest programs
        either[:] = [one for one in reversed(either) if next(one.iter(f"{W}t"), None) is not None][:1]
    around = {element.tag for text in tree.iter(f"{W}t") for element in text.iterancestors()}
    etree.strip_tags(tree, *(around - KNOWN))


def _name_unread(text: str, parts: dict[str, bytes], trees: Iterable[Any], name: str) -> None:
    """Warn of what is not part of the running text, is no text, or is missing in the HTML."""
    around = [part for part in parts if part.startswith(("word/header", "word/footer"))]
    if any(b"<w:t>" in parts[part] or b"<w:t " in parts[part] for part in around):
        log.warning("%s: headers and footers of its pages are left out", name)
    shown = Counter(char for tree in trees for one in tree.iter(f"{W}t") for char in one.text or "")
    read = Counter("".join(fragment_fromstring(text, create_parent=True).itertext()))
    for count, what in (
        (parts.get(COMMENTS, b"").count(b"<w:comment "), "left out %d of its comments"),
        (sum(1 for tree in trees for _ in tree.iter(f"{M}oMath")), "left out %d of its equations"),
        (sum(count for char, count in (shown - read).items() if not char.isspace()), "%d characters are not read"),
    ):
        if count:
            log.warning(f"%s: {what}", name, count)
