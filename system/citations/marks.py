"""Where a text cites: links, footnotes and numbered references, in Markdown, in HTML and in plain text.

Each reader gives the text's blocks without the marks, with the place of each; and what the notes say.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from knowledge_store.pages.formats import INLINE, decoded

ADDRESS = re.compile(r"<?\b(https?://[^\s<>\"“”]+[^\s<>\"“”.,;:!?)\]'’])>?")
_NUMBERS = re.compile(r"\s?\[(\^?\w{1,3}(?:\s?[,;–-]\s?\^?\d{1,3})*)\](?!\()")
_LABEL = re.compile(r"^\W*\d{0,3}\W*$")  # of a link that is a mark, and no words of the text
_ENTRY = re.compile(r"^\s*(?:\[\^?(\w{1,3})\]|\(?(\d{1,3})[.)])\s*:?\s+(?=\S)")
_SECTION = re.compile(
    r"^\W*(?:references|sources|bibliography|works cited|notes|footnotes|endnotes|citations|literature|further reading|"
    r"quellen|literatur|einzelnachweise|referencias|fuentes|références|referências|fontes)\W*$",
    re.IGNORECASE,
)
_NO_SOURCE = ("#", "mailto:", "tel:", "javascript:", "data:")


@dataclass
class Marked:
    """A block of a text.

    Attributes:
        marks: where in it, how it is marked, and the address or the label of a note ("note:1").
        heading: whether it is one.
    """

    text: str = ""
    marks: list[tuple[int, str, str]] = field(default_factory=list)
    heading: bool = False

    def cite(self, mark: str, target: str) -> None:
        """Add a mark at the end of what is there so far."""
        self.marks.append((len(self.text.rstrip()), mark, target))


@dataclass
class Reading:
    """A text as it was read.

    Attributes:
        notes: what each note says, by its label: its words, and the first address among them.
    """

    blocks: list[Marked] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)


def read_marks(data: bytes, suffix: str, name: str, blocks: Iterable[str]) -> Reading:
    """Read a text with its marks.

    Args:
        suffix: ".md", ".html"; of others the blocks are read for addresses and numbers in brackets.
        blocks: of the text, where it is neither.
    """
    if suffix in (".html", ".htm"):
        return _finished(*_html(decoded(data, name)))
    if suffix in (".md", ".markdown", ".txt", ""):
        return _finished(*_markdown(decoded(data, name)))
    return _finished([_plain(block) for block in blocks], {})


def _finished(blocks: list[Marked], notes: dict[str, str]) -> Reading:
    """The blocks without the list of references, which becomes notes."""
    reading = Reading(notes=notes)
    listing = False
    for block in blocks:
        if block.heading or _SECTION.match(block.text):
            listing = bool(_SECTION.match(block.text))
        entry = _ENTRY.match(block.text)
        if listing and not _SECTION.match(block.text):
            label = (entry[1] or entry[2]) if entry else str(1 + len(reading.notes))
            reading.notes.setdefault(label.lstrip("^"), _address_of(block))
        elif entry and entry[1]:
            reading.notes.setdefault(entry[1].lstrip("^"), _address_of(block))
        elif block.text.strip() and not listing:
            reading.blocks.append(_numbered(block))
    return reading


def _address_of(block: Marked) -> str:
    """The address of a reference, or its words."""
    found = next((target for _, _, target in block.marks if not target.startswith("note:")), "")
    return found or _ENTRY.sub("", " ".join(block.text.split()))


def _numbered(block: Marked) -> Marked:
    """A block whose numbers in brackets have become marks."""
    kept = Marked(heading=block.heading)
    marks = sorted(block.marks)
    place = 0
    for match in _NUMBERS.finditer(block.text):
        labels = list(_labels(match[1]))
        if not labels:
            continue
        start = match.start()
        _move(kept, block.text[place:start], marks, place)
        for label in labels:
            kept.cite(f"[{label}]", f"note:{label}")
        place = match.end()
    _move(kept, block.text[place:], marks, place)
    return kept


def _move(kept: Marked, text: str, marks: list[tuple[int, str, str]], place: int) -> None:
    """Append a piece of a block that began at ``place``, with its marks."""
    base = len(kept.text)
    while marks and marks[0][0] <= place + len(text):
        at, mark, target = marks.pop(0)
        kept.marks.append((base + max(0, at - place), mark, target))
    kept.text += text


def _labels(text: str) -> Iterator[str]:
    """The labels in brackets: "1, 3-5" are four; a word such as "sic" is none.

    >>> list(_labels("1, 3-5")), list(_labels("sic"))
    (['1', '3', '4', '5'], [])
    """
    for part in re.split(r"\s?[,;]\s?", text):
        ends = [one.strip() for one in re.split(r"[–-]", part)]
        if all(one.isdigit() for one in ends) and len(ends) <= 2 and int(ends[-1]) - int(ends[0]) < 20:
            yield from map(str, range(int(ends[0]), int(ends[-1]) + 1))
        elif len(ends) == 1 and part.startswith("^"):
            yield part[1:]


def _plain(text: str, heading: bool = False) -> Marked:
    """A block whose addresses have become marks."""
    block, place = Marked(heading=heading), 0
    for match in ADDRESS.finditer(text):
        block.text += text[place : match.start()].rstrip(" (")
        block.cite(match[1], match[1])
        place = match.end() + (text[match.end() : match.end() + 1] == ")" and text[: match.start()].endswith("("))
    block.text += text[place:]
    return block


def _markdown(text: str) -> tuple[list[Marked], dict[str, str]]:
    """The blocks of Markdown, and its footnotes."""
    blocks: list[Marked] = []
    notes: dict[str, str] = {}
    note, heading, counters, label = "", False, list[int](), ""
    for token in MarkdownIt("commonmark").enable("table").use(footnote_plugin).parse(text):
        match token.type:
            case "footnote_open":
                note = f"^{token.meta.get('label') or token.meta['id'] + 1}"
            case "footnote_close":
                note = ""
            case "heading_open" | "heading_close":
                heading = token.type == "heading_open"
            case "ordered_list_open":
                counters.append(int(token.attrs.get("start", 1)))
            case "ordered_list_close":
                counters.pop()
            case "list_item_open" if counters:
                label, counters[-1] = f"[{counters[-1]}] ", counters[-1] + 1
            case "inline":
                block = _inline(token.children or [], heading=heading)
                if note:
                    notes.setdefault(note, _address_of(block))
                else:
                    blocks.append(_in_list(block, label, blocks))
                label = ""
    return blocks, notes


def _in_references(blocks: list[Marked]) -> bool:
    """Whether the last heading is one such as "References"."""
    section = next((one for one in reversed(blocks) if one.heading and one.text), None)
    return bool(section and _SECTION.match(section.text))


def _in_list(block: Marked, label: str, before: list[Marked]) -> Marked:
    """An item of a numbered list; below a heading such as "References" its number is its label."""
    if not (label and _in_references(before)):
        return block
    moved = [(at + len(label), mark, target) for at, mark, target in block.marks]
    return Marked(label + block.text, moved)


def _inline(tokens: Iterable[Token], *, heading: bool) -> Marked:
    block = Marked(heading=heading)
    link, begin = "", 0
    for token in tokens:
        match token.type:
            case "link_open":
                link, begin = str(token.attrs.get("href", "")), len(block.text)
            case "link_close":
                _close(block, begin, link)
                link = ""
            case "footnote_ref":
                label = str(token.meta.get("label") or token.meta["id"] + 1)
                block.cite(f"[{label}]", f"note:^{label}")
            case "softbreak" | "hardbreak":
                block.text += " "
            case "text" | "code_inline" if link:
                block.text += token.content
            case "text" | "code_inline":
                plain = _plain(token.content)
                block.marks += [(len(block.text) + at, mark, target) for at, mark, target in plain.marks]
                block.text += plain.text
    return block


def _close(block: Marked, begin: int, target: str) -> None:
    """End a link: its words stay in the text, unless they are its address or a number."""
    words = block.text[begin:].strip()
    if target.startswith(_NO_SOURCE) and not target.startswith("#"):
        return
    if _LABEL.match(words) or words == target or ADDRESS.fullmatch(words):
        block.text = block.text[:begin].rstrip() if _LABEL.match(words) else block.text[:begin]
    if target and not target.startswith("#"):
        block.cite(words or target, target)


def _html(text: str) -> tuple[list[Marked], dict[str, str]]:
    """The blocks of a page, and what its inner links lead to."""
    from lxml import etree, html

    tree = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    etree.strip_elements(tree, *_HIDDEN, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    noted = {href[1:] for href in tree.xpath("//a/@href") if href.startswith("#") and len(href) > 1}
    found = {one.get("id"): one for one in tree.xpath("//*[@id]") if one.get("id") in noted}
    cited = {place: one for place, one in found.items() if _is_note(place, one, tree)}
    for items in tree.iter("ol"):
        for number, item in enumerate(items.findall("li"), start=1):
            item.set(_NUMBER, str(number))
    notes = {place: _note(one) for place, one in cited.items()}
    notes |= {number: notes[place] for place, one in cited.items() if (number := one.get(_NUMBER))}
    for one in cited.values():
        one.drop_tree()
    blocks = [Marked()]
    _walk(tree, blocks, frozenset(notes))
    for block in blocks:
        _squeeze(block)
    return [block for block in blocks if block.text], notes


def _is_note(place: str, element: Any, tree: Any) -> bool:
    """Whether an element is a note: something that a mark links to, and that holds more than a mark."""
    links = tree.xpath("//a[@href=$target]", target=f"#{place}")
    marks = any(_LABEL.match(link.text_content()) or link.getparent().tag == "sup" for link in links)
    leads = any(not href.startswith("#") for href in element.xpath(".//a/@href"))
    return marks and (leads or len(element.text_content().split()) > 1)


def _note(element: Any) -> str:
    links = [href for href in element.xpath(".//a/@href") if not href.startswith(_NO_SOURCE)]
    words = " ".join(element.text_content().split())
    plain = ADDRESS.search(words)
    return links[0] if links else plain[1] if plain else words


_NUMBER = "data-number"  # of an item in its list
_HIDDEN = ("head", "script", "style", "noscript", "template", "nav", "footer", "aside", "form", "button")


def _walk(element: Any, blocks: list[Marked], notes: frozenset[str]) -> None:
    """Add an element's text and marks to the last block, or to new ones."""
    tag = element.tag
    if tag not in INLINE and tag != "br":
        blocks.append(Marked(heading=bool(re.fullmatch(r"h[1-6]", str(tag)))))
    begin = len(blocks[-1].text)
    if (number := element.get(_NUMBER)) and _in_references(blocks):
        blocks[-1].text = f"[{number}] "
    blocks[-1].text += (element.text or "") if tag != "br" else " "
    for child in element:
        _walk(child, blocks, notes)
        blocks[-1].text += child.tail or ""
    href = element.get("href", "") if tag == "a" else ""
    if href.startswith("#") and href[1:] in notes:
        mark = element.text_content().strip(" []")
        blocks[-1].text = blocks[-1].text[:begin]
        blocks[-1].cite(f"[{mark}]", f"note:{href[1:]}")
    elif href:
        _close(blocks[-1], begin, href)
    elif tag == "sup" and (label := element.text_content().strip(" []")).isdigit() and not element.xpath(".//a"):
        blocks[-1].text = blocks[-1].text[:begin]
        blocks[-1].cite(f"[{label}]", f"note:{label}")
    if tag not in INLINE and tag != "br":
        blocks.append(Marked())


def _squeeze(block: Marked) -> None:
    """Make all whitespace single spaces, and move the marks with it."""
    places = [(len(" ".join(block.text[:at].split())), mark, target) for at, mark, target in block.marks]
    block.text, block.marks = " ".join(block.text.split()), places
