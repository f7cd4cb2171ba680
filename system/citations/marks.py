"""Where a text cites: links, footnotes and references, in Markdown, in HTML and in plain text.

Each reader gives the text's blocks without the marks, with the place of each; and what the notes say.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from knowledge_store.pages.formats import INLINE, SOFT_HYPHEN, decoded
from system.citations.authors import AUTHORS_AND_YEARS, References, begins_reference
from system.citations.pointers import without_pointers

ADDRESS = re.compile(r"<?\b(https?://[^\s<>\"“”]+[^\s<>\"“”.,;:!?)\]'’])>?")
_NUMBERS = re.compile(r"\s?\[(\^?\w{1,3}(?:\s?[,;–-]\s?\^?\d{1,3})*)\](?!\()")
_LABEL = re.compile(r"^\W*\d{0,3}\W*$")  # of a link that is a mark, and no words of the text
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISE, _LOWER = str.maketrans("0123456789", _RAISED), str.maketrans(_RAISED, "0123456789")
_MARK = re.compile(  # numbers in brackets, raised ones but for units, what assistants write, authors and years
    rf"{_NUMBERS.pattern}|\s?(?<!\b\d)(?<!\b\d\d)(?<!\bm)(?<!\dm)(?<!\b[kcdm]m)(?P<raised>[{_RAISED}]+(?:,[{_RAISED}]+)*)|"
    rf"\s?【(?P<odd>[^】]{{1,80}})】|\s?(?P<named>{AUTHORS_AND_YEARS})"
)
_ENTRY = re.compile(
    rf"^\s*(?:(?:\[\^?(\w{{1,3}})\]|\(?(\d{{1,3}})[.)])\s*:?(?:\s+(?=\S)|\s*$)|([{_RAISED}]{{1,3}})\s*|"
    r"【(\d{1,3})(?:†[^】]{0,80})?】\s*:?\s*)"
)
BREAK = "\ue000"  # where a line of a block ends, in the place of a space
_SECTION = re.compile(
    r"^\W*(?:(?:list of )?references(?: list| cited)?|reference list|sources|bibliography|works cited|notes|footnotes|"
    r"endnotes|citations|literature|further reading|"
    r"quellen|literatur|einzelnachweise|referencias|fuentes|références|referências|fontes)\W*$",
    re.IGNORECASE,
)
_NO_SOURCE = ("#", "mailto:", "tel:", "javascript:", "data:")


class Marked:
    """A block of a text, which grows by pieces: to copy it for each would take time that grows with their square.

    Attributes:
        marks: where in it, how it is marked, and the address or the label of a note ("note:1").
        heading: whether it is one.
        size: characters.
    """

    def __init__(self, text: str = "", marks: Iterable[tuple[int, str, str]] = (), *, heading: bool = False) -> None:
        self.marks = list(marks)
        self.heading = heading
        self.size = len(text)
        self._pieces = [text]

    @property
    def text(self) -> str:
        """What is there so far."""
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def add(self, text: str) -> None:
        """Append a piece."""
        self._pieces.append(text)
        self.size += len(text)

    def cut(self, at: int) -> str:
        """Remove all from a place on, and return it."""
        taken: list[str] = []
        while self.size > at:
            piece = self._pieces.pop()
            self.size -= len(piece)
            taken.append(piece)
        if taken and self.size < at:
            piece, at = taken.pop(), at - self.size
            self.add(piece[:at])
            taken.append(piece[at:])
        return "".join(reversed(taken))

    def end(self) -> int:
        """The place behind the last character that is not blank."""
        end = self.size
        for piece in reversed(self._pieces):
            bare = len(piece.rstrip())
            end -= len(piece) - bare
            if bare:
                break
        return end

    def cite(self, mark: str, target: str) -> None:
        """Add a mark at the end of what is there so far."""
        self.marks.append((self.end(), mark, target))


@dataclass
class MarkedText:
    """A text as it was read.

    Attributes:
        notes: what each note says, by its label: its words, and the first address among them.
    """

    blocks: list[Marked] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)


def read_marks(data: bytes, suffix: str, name: str, blocks: Iterable[str]) -> MarkedText:
    """Read a text with its marks; strangers' bytes take more time than they should, so call it in a worker.

    Args:
        suffix: ".md", ".html"; of others the blocks are read for addresses and numbers in brackets.
        blocks: of the text, where it is neither.
    """
    if suffix in (".html", ".htm"):
        return _finished(*_html(decoded(data, name)))
    if suffix in (".md", ".markdown", ".txt", ""):
        return _finished(*_markdown(decoded(data, name)))
    return _finished([_plain(block) for block in blocks], {})


def _finished(blocks: list[Marked], notes: dict[str, str]) -> MarkedText:
    """The blocks without the list of references, which becomes notes."""
    reading = MarkedText(notes=notes)
    references = References()
    prose: list[Marked] = []
    places: dict[str, str] = {}  # what references without a label say, by their place in a list
    listing, listed, place = False, False, 0
    for whole in blocks:
        for block in _lines(whole, listing=listing):
            section = bool(_SECTION.match(block.text))
            if block.heading or section:
                listing, listed, place = section, listed or section, 0
            entry = _ENTRY.match(block.text)
            bare = entry and not (block.text[entry.end() :].strip() or block.marks)
            if listing and not section:
                place += 1
                key, said = f"reference {len(reading.notes)}", _address_of(block)
                reading.notes[key] = said
                references.add(block.text[entry.end() if entry else 0 :], key)
                (reading.notes if entry else places).setdefault(_label(entry) if entry else str(place), said)
            elif entry and not entry[2] and not bare:
                reading.notes.setdefault(_label(entry), _address_of(block))
            elif block.text.strip() and not listing:
                prose.append(block)
    reading.notes = places | reading.notes
    reading.blocks = [_numbered(_claiming(block), reading.notes, references if listed else None) for block in prose]
    return reading


def _label(entry: re.Match[str]) -> str:
    return (entry[1] or entry[2] or entry[4] or entry[3].translate(_LOWER)).lstrip("^")


def _lines(block: Marked, *, listing: bool) -> Iterator[Marked]:
    """A block, cut before its lines that are references; the other lines are joined.

    Args:
        listing: whether it is in a list of references.
    """
    lines = block.text.replace(SOFT_HYPHEN, "").split(BREAK)
    text = block.text
    hyphens = [match.start() for match in re.finditer(SOFT_HYPHEN, text)]
    moved = ((at - bisect_left(hyphens, at), mark.replace(SOFT_HYPHEN, ""), target) for at, mark, target in block.marks)
    marks = sorted(moved, key=itemgetter(0))
    places = [at for at, _, _ in marks]
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    listed = [bool((entry := _ENTRY.match(line)) and not entry[2]) for line in lines]
    addressed = {bisect_right(starts, at) - 1 for at, _, target in marks if not target.startswith("note:")}
    sections = [bool(_SECTION.match(line)) for line in lines]
    begun = list(accumulate(sections, initial=listing))  # whether a list of references has, before each line
    cuts = [
        number
        for number in range(1, len(lines))
        if (begun[number] and (sections[number - 1] or begins_reference(lines[number], lines[number - 1])))
        or (
            listed[number]
            and (
                number in addressed
                or listed[number - 1]
                or sections[number - 1]
                or any(listed[number + 1 : number + 2])
            )
        )
    ]
    for first, last in pairwise([0, *cuts, len(lines)]):
        begin, end = starts[first], starts[last] - 1
        held = marks[bisect_left(places, begin) : bisect_right(places, end)]
        own = [(at - begin, mark, target) for at, mark, target in held]
        yield Marked(" ".join(lines[first:last]), own, heading=block.heading)


def _claiming(block: Marked) -> Marked:
    """A block without the words of links that only point to their sources."""
    return Marked(*without_pointers(block.text, block.marks), heading=block.heading)


def _address_of(block: Marked) -> str:
    """The address of a reference, or its words."""
    found = next((target for _, _, target in block.marks if not target.startswith("note:")), "")
    return found or _ENTRY.sub("", " ".join(block.text.split())).lstrip("^ ")


def _numbered(block: Marked, notes: Container[str], references: References | None) -> Marked:
    """A block whose marks in the text have become marks beside it, as far as they lead to references.

    Args:
        references: of the text; None where it has no list of them, and an author with a year is no mark.
    """
    kept = Marked(heading=block.heading)
    marks = deque(sorted(block.marks, key=itemgetter(0)))  # several at one place keep their order
    place = 0
    for match in _MARK.finditer(block.text):
        end = match.start()
        if match[1]:
            cited = [(f"[{label}]", f"note:{label}") for label in _labels(match[1])]
        elif match["raised"]:
            labels = match["raised"].translate(_LOWER).split(",")
            cited = [(label.translate(_RAISE), f"note:{label}") for label in labels if label in notes]
        elif match["odd"]:
            cited = [(match[0].strip(), _target_of(match["odd"]))]
        else:
            cited, end = references.cited(match) if references else ([], 0)
        if not cited:
            continue
        _move(kept, block.text[place:end], marks, place)
        for mark, target in cited:
            kept.cite(mark, target)
        place = match.end()
    _move(kept, block.text[place:], marks, place)
    return kept


def _target_of(mark: str) -> str:
    """The reference, or the file, that an assistant's mark names.

    >>> _target_of("1†source"), _target_of("4:0†minutes.pdf")
    ('note:1', 'minutes.pdf')
    """
    number, _, named = mark.partition("†")
    return named if re.fullmatch(r"[^/\\]+\.\w{2,8}", named) else f"note:{number}"


def _move(kept: Marked, text: str, marks: deque[tuple[int, str, str]], place: int) -> None:
    """Append a piece of a block that began at ``place``, with its marks."""
    while marks and marks[0][0] <= place + len(text):
        at, mark, target = marks.popleft()
        kept.marks.append((kept.size + max(0, at - place), mark, target))
    kept.add(text)


def _labels(text: str) -> Iterator[str]:
    """The labels in brackets: "1, 3-5" are four; a word such as "sic" is none.

    >>> list(_labels("1, 3-5")), list(_labels("sic"))
    (['1', '3', '4', '5'], [])
    """
    for part in re.split(r"\s?[,;]\s?", text):
        ends = [one.strip() for one in re.split(r"[–-]", part)]
        if all(one.isdecimal() for one in ends) and len(ends) <= 2 and int(ends[-1]) - int(ends[0]) < 20:
            yield from map(str, range(int(ends[0]), int(ends[-1]) + 1))
        elif len(ends) == 1 and part.startswith("^"):
            yield part[1:]


def _plain(text: str) -> Marked:
    """A block whose addresses have become marks."""
    block, place = Marked(), 0
    for match in ADDRESS.finditer(text):
        block.add(text[place : match.start()].rstrip(" ("))
        block.cite(match[1], match[1])
        start, end = match.span()
        place = end + (text[end : end + 1] == ")" and text[max(0, start - 1) : start] == "(")
    block.add(text[place:])
    return block


def _markdown(text: str) -> tuple[list[Marked], dict[str, str]]:
    """The blocks of Markdown, and its footnotes."""
    blocks: list[Marked] = []
    notes: dict[str, str] = {}
    note, heading, counters, label, listing = "", False, list[int](), "", False
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
                    blocks.append(_labelled(block, label) if label and listing else block)
                    listing = _begins_references(block, listing)
                label = ""
    return blocks, notes


def _begins_references(block: Marked, listing: bool) -> bool:
    """Whether references follow a block: it is a heading such as "References", or no heading and they did before."""
    return bool(_SECTION.match(block.text)) if block.heading and block.text else listing


def _labelled(block: Marked, label: str) -> Marked:
    """An item of a numbered list, with its number before it."""
    moved = [(at + len(label), mark, target) for at, mark, target in block.marks]
    return Marked(label + block.text, moved)


def _inline(tokens: Iterable[Token], *, heading: bool) -> Marked:
    block = Marked(heading=heading)
    link, begin = "", 0
    for token in tokens:
        match token.type:
            case "link_open":
                link, begin = str(token.attrs.get("href", "")), block.size
            case "link_close":
                _close(block, begin, link)
                link = ""
            case "footnote_ref":
                label = str(token.meta.get("label") or token.meta["id"] + 1)
                block.cite(f"[{label}]", f"note:^{label}")
            case "softbreak" | "hardbreak":
                block.add(BREAK)
            case "text" | "code_inline" if link:
                block.add(token.content)
            case "text" | "code_inline":
                plain = _plain(token.content)
                block.marks += [(block.size + at, mark, target) for at, mark, target in plain.marks]
                block.add(plain.text)
    return block


def _close(block: Marked, begin: int, target: str) -> None:
    """End a link: its words stay in the text, unless they are its address or a number."""
    said = block.cut(begin)
    words = said.strip()
    if target.startswith(_NO_SOURCE) and not target.startswith("#"):
        block.add(said)
        return
    if _LABEL.match(words):
        block.cut(block.end())
    elif words != target and not ADDRESS.fullmatch(words):
        block.add(said)
    if target and not target.startswith("#"):
        block.cite(words or target, target)


def _html(text: str) -> tuple[list[Marked], dict[str, str]]:
    """The blocks of a page, and what its inner links lead to."""
    from lxml import etree, html

    try:
        tree = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:  # nothing but blanks and comments
        return [], {}
    etree.strip_elements(tree, *_HIDDEN, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    links = defaultdict[str, list[Any]](list)  # inner ones, by what they lead to
    for link in tree.iter("a"):
        if (href := link.get("href", "")).startswith("#") and len(href) > 1:
            links[href[1:]].append(link)
    found = {one.get("id"): one for one in tree.xpath("//*[@id]") if one.get("id") in links}
    cited = {place: one for place, one in found.items() if _is_note(one, links[place])}
    for items in tree.iter("ol"):
        for number, item in enumerate(items.findall("li"), start=1):
            item.set(_NUMBER, str(number))
    notes = {place: _note(one) for place, one in cited.items()}
    notes |= {number: notes[place] for place, one in cited.items() if (number := one.get(_NUMBER))}
    for one in cited.values():
        one.drop_tree()
    walk = _Walk(notes)
    walk.add(tree)
    for block in walk.blocks:
        _squeeze(block)
    return [block for block in walk.blocks if block.size], notes


def _is_note(element: Any, links: Iterable[Any]) -> bool:
    """Whether an element is a note: something that a mark links to, and that holds more than a mark."""
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


class _Walk:
    """Collects the blocks of a page.

    Args:
        notes: the ids of its notes, and their numbers.
    """

    def __init__(self, notes: Container[str]) -> None:
        self.blocks = [Marked()]
        self._notes = notes
        self._listing = False  # whether the last heading is one such as "References"

    def add(self, element: Any) -> None:
        """Add an element's text and marks to the last block, or to new ones."""
        tag = element.tag
        if ends := tag not in INLINE and tag != "br":
            self.blocks.append(Marked(heading=bool(re.fullmatch(r"h[1-6]", str(tag)))))
        own = self.blocks[-1]
        begin = own.size
        if (number := element.get(_NUMBER)) and self._listing:
            own.add(f"[{number}] ")
        own.add((element.text or "") if tag != "br" else BREAK)
        for child in element:
            self.add(child)
            self.blocks[-1].add(child.tail or "")
        self._mark(element, self.blocks[-1], begin)
        if ends:
            self._listing = _begins_references(own, self._listing)
            self.blocks.append(Marked())

    def _mark(self, element: Any, block: Marked, begin: int) -> None:
        """Make what an element says since a place a mark, if it cites."""
        href = element.get("href", "") if element.tag == "a" else ""
        if href.startswith("#") and href[1:] in self._notes:
            mark = element.text_content().strip(" []")
            block.cut(begin)
            block.cite(f"[{mark}]", f"note:{href[1:]}")
        elif href:
            _close(block, begin, href)
        elif element.tag == "sup" and not element.xpath(".//a"):
            label = element.text_content().strip()
            if label.isdecimal():
                block.cut(begin)
                block.add(label.translate(_RAISE))


def _squeeze(block: Marked) -> None:
    """Make all whitespace single spaces, and move the marks with it."""
    words = list(re.finditer(r"\S+", block.text))
    starts = [word.start() for word in words]
    moved = list(accumulate((len(word[0]) + 1 for word in words), initial=0))  # where each word comes to begin

    def place(at: int) -> int:
        number = bisect_left(starts, at) - 1
        return moved[number] + min(at, words[number].end()) - starts[number] if number >= 0 else 0

    marks = [(place(at), mark, target) for at, mark, target in block.marks]
    block.cut(0)
    block.add(" ".join(word[0] for word in words))
    block.marks = marks
