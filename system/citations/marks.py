"""Read a text with its citations: links, footnotes, [n] and lists of references.

Every format becomes HTML first. Each mark is one character of a private plane while blocks are cut and cleaned. At the
end these characters become positions, and the marks belong to sentences: ``read_citing("article.md").citations``.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any
from unicodedata import normalize

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from knowledge_store.isolation import LIMITS, WorkFailed, isolated
from knowledge_store.pages import html
from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError
from knowledge_store.pages.formats import RAISED, decoded, html_of
from knowledge_store.pages.pdf import SOFT_HYPHEN
from system.article.reading import as_text, read_bytes, read_text
from system.article.records import Kind
from system.citations.records import Citation, CitingText, described

_MARK = "[\U000f0000-\U0010ffff]"
_OPEN = "\ue000"  # before the words of a link
_visible = partial(re.compile(f"{SOFT_HYPHEN}|{_OPEN}|{_MARK}").sub, "")
_LINKIFY = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False})
_NO_WORDS = r"[^\w\U000f0000-\U0010ffff]*"
_LABEL = re.compile(rf"{_NO_WORDS}\d{{0,3}}{_NO_WORDS}|\[\^\S+\]")  # words of a link that is a mark
_PAGES = r"(?:(?:, ?(?:pp?|ch|fig|sec|paras?)\.|:) ?[0-9]+(?: ?[–-] ?[0-9]+)?)?"  # as in "[1, pp. 2-3]" and "[1: 4]"
_NUMBERS = re.compile(  # or the label of a note that is lacking
    rf"\s?\[\s?(?:see )?([0-9]{{1,3}}(?:\s?[,;–-]\s?[0-9]{{1,3}})*){_PAGES}\s?\]|\s?\[\^([^\]\s-]+)\]|{RAISED}"
)
_ENTRY = re.compile(r"\s*(?:(\[\^?[0-9]{1,3}\]|[⁰¹²³⁴-⁹]{1,3})|\(?[0-9]{1,3}[.)](?=\s))\s*:?\s*(?=\S)")
_GOES_ON = re.compile(r"[a-z][^\s.,/]*\s")  # within a sentence, and no name of a file
_SECTION = re.compile(
    r"(?i)\W*(?:(?:list of )?references(?: list| cited)?|sources|bibliography|works cited|(?:foot|end)?notes|"
    r"quellen|literatur|einzelnachweise|referencias|fuentes|referências|fontes|références)\W*"
)
_LEAD = r"(?:(?:and|see|via|cf\.|from|sources?:?)\s+)?"
_WORDS = rf"{_OPEN}\s?(?:[^\s{_OPEN}\U000f0000-\U0010ffff]+\s?){{0,4}}"  # more than four tell something
_LINKS = rf"(?:{_LEAD}(?:{_WORDS})?{_MARK}[\s,;]*)+(?:pp?\.\s?\d+)?"
_POINTERS = re.compile(
    rf"(?i)\s?[(\[](?:{_LEAD}{_MARK}[\s,;]*)+(?:pp?\.\s?\d+)?[)\]]"  # "(see https://a.example, p. 4)"
    rf"|\s?\({_LINKS}\)(?=\s*(?:$|[.!?]))|(?<=[.!?])\s\({_LINKS}\)"  # "([report](a.md))."
    rf"|(?<=[.!?]){_WORDS}{_MARK}(?=\s|$)|{_OPEN}(?:the )?(?:source|link){_MARK}(?!\s*(?-i:[a-z]))"  # ".[report](a.md)"
    rf"|[,;:–—-]\s*{_LEAD}{_MARK}(?=\s*(?:$|[.,;!?]|(?-i:[A-Z])))"  # ", see https://a.example"
)
_SPACE_BEFORE = re.compile(rf"(?<=[.!?])\s+(?={_MARK})|\s+(?=(?:{_MARK})*(?:[.!?,;]|$))")


def read_citing(source: str | Path) -> CitingText:
    """Read a text with its citations from a file, or from standard input ("-").

    Raises a ``DocumentsError`` if there is no such file, it cannot be read, or it cites nothing.
    """
    name, data, suffix = read_bytes(source)
    citing = checkable(_citing(data, suffix, name))
    return citing if str(source) in STANDARD_INPUT else citing.model_copy(update={"folder": Path(source).parent})


def checkable(citing: CitingText) -> CitingText:
    """Return a text that cites something in a statement; raise ``DocumentsError`` for another."""
    if citing.citations:
        return citing
    got = described(citing.unresolved) or ("none in a statement" if citing.article.claims else "no statement")
    raise DocumentsError(f"{citing.article.name}: expected links, footnotes or numbered references, got {got}")


def citing_of(text: str, name: str = "text") -> CitingText:
    """Read the citations of a text in Markdown; ``DocumentsError`` if that takes more than a document may."""
    return _citing(as_text(text, name).encode(errors="replace"), ".md", name)


def _citing(data: bytes, suffix: str, name: str) -> CitingText:
    """Find the sentence of each mark; a mark after the end of a sentence belongs to it."""
    try:
        text, marks = isolated(LIMITS, _Marks().read, data, suffix, name, load=(__name__, "mammoth"))
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be read ({error})") from error
    article = read_text(re.sub(_MARK, "", text), name)
    starts = [one.start for one in article.sentences]
    found: dict[tuple[int, str], Citation] = {}
    for earlier, match in enumerate(re.finditer(_MARK, text)):
        place, (mark, target) = match.start() - earlier, marks[match[0]]
        number = bisect_left(starts, max(place, 1)) - 1
        sentence = article.sentences[number] if number >= 0 and place <= article.sentences[number].end else None
        if sentence and target and sentence.kind is Kind.CLAIM:
            citation = Citation(number=len(found), sentence=sentence, mark=mark, target=target)
            found.setdefault((sentence.number, target), citation)
    unresolved = tuple(marks[one][0] for one in re.findall(_MARK, text) if not marks[one][1])
    return CitingText(article=article, citations=tuple(found.values()), unresolved=unresolved)


class _Marks:
    """The marks of a page, and its notes."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[str, str]] = {}  # how the text cites, and an address or "#" with a note's label
        self.notes: dict[str, str] = {}  # addresses or words of footnotes and references

    def read(self, data: bytes, suffix: str, name: str) -> tuple[str, dict[str, tuple[str, str]]]:
        """Return a text with its marks, and the words and the target ("" if unknown) of each mark."""
        if (page := html_of(data, suffix, name)) is None:
            parser = MarkdownIt("commonmark", {"breaks": True}).enable("table").disable("code")
            parser.use(footnote_plugin).use(front_matter_plugin)
            parser.add_render_rule(
                "footnote_caption", lambda _, notes, at, *__: f"[^{escape(notes[at].meta.get('label', ''))}]"
            )
            page = parser.render(decoded(data, name))
        if (tree := html.parsed(page)) is None:
            return "", {}
        html.simplify(tree, "img")
        for one in tree.iter():
            one.text, one.tail = (text and self._with_addresses(text) for text in (one.text, one.tail))
        noted = tree.xpath("//*[@id][not(self::a or self::sup)]")
        notes = {f"#{one.get('id')}": one for one in noted if not _LABEL.fullmatch(one.text_content())}
        for link in tree.xpath("//a[@href]"):
            text = self._link(link, notes)
            link.clear(keep_tail=True)
            link.text = text
        for label in dict.fromkeys(target for _, target in self.found.values() if target in notes):
            self.notes[label] = self._target(notes[label].text_content())
            notes[label].drop_tree()
        prose = [self._cleaned(text) for text in self._without_references(html.blocks(tree))]
        targets = {one: self.notes.get(one, "") if one.startswith("#") else one for _, one in self.found.values()}
        marks = {mark: (words, targets[target]) for mark, (words, target) in self.found.items()}
        return "\n\n".join(filter(None, prose)), marks

    def _add(self, words: str, target: str) -> str:
        """Add a mark; return the character that stands for it."""
        mark = chr(0xF0000 + len(self.found))
        self.found[mark] = words, target
        return mark

    def _with_addresses(self, text: str) -> str:
        """Return a text in which written addresses have become marks."""
        text = _visible(text)
        for match in (_LINKIFY.match(text) or []) if "://" in text else []:
            address = match.text.rstrip("”’»›")
            text = text.replace(address, self._add(address, address), 1)
        return text

    def _link(self, link: Any, notes: Iterable[str]) -> str:
        """Return what stands for a link in its text: its words, unless they only point to the source, and its mark."""
        spaced, href = re.sub(r"\s+", " ", _visible(link.text_content())), link.get("href").strip()
        words = spaced.strip()
        label = _LABEL.fullmatch(words)
        if label and href in notes:
            return self._add(f"[{words.strip(' []')}]", href)
        if not href or href.startswith(("#", "mailto:", "tel:", "javascript:", "data:")):
            return words
        return ("" if label or words == href else _OPEN + spaced) + self._add(words or href, href)

    def _without_references(self, blocks: Iterable[tuple[Any, str]]) -> Iterator[str]:
        """Yield the blocks of prose; put the entries of lists of references among the notes, by number or place."""
        entries: dict[str, list[str]] = {}
        listing, place = False, 0
        for element, block in blocks:
            prose = within = list[str]()  # what the next line belongs to
            for line in block.split("\n"):
                section = bool(_SECTION.fullmatch(_visible(line)))
                if section or re.fullmatch("h[1-6]", str(element.tag)):
                    listing, place = section, 0
                if section:
                    continue
                match = _ENTRY.match(line)
                prose_goes_on = match and match[0].isascii() and _GOES_ON.match(line, match.end())
                if match and ((listing and match[1]) or ((listing or (match[1] and not prose)) and not prose_goes_on)):
                    within = entries.setdefault(normalize("NFKC", match[0]).strip("[^(.:)] \t"), [])
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
        """Return a block with marks for numbers in brackets, without words that only point to a source.

        A block that cites gets a full stop if it has no end; else it would pass for a heading.
        """
        text = re.sub(rf"({_MARK})\s?[,;]\s?(?={_MARK})", r"\1", _NUMBERS.sub(self._numbers, text))
        if not re.search(_MARK, text):
            return text.strip()
        text = _POINTERS.sub(lambda match: "".join(re.findall(_MARK, match[0])), text).replace(_OPEN, "")
        text = _SPACE_BEFORE.sub("", re.sub(rf"(?<=[.!?])((?:{_MARK})+)\s*\.(?!\.)", r"\1", text)).strip()
        return text if (_visible(text)[-1:] or ".") in '.!?:;…"”’)' else f"{text}."

    def _numbers(self, match: re.Match[str]) -> str:
        """The marks for numbers, such as "[1, 3-5]" or "¹", or for the label of a note."""
        ranges = [re.findall("[0-9]+", part) for part in re.split("[,;]", normalize("NFKC", match[1] or match[0]))]
        labels = [match[2]] if match[2] else chain(*(range(int(ends[0]), int(ends[-1]) + 1) for ends in ranges))
        return "".join(self._add(match[0].strip(), f"#{label}") for label in labels) or match[0]
