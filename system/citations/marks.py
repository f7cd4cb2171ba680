"""Find where a text cites: links, footnotes, [n] and lists of references, in Markdown, HTML, Word files and plain text.

Every format becomes HTML first. Each mark is one character of a private plane while blocks are cut and cleaned; its
number is its place in a list. At the end these characters become positions.

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

from knowledge_store.pages import html
from knowledge_store.pages.formats import decoded, html_of
from knowledge_store.pages.pdf import SOFT_HYPHEN

MARKUP = (".txt", ".md", ".markdown", ".html", ".htm", ".docx", ".pdf")
"""Formats that are read by their own marks."""
HIDDEN = ("head", "script", "style", "noscript", "template", "nav", "footer", "aside", "form", "button", "img")
_FIRST, _LAST = 0xF0000, 0xFFFFD  # of the characters that stand for marks
_MARK = f"[{chr(_FIRST)}-{chr(_LAST)}]"
_OPEN, _CLOSE = "\ue001", "\ue002"  # around the words of a link
_RESERVED = re.compile(f"[{_OPEN}{_CLOSE}{SOFT_HYPHEN}]|{_MARK}")
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
_LINKIFY = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False})


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
    tree = html.parsed(page)
    return _Marks().read(tree) if tree is not None else MarkedText("", ())


class _Marks:
    """The marks of a page.

    Attributes:
        found: how the text cites, and an address or "note:" with an id or number.
        notes: addresses or words of footnotes and references, by their ids and numbers.
    """

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []
        self.notes: dict[str, str] = {}

    def read(self, tree: Any) -> MarkedText:
        """Read the tree of a page, and change it."""
        from lxml import etree

        etree.strip_elements(tree, *HIDDEN, etree.Comment, etree.ProcessingInstruction, with_tail=False)
        for one in tree.iter():
            one.text, one.tail = (text and _RESERVED.sub("", text) for text in (one.text, one.tail))
        for items in tree.iter("ol"):
            start = items.get("start", "1")
            for number, item in enumerate(items.findall("li"), start=int(start) if start.isdecimal() else 1):
                item.set("value", str(number))
        self._take_notes(tree)
        for one in tree.xpath("//a[@href] | //sup[not(.//a)]"):
            text = self._link(one) if one.tag == "a" else _raised(one)
            one.clear(keep_tail=True)
            one.text = text
        blocks = [(element, self._with_addresses(text)) for element, text in html.blocks(tree)]
        prose = [self._cleaned(text) for text in self._without_references(blocks)]
        return self._placed("\n\n".join(filter(None, prose)))

    def _add(self, words: str, target: str) -> str:
        """Add a mark; return the character that stands for it, empty if there are too many."""
        if _FIRST + len(self.found) > _LAST:
            return ""
        self.found.append((words, target))
        return chr(_FIRST + len(self.found) - 1)

    def _take_notes(self, tree: Any) -> None:
        """Take footnotes out of the page: what a number links to, if it holds more than a number."""
        by_number = (link for link in tree.iter("a") if _LABEL.fullmatch(link.text_content()))
        cited = {href[1:] for link in by_number if (href := link.get("href", "")).startswith("#")}
        for one in tree.xpath("//*[@id]"):
            name, words = one.get("id"), " ".join(one.text_content().split()).strip("↑↩︎^ ")
            if name in cited and not _LABEL.fullmatch(words) and one.tag not in ("a", "sup"):
                hrefs = [href for href in one.xpath(".//a/@href") if not href.startswith(("#", *_OTHER))]
                plain = _addresses(words)
                self.notes[name] = hrefs[0] if hrefs else plain[0].url if plain else words
                self.notes.setdefault(one.get("value", name), self.notes[name])
                one.drop_tree()

    def _link(self, link: Any) -> str:
        words, href = " ".join(link.text_content().split()), link.get("href").strip()
        if href.startswith("#") and href[1:] in self.notes:
            return self._add(f"[{words.strip(' []')}]", f"note:{href[1:]}")
        if not href or href.startswith(("#", *_OTHER)):
            return words
        shown = not (_LABEL.fullmatch(words) or words == href or _addresses(words))
        return (f"{_OPEN}{words}{_CLOSE}" if shown else "") + self._add(words or href, href)

    def _with_addresses(self, text: str) -> str:
        """Return a block in which written addresses have become marks."""
        pieces, place = list[str](), 0
        for match in _addresses(text):
            address = match.url.rstrip("”’»›")
            pieces += text[place : match.index], self._add(address, address)
            place = match.last_index - (len(match.url) - len(address))
        return "".join([*pieces, text[place:]])

    def _without_references(self, blocks: Iterable[tuple[Any, str]]) -> Iterator[str]:
        """Yield the blocks of prose; put the entries of lists of references among the notes, by label and place."""
        entries: list[tuple[str, int, list[str]]] = []  # label, place in its list, lines
        listing, place = False, 0
        for element, block in blocks:
            prose: list[str] = []
            within = prose  # what the next line belongs to
            heading, number = re.fullmatch(r"h[1-6]", str(element.tag)), _number(element)
            for line in block.split("\n"):
                if (section := bool(_SECTION.fullmatch(_visible(line)))) or heading:
                    listing, place = section, 0
                if section:
                    continue
                match = _ENTRY.match(line)
                if match and not (listing or (match[1] and _BEGINS.match(line, match.end()))):
                    match = None
                alone = number and not _visible(line)  # "1. https://a.example"
                if match or alone or (listing and within is prose):
                    within, place = [line[match.end() :] if match else line], place + 1
                    entries.append(((match[1] or match[2]) if match else number, place, within))
                else:
                    within.append(line)
            yield " ".join(prose)
        for label, place, lines in sorted(entries, key=lambda entry: not entry[0]):
            self.notes.setdefault(label or str(place), self._target(" ".join(lines)))

    def _target(self, reference: str) -> str:
        """The first address of a reference, else its words."""
        targets = (self.found[ord(one) - _FIRST][1] for one in re.findall(_MARK, reference))
        return next((one for one in targets if not one.startswith("note:")), "") or _visible(reference).strip()

    def _cleaned(self, text: str) -> str:
        """Return a block in which numbers in brackets have become marks, without words that only point to a source.

        A block that cites gets a full stop if it has no end, as items of lists; else it would pass for a heading.
        """

        def marks(match: re.Match[str]) -> str:
            return "".join(self._add(f"[{one}]", f"note:{one}") for one in _labels(match[1])) or match[0]

        text = re.sub(rf"({_MARK})\s?[,;]\s?(?={_MARK})", r"\1", _NUMBERS.sub(marks, text))
        if not re.search(_MARK, text):
            return text.strip()
        text = _POINTERS.sub(lambda match: "".join(re.findall(_MARK, match[0])), text)
        text = re.sub(f"[{_OPEN}{_CLOSE}]", "", text)
        text = _SPACE_BEFORE.sub("", re.sub(rf"(?<=[.!?])((?:{_MARK})+)\s*\.(?!\.)", r"\1", text)).strip()
        return text if (_visible(text)[-1:] or ".") in '.!?:;…"”’)' else f"{text}."

    def _placed(self, text: str) -> MarkedText:
        """Return the text without the characters that stand for marks, and the marks with their places."""
        pieces, found, place, before = list[str](), list[Mark](), 0, 0
        for match in re.finditer(_MARK, text):
            pieces.append(text[before : match.start()])
            place, before = place + match.start() - before, match.end()
            words, target = self.found[ord(match[0]) - _FIRST]
            cited = self.notes.get(target.removeprefix("note:"), "") if target.startswith("note:") else target
            found.append(Mark(place, words, cited))
        return MarkedText("".join([*pieces, text[before:]]), tuple(found))


def _addresses(text: str) -> list[Any]:
    return (_LINKIFY.match(text) or []) if "://" in text else []


def _raised(raised: Any) -> str:
    """The text of a raised number: a mark in brackets, unless it is a power."""
    text, before = raised.text_content().strip(), raised.getprevious()
    behind = (raised.getparent().text if before is None else before.tail) or ""
    return f"[{text}]" if text.isdecimal() and not _POWER.search(behind) else text


def _number(element: Any) -> str:
    """The number of the item of a list that an element is in; empty if there is none."""
    item = next(element.iterancestors("li"), None) if element.tag != "li" else element
    return item.get("value", "") if item is not None else ""


def _visible(text: str) -> str:
    return re.sub(f"[{_OPEN}{_CLOSE}]|{_MARK}", "", text)


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
