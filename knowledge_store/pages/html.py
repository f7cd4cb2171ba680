"""HTML as blocks: paragraphs, headings, items of lists and rows of tables.

trafilatura finds the article of a page, and this module reads all of it: trafilatura alone drops lists in cells of
tables and items that hold other elements. Example: ``[block for block in article(text)]``.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from itertools import chain, takewhile, zip_longest
from typing import Any

from lxml import etree
from lxml.html import HTMLParser, document_fromstring, tostring

from knowledge_store.pages.page import counted, on_the_web

LONGEST_NAME = 60  # characters of a column's name, which each row repeats
LONGEST_CELL = 500  # characters; a table with a longer one lays out a page
MOST_COLUMNS = 100  # that a cell may span
TELLING = 20  # characters from which a block shows that its place belongs to the article
SHORT = 600  # characters of an article at least; a smaller element is only a part of one
WHOLE = ("article", "main", "body", "html")  # elements that hold all of an article
LINKED = 0.5  # share of characters in links from which a part beside the article is a menu
HEADER = "boolean(parent::thead or (th and not(td[normalize-space() or preceding-sibling::*])))"  # its corner is empty
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![.,]?\d)")

_PHRASES = (
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q s small span strike strong sub sup time"
)
INLINE = frozenset(f"{_PHRASES} ruby tt u var wbr".split())
"""HTML's elements that do not end a block."""

HIDDEN = (
    "head", "script", "style", "noscript", "template", "nav", "dialog", "iframe", "svg", "button", "select", "textarea",
    "del", "s", "strike", "rp", "rt",
)  # fmt: skip
"""HTML's elements that are no text of a page, are struck out, or say how a word is pronounced."""
BESIDE = "//aside | //footer[not(ancestor::article or ancestor::blockquote)] | //*[@role='contentinfo']"
_LOWER = "translate(concat(@id, ' ', @class), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"
_STYLE = "translate(@style, ' ', '')"
_UNSEEN = f"@hidden or contains({_STYLE}, 'display:none') or contains({_STYLE}, 'visibility:hidden')"
STRUCK = f"//*[(self::del or self::s or self::strike or contains({_STYLE}, 'line-through')) and normalize-space()]"
_ASKS = ".//button or .//input or .//a[@role='button' or contains(@class, 'btn') or contains(@class, 'button')]"
BANNERS = (
    f"//body//*[@role='navigation' or @role='dialog' or {_UNSEEN} or (({_ASKS}) and not(self::article or .//h1)"
    f" and (contains({_LOWER}, 'cookie') or contains({_LOWER}, 'consent')) and string-length() < 2000)]"
)
"""Menus, what asks for consent, and what a browser does not show."""
NOTE_MARKS = "//sup[a[starts-with(@href, '#')]] | //a[starts-with(@href, '#')][contains('↑↩', substring(., 1, 1))]"
SUPERSCRIPT = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")

LINE = "\u2028"  # a line's end in preformatted text

Row = Sequence[str]

log = logging.getLogger(__name__)


def article(text: str, name: str) -> list[str]:
    """The blocks of the article of a page; of a page without one, all that it shows. A warning names what is left out,
    unless it is mostly links."""
    import trafilatura  # takes a second to import

    if (tree := _cleaned(text, name)) is None:
        return []
    outer = "ancestor::article | ancestor::main"
    beside = [one for one in tree.xpath(BESIDE) if _linked(one) > LINKED or not one.xpath(outer)]
    left = [block for one in beside if _linked(one) <= LINKED for _, block in blocks(one)]
    for one in beside:
        one.drop_tree()
    found = list(blocks(tree))
    extracted = trafilatura.extract(tostring(tree, encoding="unicode"), favor_recall=True, include_comments=False) or ""
    kept = _within(found, _bare(extracted))
    prose = {one for one in {element for element, _ in found} - kept if _linked(one) <= LINKED}
    left += [block for element, block in found if element in prose]
    if (left := [block for block in left if len(_bare(block)) >= TELLING]) and not on_the_web(name):
        log.warning("%s: left out %s beside its article: %.60r …", name, counted(len(left), "block"), left[0])
    return [block for element, block in found if element in kept]


def everything(text: str, name: str) -> list[str]:
    """All blocks that a page shows."""
    tree = _cleaned(text, name)
    return [] if tree is None else [block for _, block in blocks(tree)]


def parsed(text: str) -> Any:
    """Parse a page; None if it has nothing but whitespace and comments."""
    try:
        return document_fromstring(text.encode(), parser=HTMLParser(encoding="utf-8"))
    except etree.ParserError:
        return None


