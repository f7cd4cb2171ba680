"""Find where a text cites: links, footnotes, [n] and lists of references, in Markdown, HTML, Word files and plain text.

Markdown and Word files become HTML, other formats paragraphs of HTML, so that one walk reads them all. While a block is
cut and cleaned, each mark is one character of a private plane, whose number is its place in a list; at the end these
characters become positions.

    read_marks(b"It opened in 1932.[^1]\\n\\n[^1]: https://a.example", ".md", "a.md").marks
    # [Mark(at=18, words="[1]", target="https://a.example")]
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
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
_NUMBERS = re.compile(r"\s?(?:\[(\^?\w{1,3}(?:\s?[,;–-]\s?\^?\d{1,3})*)\]|【(\d{1,3})[^】]{0,80}】)")
_LABEL = re.compile(r"\W*\d{0,3}\W*")  # the words of a link that is a mark, and no words of the text
_ENTRY = re.compile(  # "[1] A book", "1. A book", "【1†source】 https://…"
    r"\s*(?:\[\^?(\w{1,3})\]|【(\d{1,3})[^】]{0,80}】|\(?(\d{1,3})[.)](?=\s))\s*:?\s*(?=\S)"
)
_BEGINS = re.compile(rf"[^\Wa-zß-ÿ]|[\"“{_OPEN}]|{_MARK}")  # a reference, and no sentence that goes on behind "[1]"
_SECTION = re.compile(
    r"\W*(?:(?:list of )?references(?: list| cited)?|reference list|sources|bibliography|works cited|notes|footnotes|"
    r"endnotes|citations|literature|further reading|"
    r"quellen|literatur|einzelnachweise|referencias|fuentes|referências|fontes|références)\W*",
    re.IGNORECASE,
)
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_OTHER = ("mailto:", "tel:", "javascript:", "data:")  # links to no source
_SOURCE = (
    r"here|there|more|via .*|(?:read|learn|see|find out) more\b.*|[\w-]+(?:\.[\w-]+)+(?:/\S*)?|"
    r"(?:the |this |its |original |full |official |primary )*(?:sources?|links?|archived?|website|web ?page|site|page|"
    r"article|report|study|reference|ref|citation|details|pdf|document)|"
    r"(?:see|source:?|cf\.?|according to|as (?:reported|stated|shown|noted|seen) (?:by|in|on|at))\b.*"
)
_LEAD = (  # what leads to a source: ", according to", "(see"
    r"according to|as (?:reported|stated|shown|noted|seen) (?:by|in|on|at)|"
    r"(?<=[,;–—(-]\s)(?:see(?: also)?|via|cf\.|source:?|from)|(?<=[,;–—(-])(?:see(?: also)?|via|cf\.|source:?|from)"
)
_NEEDED = re.compile(  # words before a link that need it
    r"\b(?:an?|the|this|that|its|his|her|their|our|my|in|of|at|on|to|from|by|for|with|into|over|under|via|is|are|was|were|be|"
    r"and|or|as|than|not|no|lies?|stands?|lives?)\s*$",
    re.IGNORECASE,
)
_ENDS = rf"(?=(?:{_MARK})*\s*(?:$|[.,;:!?)\]]))"
_LINK = rf"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}({_MARK})"
_BRACKETED = re.compile(rf"\s?[(\[](?=[^()\[\]]*{_MARK})([^()\[\]]*)[)\]]")
_LED = re.compile(
    rf"\s*(?:[,;–—-]?\s*\b(?:{_LEAD})(?:\s+(?:the|this|an?))?\s*(?:{_LINK}|{_MARK})|[:,;–—-]\s*{_MARK}){_ENDS}",
    re.IGNORECASE,
)
_POINTING = re.compile(rf"\s*{_LINK}(?:{_ENDS}|(?=\s[A-Z]))")
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
    pieces: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        return [" ".join(line.split()) for line in "".join(self.pieces).split(_BREAK)]


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
    prose, notes = _without_references(walk)
    cleaned = [_ended(_numbered(_without_pointers(block), walk)) for block in prose]
    return _placed("\n\n".join(filter(None, cleaned)), walk.marks, walk.notes | notes)


def _ended(text: str) -> str:
    """A block that cites, with a full stop if it has no end, as items of lists; else it would pass for a heading."""
    return f"{text}." if re.search(_MARK, text) and (_visible(text)[-1:] or ".") not in '.!?:;…”"’)' else text


def _placed(text: str, marks: list[tuple[str, str]], notes: dict[str, str]) -> MarkedText:
    pieces, found, place, before = list[str](), list[Mark](), 0, 0
    for match in re.finditer(_MARK, text):
        pieces.append(text[before : match.start()])
        place, before = place + match.start() - before, match.end()
        words, target = marks[ord(match[0]) - _FIRST]
        cited = notes.get(target.removeprefix("note:"), "") if target.startswith("note:") else target
        found.append(Mark(place, words, cited))
    return MarkedText("".join([*pieces, text[before:]]), tuple(found))


class _Walk:
    """The blocks of a page, its marks, and its notes by their ids.

    Attributes:
        marks: how the text cites, and an address or "note:" with an id or number.
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
        """Take footnotes out of the page: what a mark links to, if it holds more than a mark."""
        links = defaultdict[str, list[Any]](list)
        for link in tree.iter("a"):
            if (href := link.get("href", "")).startswith("#") and len(href) > 1:
                links[href[1:]].append(link)
        found = {one.get("id"): one for one in tree.xpath("//*[@id]") if one.get("id") in links}
        for name, one in found.items():
            labels = any(_LABEL.fullmatch(link.text_content()) or link.getparent().tag == "sup" for link in links[name])
            if labels and len(one.text_content().split()) > 1 and one.tag not in ("a", "sup"):
                hrefs = [href for href in one.xpath(".//a/@href") if not href.startswith(("#", *_OTHER))]
                words = " ".join(one.text_content().split()).strip("↑↩︎^ ")
                plain = self._addresses(words)
                self.notes[name] = hrefs[0] if hrefs else plain[0].url if plain else words
                self.notes.setdefault(one.get(_NUMBER, name), self.notes[name])
        for name in self.notes.keys() & found.keys():
            found[name].drop_tree()

    def _addresses(self, text: str) -> list[Any]:
        return (self._linkify.match(text) or []) if "://" in text else []

    def _add(self, element: Any, number: str = "") -> None:
        tag, number = str(element.tag), element.get(_NUMBER, number)
        if tag == "br":
            self._say(_BREAK)
        elif tag == "a" and element.get("href"):
            self._link(element, element.get("href").strip())
        elif tag == "sup" and (label := element.text_content().strip()).isdecimal() and not element.xpath(".//a"):
            power = re.search(r"\b(?:[kcdm]?m|\d\d?)$", "".join(self.blocks[-1].pieces[-1:]))
            self._say(label.translate(_RAISED) if power else f"[{label}]")
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
        self.blocks[-1].pieces.append(text)

    def _text(self, text: str | None) -> None:
        """Add text of a page, in which written addresses become marks."""
        text, place = _RESERVED.sub("", text or ""), 0
        for match in self._addresses(text):
            self._say(text[place : match.index])
            address = match.url.rstrip("”’»›")
            self._say(self.mark(address, address))
            place = match.last_index - (len(match.url) - len(address))
        self._say(text[place:])

    def _link(self, element: Any, href: str) -> None:
        words = _RESERVED.sub("", " ".join(element.text_content().split()))
        if href.startswith("#") and href[1:] in self.notes:
            self._say(self.mark(f"[{words.strip(' []')}]", f"note:{href[1:]}"))
        elif href.startswith(("#", *_OTHER)):
            self._say(words)
        else:
            shown = not (_LABEL.fullmatch(words) or words == href or self._addresses(words))
            self._say(f"{_OPEN}{words}{_CLOSE}" if shown else "")
            self._say(self.mark(words or href, href))


