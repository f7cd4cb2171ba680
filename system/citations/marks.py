"""Find where a text cites: links, footnotes, [n] and lists of references, in Markdown, HTML, Word files and plain text.

Every format becomes HTML first. Each mark is one character of a private plane while blocks are cut and cleaned. At the
end these characters become positions.

    read_marks(b"It opened in 1932.[^1]\\n\\n[^1]: https://a.example", ".md", "a.md")
    # ("It opened in 1932.", [Mark(at=18, words="[1]", target="https://a.example")])
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, NamedTuple

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from knowledge_store.pages import html
from knowledge_store.pages.formats import decoded, html_of, parts_of
from knowledge_store.pages.pdf import SOFT_HYPHEN

_MARK = "[\U000f0000-\U0010ffff]"
_RESERVED = re.compile(f"{SOFT_HYPHEN}|{_MARK}")
_LINKIFY = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False})
_OTHER = ("#", "mailto:", "tel:", "javascript:", "data:")  # links to no source
_NO_WORDS = r"[^\w\U000f0000-\U0010ffff]*"
_LABEL = re.compile(rf"{_NO_WORDS}\d{{0,3}}{_NO_WORDS}")  # the words of a link that is a mark, and no words of the text
_SOURCE = re.compile(r"(?:the )?(?:source|link)", re.IGNORECASE)  # the same, unless the sentence goes on
_NUMBERS = re.compile(r"\s?\[\^?([0-9]{1,3}(?:\s?[,;–-]\s?[0-9]{1,3})*)\]")
_ENTRY = re.compile(r"\s*(?:\[\^?([0-9]{1,3})\]|\(?([0-9]{1,3})[.)](?=\s))\s*:?\s*(?=[^\sa-z])")  # "[1] A", "1. A"
_SECTION = re.compile(
    r"\W*(?:(?:list of )?references(?: list| cited)?|sources|bibliography|works cited|notes|footnotes|endnotes|"
    r"quellen|literatur|einzelnachweise|referencias|fuentes|referências|fontes|références)\W*",
    re.IGNORECASE,
)
_LEAD = r"(?:(?:and|see|via|cf\.|from|sources?:?)\s+)?"
_POINTERS = re.compile(  # "(see https://a.example; https://b.example, p. 4)"; ", see https://a.example"
    rf"\s?[(\[](?:{_LEAD}{_MARK}[\s,;]*)+(?:pp?\.\s?\d+)?[)\]]|[,;:–—-]\s*{_LEAD}{_MARK}(?=\s*(?:$|[.,;!?]|(?-i:[A-Z])))",
    re.IGNORECASE,
)
_SPACE_BEFORE = re.compile(rf"(?<=[.!?])\s+(?={_MARK})|\s+(?=(?:{_MARK})*(?:[.!?,;]|$))")


class Mark(NamedTuple):
    """A place of a text that cites: how it is marked, and an address or the words of a reference ("" if unknown)."""

    at: int
    words: str
    target: str


def read_marks(data: bytes, suffix: str, name: str) -> tuple[str, list[Mark]]:
    """Read a text without its marks, blocks separated by blank lines; and the marks in their order.

    Call it in a worker, since hostile input can take long.

    Args:
        suffix: the format, one of ``SUFFIXES``.
    """
    if (page := html_of(data, suffix, name)) is None and suffix in (".md", ".markdown", ".txt"):
        parser = MarkdownIt("commonmark", {"breaks": True}).enable("table").disable("code").use(footnote_plugin)
        page = parser.render(decoded(data, name))
    elif page is None:
        page = "".join(f"<p>{escape(block)}</p>" for _, blocks in parts_of(data, suffix, name) for block in blocks)
    tree = html.parsed(page)
    return ("", []) if tree is None else _Marks().read(tree)


class _Marks:
    """The marks of a page.

    Attributes:
        found: how the text cites, and an address or "#" with the label of a note, by the character of the mark.
        notes: addresses or words of footnotes and references, by "#" and their ids or numbers.
    """

    def __init__(self) -> None:
        self.found: dict[str, tuple[str, str]] = {}
        self.notes: dict[str, str] = {}

    def read(self, tree: Any) -> tuple[str, list[Mark]]:
        """Read the tree of a page, and change it."""
        from lxml import etree

        etree.strip_elements(tree, *html.HIDDEN, "img", etree.Comment, etree.ProcessingInstruction, with_tail=False)
        for one in tree.iter():
            one.text, one.tail = (text and self._with_addresses(text) for text in (one.text, one.tail))
        noted = tree.xpath("//*[@id][not(self::a or self::sup)]")
        notes = {f"#{one.get('id')}": one for one in noted if not _LABEL.fullmatch(one.text_content())}
        for link in tree.xpath("//a[@href]"):
            text = self._link(link, notes)
            link.clear(keep_tail=True)
            link.text = text
        cited = {target for _, target in self.found.values()}
        for label, note in notes.items():
            if label in cited:
                self.notes[label] = self._target(note.text_content())
                note.drop_tree()
        blocks = ((str(element.tag), text) for element, text in html.blocks(tree))
        prose = [self._cleaned(text) for text in self._without_references(blocks)]
        return self._placed("\n\n".join(filter(None, prose)))

    def _add(self, words: str, target: str) -> str:
        """Add a mark; return the character that stands for it."""
        mark = chr(0xF0000 + len(self.found))
        self.found[mark] = words, target
        return mark

    def _with_addresses(self, text: str) -> str:
        """Return a text in which written addresses have become marks."""
        text = _RESERVED.sub("", text)
        pieces, place = list[str](), 0
        for match in (_LINKIFY.match(text) or []) if "://" in text else []:
            address = match.text.rstrip("”’»›")
            pieces += text[place : match.index], self._add(address, address)
            place = match.index + len(address)
        return "".join([*pieces, text[place:]])

    def _link(self, link: Any, notes: Iterable[str]) -> str:
        """Return what stands for a link in its text: its words, unless they only point to the source, and its mark."""
        words, href = " ".join(_visible(link.text_content()).split()), link.get("href").strip()
        label = _LABEL.fullmatch(words)
        if label and href in notes:
            return self._add(f"[{words.strip(' []')}]", href)
        if not href or href.startswith(_OTHER):
            return words
        pointing = _SOURCE.fullmatch(words) and not re.match(r"\s*[a-z]", link.tail or "")
        return ("" if label or pointing or words == href else words) + self._add(words or href, href)

    def _without_references(self, blocks: Iterable[tuple[str, str]]) -> Iterator[str]:
        """Yield the blocks of prose; put the entries of lists of references among the notes, by number or place."""
        entries: dict[str, list[str]] = {}
        listing, place = False, 0
        for tag, block in blocks:
            prose = within = list[str]()  # what the next line belongs to
            for line in block.split("\n"):
                section = bool(_SECTION.fullmatch(_visible(line)))
                if section or re.fullmatch("h[1-6]", tag):
                    listing, place = section, 0
                if section:
                    continue
                match = _ENTRY.match(line)
                if match and (listing or (match[1] and not prose)):
                    within = entries.setdefault(match[1] or match[2], [])
                    line = line[match.end() :]
                elif listing and within is prose:
                    place += 1
                    within = entries.setdefault(str(place), [])
                within.append(line)
            yield " ".join(prose)
        self.notes |= {f"#{label}": self._target(" ".join(lines)) for label, lines in entries.items()}

    def _target(self, reference: str) -> str:
        """The first address of a reference, else its words."""
        targets = (self.found[mark][1] for mark in re.findall(_MARK, reference))
        words = " ".join(_visible(reference).split()).strip("↑↩︎^ ")
        return next((one for one in targets if not one.startswith("#")), words)

    def _cleaned(self, text: str) -> str:
        """Return a block in which numbers in brackets have become marks, without words that only point to a source.

        A block that cites gets a full stop if it has no end, as items of lists; else it would pass for a heading.
        """
        text = re.sub(rf"({_MARK})\s?[,;]\s?(?={_MARK})", r"\1", _NUMBERS.sub(self._numbers, text))
        if not re.search(_MARK, text):
            return text.strip()
        text = _POINTERS.sub(lambda match: "".join(re.findall(_MARK, match[0])), text)
        text = _SPACE_BEFORE.sub("", re.sub(rf"(?<=[.!?])((?:{_MARK})+)\s*\.(?!\.)", r"\1", text)).strip()
        return text if (_visible(text)[-1:] or ".") in '.!?:;…"”’)' else f"{text}."

    def _numbers(self, match: re.Match[str]) -> str:
        """The marks for the numbers in brackets, such as "1, 3-5"."""
        marks = ""
        for part in re.split("[,;]", match[1]):
            ends = re.findall("[0-9]+", part)
            for number in range(int(ends[0]), int(ends[-1]) + 1):
                marks += self._add(f"[{number}]", f"#{number}")
        return marks or match[0]

    def _placed(self, text: str) -> tuple[str, list[Mark]]:
        """Return the text without the characters that stand for marks, and the marks with their places."""
        plain, marks, place = list[str](), list[Mark](), 0
        for piece in re.split(f"({_MARK})", text):
            if piece in self.found:
                words, target = self.found[piece]
                marks.append(Mark(place, words, self.notes.get(target, "") if target.startswith("#") else target))
            else:
                plain.append(piece)
                place += len(piece)
        return "".join(plain), marks


def _visible(text: str) -> str:
    return _RESERVED.sub("", text)