def _cleaned(text: str, name: str) -> Any:
    """Parse a page without what a reader does not read as its text: menus, banners, scripts, marks of notes.

    A warning counts what is struck out.
    """
    if (tree := parsed(text)) is not None:
        for element in [*tree.xpath(BANNERS), *tree.xpath(NOTE_MARKS)]:
            if element.getparent() is not None:
                element.drop_tree()
        if (struck := tree.xpath(STRUCK)) and not on_the_web(name):
            log.warning("%s: left out %s", name, counted(len(struck), "struck-out part"))
        for element in struck:
            element.drop_tree()
        simplify(tree)
        for element in tree.xpath("//pre/descendant-or-self::*"):
            element.text, element.tail = ((one or "").replace("\n", LINE) for one in (element.text, element.tail))
        for element in tree.xpath("//sup"):
            last = element.getprevious()
            before = element.getparent().text if last is None else last.tail or last.text_content()
            if (before or "").rstrip().endswith((".", "!", "?", ",", ";", ":", "”", '"')):
                element.drop_tree()  # the mark of a note
    return tree


def simplify(tree: Any, *others: str) -> None:
    """Drop elements that are no text of a page, and others; let raised figures be characters: 10¹², and no 1012."""
    etree.strip_elements(tree, *HIDDEN, *others, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    for element in tree.xpath("//sup"):
        if not element.text_content().strip("0123456789+-−, "):
            element.text = (element.text or "").translate(SUPERSCRIPT)


def _bare(text: str) -> str:
    return re.sub(r"\W+", "", text)


def blocks(tree: Any) -> Iterator[tuple[Any, str]]:
    """Yield the blocks of a tree, each with the element that it stands in; lines that end with <br> end with "\\n"."""
    found: list[tuple[Any, list[str]]] = [(tree, [])]
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        starts = event == "start"
        if starts and element.tag in ROWS and (rows := ROWS[element.tag](element)) is not None:
            found += [(element, [row]) for row in rows]
            walk.skip_subtree()
            continue
        if element.tag == "br":
            found[-1][1].append("\n" * starts)
        elif element.tag not in INLINE:
            found.append((element if starts else element.getparent(), []))
        found[-1][1].append((element.text if starts else element.tail) or "")
    for element, pieces in found:
        text = "".join(piece if piece == "\n" else piece.replace("\n", " ") for piece in pieces).replace(LINE, "\n")
        lines = (" ".join(line.split()) for line in text.split("\n"))
        if block := "\n".join(line for line in lines if line):
            yield element, block


def _within(found: Sequence[tuple[Any, str]], extracted: str) -> set[Any]:
    """The elements whose blocks belong to the article that was extracted; all if nothing tells where it is.

    It is the innermost element around all extracted blocks that has the size of an article, without parts before and
    behind them that are mostly links.
    """
    known = [element for element, block in found if len(bare := _bare(block)) >= TELLING and bare in extracted]
    if not known:
        return {element for element, _ in found}
    paths = [[*reversed([element, *element.iterancestors()])] for element in known]
    shared = [steps[0] for steps in zip(*paths, strict=False) if all(step is steps[0] for step in steps)]
    top = len(shared) - 1
    while (one := shared[top]).tag not in WHOLE and (one.tag == "p" or len(_bare("".join(one.itertext()))) < SHORT):
        top -= 1
    root, holding, outside = shared[top], set(chain.from_iterable(paths)), set[Any]()
    for step in shared[top:] if root.tag not in WHOLE[:2] else ():
        places = [place for place, part in enumerate(step) if part in holding] or [0]
        outside |= {*step[: places[0]], *step[places[-1] + 1 :]}
    menus = {part for part in outside if _linked(part) > LINKED}
    lines = ((element, {element, *element.iterancestors()}) for element, _ in found)
    inside = {element for element, line in lines if root in line and not line & menus}
    return inside | {*root.getroottree().getroot().iter("h1")}


def _linked(element: Any) -> float:
    """The share of an element's characters that are in links."""
    total = len(_bare("".join(element.itertext())))
    return sum(len(_bare("".join(link.itertext()))) for link in element.iter("a")) / total if total else 0.0


def _rows(table: Any) -> list[str] | None:
    """The rows of a table as blocks; None if it lays out a page."""
    lines = table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr")
    layout = table.xpath("boolean(.//h1 | .//h2 | .//h3 | .//tr[count(td | th) < 2]//table)")
    if layout or (len(lines) < 2 and table.find(".//table") is not None):
        return None
    grid = [dict[int, str]() for _ in lines]  # cells by their columns; one that spans several rows stands in each
    for place, line in enumerate(lines):
        column = 0
        for cell in line.xpath("./td | ./th"):
            text = ", ".join(block.replace("\n", ", ") for _, block in blocks(cell))
            if len(text) > LONGEST_CELL:
                return None
            while column in grid[place]:
                column += 1
            columns = range(column, column + _span(cell.get("colspan")))
            for row in grid[place : place + _span(cell.get("rowspan"))]:
                row |= dict.fromkeys(columns, text)
            column = columns.stop
    rows = [[row.get(column, "") for column in range(max(row, default=-1) + 1)] for row in grid]
    if max(map(len, rows), default=0) < 2:
        return None
    captions = [" ".join("".join(caption.itertext()).split()) for caption in table.xpath("./caption")]
    while rows and len(lines[0]) == 1:  # a title
        captions.append(row_text([], rows.pop(0)[:1]))
        lines.pop(0)
    rows = [row[:1] if len(line) == len({*row}) == 1 else row for row, line in zip(rows, lines, strict=True)]  # notes
    marked = takewhile(lambda line: line.xpath(HEADER), lines)
    paired = bool(lines) and lines[0].xpath("boolean(th and count(th | td) = 2)")  # a name and its value
    heads = len(list(marked)) or int(any(rows) and not paired and names_columns(rows))
    while 0 < heads < len(rows) - 1 and _names_below(rows[heads - 1], rows[heads]):
        heads += 1
    if 0 < heads < len(rows):
        above = zip_longest(*rows[:heads], fillvalue="")
        header = [" ".join(filter(None, dict.fromkeys(names))) for names in above]
        return captions + [row_text(header if len(row) > 1 else [], row) for row in rows[heads:]]
    pairs = (row_text(row[:1], row[1:]) if len(row) == 2 and row[1] else row_text([], row) for row in rows)
    return captions + list(pairs)


def _names_below(names: Row, row: Row) -> bool:
    """Whether a row names the columns below names that span several, and has nothing else."""
    alone = [(name, cell) for name, cell in zip_longest(names, row, fillvalue="") if names.count(name) < 2]
    return 0 < len(alone) < len(names) and all(cell in ("", name) for name, cell in alone)


def _terms(terms: Any) -> list[str]:
    """The definitions of a list, each behind its term."""
    found, name, said = [], "", False
    for one in terms.xpath(".//dt | .//dd"):
        text = ", ".join(block.replace("\n", ", ") for _, block in blocks(one))
        if one.tag == "dt":
            name = ", ".join(filter(None, ("" if said else name, text)))
        else:
            found.append(row_text([name], [text]))
        said = one.tag == "dd"
    return found + [name] * (not said and bool(name))


ROWS = {"table": _rows, "dl": _terms}


def _span(value: str | None) -> int:
    return min(max(int(value), 1), MOST_COLUMNS) if value and value.isascii() and value.isdigit() else 1


def names_columns(rows: Sequence[Row]) -> bool:
    """Whether the first row is the header, if nothing marks it as one: it has no figures, except in names and years.

    It is data if most cells below these are of the same kind. A header of two columns has no digits, or a blank corner.
    """
    first, *others = [[_kind(cell) for cell in row] for row in rows if len(row) != 1] or [[]]
    columns = [*zip_longest(*others, fillvalue="")]
    named = [(one, below) for one, below in zip(first, columns, strict=False) if one]
    same = sum(below.count(one) for one, below in named)
    figures = any(2 * column.count("figure") >= len(others) > 0 for column in columns)
    if len(first) < 2 or "figure" in first or 2 * same > len(others) * len(named) or (named and not figures):
        return False
    return len(first) > 2 or not rows[0][0] or (not any(first) and any(all(column) for column in columns))


def _kind(cell: str) -> str:
    """What a cell with digits is: a year or a date, a name such as "Q1", or a figure."""
    if not any(map(str.isdigit, cell)):
        return ""
    return "year" if _YEAR.search(cell) else "name" if cell[0].isalpha() else "figure"


def row_text(header: Row, row: Row) -> str:
    """Write a row so that it can be read alone.

    >>> row_text(["year", "value"], ["2020", "12%"])
    'year: 2020, value: 12%'
    """
    names = [name[:LONGEST_NAME] for name in header] + [""] * (len(row) - len(header))
    cells = ((" ".join(name.split()), " ".join(cell.split())) for name, cell in zip(names, row, strict=False))
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)
