"""Find where a text cites: links, footnotes, [n] and lists of references, in Markdown, HTML, Word files and plain text.

Markdown and Word files become HTML, other formats paragraphs of HTML, so that one walk reads them all. While a block is
cut and cleaned, each mark is one character of a private plane, whose number is its place in a list; at the end these
characters become positions.

    read_marks(b"It opened in 1932.[^1]\\n\\n[^1]: https://a.example", ".md", "a.md").marks
    # [Mark(at=18, words="[1]", target="https://a.example")]
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from knowledge_store.pages.formats import decoded, html_of
from knowledge_store.pages.html import INLINE
from knowledge_store.pages.pdf import SOFT_HYPHEN

MARKUP = (".txt", ".md", ".markdown", ".html", ".htm", ".docx", ".pdf")
"""Formats that are read by their own marks."""
_NUMBER = "data-number"  # of an item in its list
HIDDEN = ("head", "script", "style", "noscript", "template", "nav", "footer", "aside", "form", "button")
_FIRST, _LAST = 0xF0000, 0xFFFFD  # of the characters that stand for marks
_MARK = f"[{chr(_FIRST)}-{chr(_LAST)}]"
_BREAK, _OPEN, _CLOSE = "\ue000", "\ue001", "\ue002"  # the end of a line; around the words of a link
_RESERVED = re.compile(f"[\ue000-\ue002{SOFT_HYPHEN}]|{_MARK}")
_NUMBERS = re.compile(r"\s?\[(\^?\w{1,3}(?:\s?[,;–-]\s?\^?\d{1,3})*)\]")
_LABEL = re.compile(r"\W*\d{0,3}\W*")  # the words of a link that is a mark, and no words of the text
_ENTRY = re.compile(r"\s*(?:\[\^?(\w{1,3})\]|\(?(\d{1,3})[.)](?=\s))\s*:?\s*(?=\S)")  # "[1] A book", "1. A book"
_BEGINS = re.compile(rf"[^\Wa-zß-ÿ]|[\"“{_OPEN}]|{_MARK}")  # a reference, and no sentence that goes on behind "[1]"
_SECTION = re.compile(
    r"\W*(?:(?:list of )?references(?: list| cited)?|sources|bibliography|works cited|notes|footnotes|endnotes|"
    r"quellen|literatur|einzelnachweise|referencias|fuentes|referências|fontes|références)\W*",
    re.IGNORECASE,
)
_OTHER = ("mailto:", "tel:", "javascript:", "data:")  # links to no source
_POWER = re.compile(r"\b(?:[kcdm]?m|\d\d?)$")  # behind which a raised number is no mark
_SOURCE = r"(?:the )?(?:source|link)|[\w-]+(?:\.[\w-]+)+"  # words of a link that are no words of the text
_NAMED = rf"(?:{_OPEN}(?:(?-i:[A-Z])[^{_OPEN}{_CLOSE}]*|{_SOURCE}){_CLOSE})?{_MARK}"
_POINTERS = re.compile(  # "(BBC)", "(see https://a.example, p. 4)"; ", see https://a.example", " [Source](…)" at an end
    rf"\s?[(\[](?:(?:and|see|via|cf\.|from|sources?:?|[\s,;:&|])*{_NAMED})+(?:,\s?pp?\.\s?\d+)?[)\]]|"
    rf"(?:[,;:–—-]\s*(?:(?:see|via|cf\.|from|source:?)\s+)?(?:{_OPEN}here{_CLOSE})?|\s*{_OPEN}(?:{_SOURCE}){_CLOSE}){_MARK}"
    rf"(?=\s*(?:$|[.,;!?]|(?-i:[A-Z])))",
    re.IGNORECASE,
)
_SPACE_BEFORE = re.compile(rf"\s+(?=(?:{_MARK})*(?:[.!?,;]|$))")


@dataclass(frozen=True)
class Mark:
    """A place of a text that cites: how it is marked, and an address or the words of a reference ("" if unknown)."""

    at: int
    words: str
    target: str


@dataclass(frozen=True)
class MarkedText:
    """A text without its marks, blocks separated by blank lines; and the marks in their order."""

    text: str
    marks: tuple[Mark, ...]


@dataclass
class _Block:
    """A paragraph, heading, cell or item; ``number`` is that of an item of a numbered list."""

    heading: bool = False
    number: str = ""
    text: str = ""


def read_marks(data: bytes, suffix: str, name: str, blocks: Iterable[str] = ()) -> MarkedText:
    """Read a text with its marks; call it in a worker, since hostile input can take long.

    Args:
        suffix: the format, as in ``SUFFIXES``.
        blocks: the text's blocks if it is neither Markdown, HTML, a Word file nor a PDF.
    """
    if (found := html_of(data, suffix, name)) is not None:
        page = found
    elif suffix in (".md", ".markdown", ".txt", ""):
        parser = MarkdownIt("commonmark", {"breaks": True}).enable("table").disable("code").use(footnote_plugin)
        page = parser.render(decoded(data, name))
    else:
        page = "".join(f"<p>{escape(block)}</p>" for block in blocks)
    walk = _Walk(page)
    prose = [_cleaned(text, walk) for text in _without_references(walk)]
    return _placed("\n\n".join(filter(None, prose)), walk)


def _placed(text: str, walk: "_Walk") -> MarkedText:
    pieces, found, place, before = list[str](), list[Mark](), 0, 0
    for match in re.finditer(_MARK, text):
        pieces.append(text[before : match.start()])
        place, before = place + match.start() - before, match.end()
        words, target = walk.marks[ord(match[0]) - _FIRST]
        cited = walk.notes.get(target.removeprefix("note:"), "") if target.startswith("note:") else target
        found.append(Mark(place, words, cited))
    return MarkedText("".join([*pieces, text[before:]]), tuple(found))


class _Walk:
    """The blocks of a page, its marks, and its notes.

    Attributes:
        marks: how the text cites, and an address or "note:" with an id or number.
        notes: addresses or words of footnotes and references, by their ids and numbers.
    """

    def __init__(self, page: str) -> None:
        from lxml import etree, html

        self.blocks = [_Block()]
        self.marks: list[tuple[str, str]] = []
        self.notes: dict[str, str] = {}
        self._linkify = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False})
        try:
            tree = html.document_fromstring(page.encode(), parser=html.HTMLParser(encoding="utf-8"))
        except etree.ParserError:  # nothing except blanks and comments
            return
        etree.strip_elements(tree, *HIDDEN, etree.Comment, etree.ProcessingInstruction, with_tail=False)
        for items in tree.iter("ol"):
            start = items.get("start", "1")
            for number, item in enumerate(items.findall("li"), start=int(start) if start.isdecimal() else 1):
                item.set(_NUMBER, str(number))
        self._take_notes(tree)
        self._add(tree)

    def mark(self, words: str, target: str) -> str:
        """Add a mark; return the character that stands for it, empty if there are too many."""
        if _FIRST + len(self.marks) > _LAST:
            return ""
        self.marks.append((words, target))
        return chr(_FIRST + len(self.marks) - 1)

    def _take_notes(self, tree: Any) -> None:
        """Take footnotes out of the page: what a number links to, if it holds more than a number."""
        by_number = (link for link in tree.iter("a") if _LABEL.fullmatch(link.text_content()))
        cited = {href[1:] for link in by_number if (href := link.get("href", "")).startswith("#")}
        for one in tree.xpath("//*[@id]"):
            name, words = one.get("id"), " ".join(one.text_content().split()).strip("↑↩︎^ ")
            if name in cited and not _LABEL.fullmatch(words) and one.tag not in ("a", "sup"):
                hrefs = [href for href in one.xpath(".//a/@href") if not href.startswith(("#", *_OTHER))]
                plain = self._addresses(words)
                self.notes[name] = hrefs[0] if hrefs else plain[0].url if plain else words
                self.notes.setdefault(one.get(_NUMBER, name), self.notes[name])
                one.drop_tree()

    def _addresses(self, text: str) -> list[Any]:
        return (self._linkify.match(text) or []) if "://" in text else []

    def _add(self, element: Any, number: str = "") -> None:
        tag, href, number = str(element.tag), element.get("href", "").strip(), element.get(_NUMBER, number)
        if tag == "br":
            self._say(_BREAK)
        elif tag == "a" and href:
            self._link(" ".join(element.text_content().split()), href)
        elif tag == "sup" and (label := element.text_content().strip()).isdecimal() and not element.xpath(".//a"):
            self._say(label if _POWER.search(self.blocks[-1].text) else f"[{label}]")
        else:
            ends = tag not in INLINE and tag != "img"
            if ends:
                self.blocks.append(_Block(bool(re.fullmatch(r"h[1-6]", tag)), number))
            self._text(element.text)
            for child in element:
                self._add(child, number if tag == "li" else "")
                self._text(child.tail)
            if ends:
                self.blocks.append(_Block())

    def _say(self, text: str) -> None:
        self.blocks[-1].text += text

    def _text(self, text: str | None) -> None:
        """Add text of a page, in which written addresses become marks."""
        text, place = _RESERVED.sub("", text or ""), 0
        for match in self._addresses(text):
            address = match.url.rstrip("”’»›")
            self._say(text[place : match.index] + self.mark(address, address))
            place = match.last_index - (len(match.url) - len(address))
        self._say(text[place:])

    def _link(self, words: str, href: str) -> None:
        words = _RESERVED.sub("", words)
        if href.startswith("#") and href[1:] in self.notes:
            self._say(self.mark(f"[{words.strip(' []')}]", f"note:{href[1:]}"))
        elif href.startswith(("#", *_OTHER)):
            self._say(words)
        else:
            shown = not (_LABEL.fullmatch(words) or words == href or self._addresses(words))
            self._say((f"{_OPEN}{words}{_CLOSE}" if shown else "") + self.mark(words or href, href))


def _without_references(walk: _Walk) -> Iterator[str]:
    """Yield the blocks of prose; put the lists of references among the notes, by their labels and their places."""
    entries: list[tuple[str, int, list[str]]] = []  # label, place in its list, lines
    listing, place = False, 0
    for block in walk.blocks:
        own: list[str] = []
        within = own  # what the next line belongs to
        for number, line in enumerate(filter(None, (" ".join(one.split()) for one in block.text.split(_BREAK)))):
            section = bool(_SECTION.fullmatch(_visible(line)))
            if section or (block.heading and not number):
                listing, place = section, 0
            if section:
                continue
            match = _ENTRY.match(line)
            labelled = match and (listing or (match[1] and _BEGINS.match(line, match.end())))
            alone = block.number and not _visible(line)  # "1. https://a.example"
            if labelled or alone or (listing and within is own and not block.heading):
                label = (match[1] or match[2]) if match and labelled else block.number
                within, place = [line[match.end() :] if match and labelled else line], place + 1
                entries.append((label, place, within))
            else:
                within.append(line)
        yield " ".join(own)
    for label, place, lines in sorted(entries, key=lambda entry: not entry[0]):
        walk.notes.setdefault(label or str(place), _target(" ".join(lines), walk))


def _visible(text: str) -> str:
    return re.sub(f"[{_OPEN}{_CLOSE}]|{_MARK}", "", text)


def _target(text: str, walk: _Walk) -> str:
    """The first address of a reference, else its words."""
    targets = (walk.marks[ord(one) - _FIRST][1] for one in re.findall(_MARK, text))
    return next((one for one in targets if not one.startswith("note:")), "") or _visible(text).strip()


def _cleaned(text: str, walk: _Walk) -> str:
    """A block in which numbers in brackets have become marks, without words that only point to a source.

    A block that cites gets a full stop if it has no end, as items of lists; else it would pass for a heading.
    """

    def marks(match: re.Match[str]) -> str:
        return "".join(walk.mark(f"[{one}]", f"note:{one}") for one in _labels(match[1])) or match[0]

    text = re.sub(rf"({_MARK})\s?[,;]\s?(?={_MARK})", r"\1", _NUMBERS.sub(marks, text))
    if not re.search(_MARK, text):
        return text.strip()
    text = _POINTERS.sub(lambda match: "".join(re.findall(_MARK, match[0])), text)
    text = re.sub(f"[{_OPEN}{_CLOSE}]", "", text)
    text = _SPACE_BEFORE.sub("", re.sub(rf"(?<=[.!?])((?:{_MARK})+)\s*\.(?!\.)", r"\1", text)).strip()
    return text if (_visible(text)[-1:] or ".") in '.!?:;…"”’)' else f"{text}."


def _labels(text: str) -> Iterator[str]:
    """The labels in brackets: "1, 3-5" are four; a word such as "sic" is none.

    >>> list(_labels("1, 3-5")), list(_labels("sic"))
    (['1', '3', '4', '5'], [])
    """
    for part in re.split(r"\s?[,;]\s?", text):
        ends = re.split(r"\s?[–-]\s?", part)
        if all(one.isascii() and one.isdecimal() for one in ends) and int(ends[-1]) - int(ends[0]) < 20:
            yield from map(str, range(int(ends[0]), int(ends[-1]) + 1))
        elif part.startswith("^"):
            yield part[1:]