def _without_references(walk: _Walk) -> tuple[list[str], dict[str, str]]:
    """Part the prose from the lists of references; return its blocks, and the references by their labels."""
    prose: list[str] = []
    entries: list[tuple[str, int, list[str]]] = []  # label, place in its list, lines
    listing, place = False, 0
    for block in walk.blocks:
        own: list[str] = []
        within = own  # what the next line belongs to
        for number, line in enumerate(filter(None, block.lines)):
            section = bool(_SECTION.fullmatch(_visible(line)))
            if section or (block.heading and not number):
                listing, place = section, 0
            if section:
                continue
            match = _ENTRY.match(line)
            labelled = match and (listing or (not match[3] and _BEGINS.match(line, match.end())))
            alone = block.number and not _visible(line)  # "1. https://a.example"
            if labelled or alone or (listing and within is own and not block.heading):
                label = next(filter(None, match.groups())) if match and labelled else block.number
                within, place = [line[match.end() :] if match and labelled else line], place + 1
                entries.append((label, place, within))
            else:
                within.append(line)
        prose.append(" ".join(own))
    notes: dict[str, str] = {}
    for labels in ([label for label, _, _ in entries], ["" if label else str(at) for label, at, _ in entries]):
        for label, (_, _, lines) in zip(labels, entries, strict=True):
            if label:
                notes.setdefault(label, _target(" ".join(lines), walk))
    return prose, notes


def _visible(text: str) -> str:
    return re.sub(f"[{_OPEN}{_CLOSE}]|{_MARK}", "", text)


def _target(text: str, walk: _Walk) -> str:
    """The first address of a reference, else its words."""
    targets = (walk.marks[ord(one) - _FIRST][1] for one in re.findall(_MARK, text))
    return next((one for one in targets if not one.startswith("note:")), "") or _visible(text).strip()


def _numbered(text: str, walk: _Walk) -> str:
    """A block in which numbers in brackets have become marks."""

    def marks(match: re.Match[str]) -> str:
        labels = [match[2]] if match[2] else _labels(match[1])
        found = "".join(walk.mark(f"[{one}]", f"note:{one}") for one in labels)
        before = match.string[max(0, match.start() - 10) : match.start()]
        needed = re.search(r"\b(?:in|by|to|than|and|or|from|as|with)\s*$", before)  # "as shown in [2]"
        return f"{match[0]}{found}" if needed or not found else found

    text = re.sub(r"\[(\d{1,3})\]\s?[–-]\s?\[(\d{1,3})\]", r"[\1–\2]", text)
    text = re.sub(rf"({_MARK})\s?[,;]\s?(?={_MARK})", r"\1", _NUMBERS.sub(marks, text))
    return _SPACE_BEFORE.sub("", text).strip()


def _labels(text: str) -> Iterator[str]:
    """The labels in brackets: "1, 3-5" are four; a word such as "sic" is none.

    >>> list(_labels("1, 3-5")), list(_labels("sic"))
    (['1', '3', '4', '5'], [])
    """
    for part in re.split(r"\s?[,;]\s?", text):
        ends = [one.strip() for one in re.split(r"[–-]", part)]
        if (
            all(one.isascii() and one.isdecimal() for one in ends)
            and len(ends) <= 2
            and int(ends[-1]) - int(ends[0]) < 20
        ):
            yield from map(str, range(int(ends[0]), int(ends[-1]) + 1))
        elif len(ends) == 1 and part.startswith("^"):
            yield part[1:]


def _without_pointers(text: str) -> str:
    """A block without words that only point to a source: "(source)", ", according to the archive", "here"."""
    if not re.search(_MARK, text):
        return text

    def bracketed(match: re.Match[str]) -> str:
        links = re.findall(_LINK, match[1])
        rest = re.sub(
            rf"{_LINK}|{_MARK}|[\s,;:&|/–—-]|\bpp?\.\s?\d+|\b(?:and|see|via|cf|from|sources?|the)\b\.?", "", match[1]
        )
        names = all(re.fullmatch(_SOURCE, words, re.IGNORECASE) or words[:1].isupper() for words, _ in links)
        return "".join(re.findall(_MARK, match[1])) if names and not rest else match[0]

    def led(match: re.Match[str]) -> str:
        begun = text_before(match)[-1:] not in ("", ".", "!", "?", ":")
        return "".join(re.findall(_MARK, match[0])) if begun else match[0]

    def pointing(match: re.Match[str]) -> str:
        before = text_before(match)
        needed = _NEEDED.search(before) or not re.fullmatch(_SOURCE, match[1], re.IGNORECASE)
        alone = not before and _visible(match.string[match.end() :]).strip(" .")
        followed = match.string[match.end() :][:1] == " "  # another sentence, so this one is only a source
        return match[0] if needed or alone or (followed and before[-1:] not in set(".!?")) else match[2]

    def text_before(match: re.Match[str]) -> str:
        return _visible(match.string[max(0, match.start() - 80) : match.start()]).rstrip()

    for pattern, replace in ((_BRACKETED, bracketed), (_LED, led), (_POINTING, pointing)):
        text = pattern.sub(replace, text)
    text = re.sub(rf"(?<=[.!?])((?:{_MARK})+)\s*\.(?!\.)", r"\1", text)
    return _SPACE_BEFORE.sub("", re.sub(f"[{_OPEN}{_CLOSE}]", "", text))
