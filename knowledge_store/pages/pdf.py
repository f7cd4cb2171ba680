"""PDFs as pages of blocks, read by PDFium in the order of their columns.

PDFium gives the pieces of each line with their places. A gap that runs down the page between long pieces separates two
columns; short pieces beside each other are cells of a table, and stay in their row. Lines are then joined to blocks.
Example: ``pages_of(data, "a.pdf")`` yields ("page=1", blocks).
"""

import logging
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from ctypes import byref, c_int, create_string_buffer
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter
from statistics import fmean, median
from typing import Any

from knowledge_store.pages.html import SUPERSCRIPT
from knowledge_store.pages.page import UnreadableFile
from knowledge_store.pages.sentences import ENDING, spans

MAX_PAGES = 5000
NAMED = 10  # pages that are named for each fault
DAMAGED = "skipped, damaged"
NO_TEXT = "skipped, no text (blank, damaged, or a picture: recognize the text in it first, by OCR)"
RUN_TOGETHER = "with words that run together: check what is quoted from there"
NO_ADDRESS = "with links that have no address"
NOTES = "with notes or text boxes laid over it, which are left out"
SHORT_LINE = 0.7  # of the longest line of a page: a shorter line ends its block
SOFT_HYPHEN = "\u00ad"  # shows where a word may be divided
SPACE, WIDE_SPACE, WORD_GAP = 0.05, 0.35, 1.2  # between words of a line, in heights of letters
RAISED = 0.4  # of its height, by which a number stands above its line: an exponent, or the mark of a note
MARGIN = 1.9  # heights of its letters around a number that is a page's
NOTHING = 0.01  # points: less than any letter, more than rounding
CELL_GAP = 2.0  # between cells of a row, in heights of its letters
COLUMN_LINES, COLUMN_WIDTH = 3, 18  # fewest lines of a column, and their characters on average
HEAD_WORDS = 6  # most of a running head
LONG_WORD, LONG_SHARE = 22, 0.05  # characters of a word, and share of letters in such, from which words run together
LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
LIGATURES |= dict.fromkeys((0xFFFE, 0x02), SOFT_HYPHEN)  # what PDFium gives for a hyphen that divides a word
_DIVIDED = re.compile(rf"(?:{SOFT_HYPHEN}|\w-)$")
_COMPOUND = re.compile(r"(?:\b(?:two|three|half|long|non|self|well)|(?:twen|thir|for|fif|six|seven|eigh|nine)ty).$")
_NUMBER = re.compile(r"\W*(?:[Pp]age )?\d{1,3}(?: ?(?:of|/) ?\d{1,3})?\W*")  # of a page
_GOING_ON = re.compile(r"(?:a|[a-z]{2,})[\s,;.]")  # and no "b) close", or "eBay"
_WORD = re.compile(r"\w+[\s,;]")  # and no letter of a list, as "a."
GOES_ON = re.compile(r"[a-z]+,$|\b(?:an?|and|at|by|for|from|in|is|of|on|or|the|to|was|were|with)$")
_LETTERS = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line, in points from the lower left of its page."""

    left: float
    bottom: float
    right: float
    top: float
    text: str

    @property
    def middle(self) -> float:
        """Between bottom and top."""
        return (self.bottom + self.top) / 2


def pages_of(data: bytes, name: str, *, links: bool = False) -> Iterator[tuple[str, list[str]]]:
    """Yield the pages that have text, each with its place and its blocks; name the others in a warning.

    A sentence is on the page where it begins. With ``links``, the address of a link follows its words. Raises an
    ``UnreadableFile`` if none can be read.
    """
    import pypdfium2
    import pypdfium2.raw as raw

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        encrypted = getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD
        reason = "encrypted: save it without its password" if encrypted else f"damaged ({error})"
        raise UnreadableFile(reason) from error
    count = len(document)
    if count > MAX_PAGES:
        raise UnreadableFile(f"expected at most {MAX_PAGES:,} pages, got {count:,}")
    if document.get_formtype() != raw.FORMTYPE_NONE:
        log.warning("%s: left out what is filled in its form", name)
    read = list[tuple[str, list[str]]]()
    faults: dict[str, list[int]] = {fault: [] for fault in (NO_TEXT, DAMAGED, RUN_TOGETHER, NO_ADDRESS, NOTES)}
    for number in range(1, count + 1):
        try:
            page = document[number - 1]
            pieces = _without_number(_pieces(page))
            found = _links(document, page, raw) if links else {}
            blocks = _page_blocks(_linked(pieces, found))
            annotations = _annotations(page, raw)
            only_spaces = not pieces and {item.type for item in page.get_objects()} == {raw.FPDF_PAGEOBJ_TEXT}
        except Exception:  # noqa: BLE001 - whatever one page does to its reader, the others are read
            faults[DAMAGED].append(number)
            continue
        if any(not link.text for link in found):
            faults[NO_ADDRESS].append(number)
        if annotations & {raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT}:
            faults[NOTES].append(number)
        if pieces:
            if read and blocks:
                _finish(read[-1][1], blocks)
            read += [(f"page={number}", blocks)] * any(blocks)  # a page may hold only the middle of a sentence
            if _run_together(blocks):
                faults[RUN_TOGETHER].append(number)
        elif not only_spaces:
            faults[NO_TEXT].append(number)
    if len(faults[DAMAGED]) == count:
        raise UnreadableFile("damaged: no page can be read")
    for fault, numbers in faults.items():
        if numbers:
            shown = ", ".join(map(str, numbers[:NAMED])) + f" and {len(numbers) - NAMED} more" * (len(numbers) > NAMED)
            log.warning("%s: page%s %s %s", name, "s" * (len(numbers) > 1), shown, fault)
    yield from read


def _pieces(page: Any) -> list[Piece]:
    text = page.get_textpage()
    rects = (text.get_rect(number) for number in range(text.count_rects()))
    boxes = [Piece(left, bottom, right, top, "") for left, bottom, right, top in rects]
    pieces = []
    for before, box, after in zip([None, *boxes], boxes, [*boxes[1:], None], strict=False):
        left, right = box.left, box.right  # letters that are set close reach into the next box, and would be read twice
        if before and _same_line(before, box) and before.left < left < before.right < right:
            left = before.right + NOTHING
        if after and _same_line(box, after) and left < after.left < right < after.right:
            right = after.left - NOTHING
        lines = text.get_text_bounded(left, box.bottom, right, box.top).split("\r\n")  # others reach into the box
        if (found := max(lines, key=len).translate(LIGATURES)).strip():
            pieces.append(replace(box, text=found))
    return _merged(pieces)


def _without_number(pieces: list[Piece]) -> list[Piece]:
    """The pieces of a page without its number, if that stands alone above or below them and would cut a sentence."""
    ends = {end(pieces, key=attrgetter("middle")) for end in (min, max)} if pieces else set()
    heights = {one: MARGIN * (one.top - one.bottom) for one in ends if _NUMBER.fullmatch(one.text)}
    near = {
        one for one, far in heights.items() for other in pieces if other != one and abs(one.middle - other.middle) < far
    }
    return [piece for piece in pieces if piece not in heights or piece in near] or pieces


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Join the words of a line that are placed one by one, in the order in which the page draws them.

    PDFium gives most spaces between them. A gap is one too; beside letters that stand alone and marks, only a wide one.
    """
    merged: list[Piece] = []
    height = median(piece.top - piece.bottom for piece in pieces) if pieces else 0.0
    for piece in pieces:
        last = merged[-1] if merged else piece
        gap = piece.left - last.right
        if merged and _same_line(last, piece) and abs(gap) <= WORD_GAP * height:
            around = last.text[-3:] + piece.text[:3]
            space = SPACE if len(around) == 6 and around.isalnum() else WIDE_SPACE
            text = _raised(last, piece) + " " * (gap > space * height) + _raised(piece, last)
            bottom, top = min(last.bottom, piece.bottom), max(last.top, piece.top)
            merged[-1] = Piece(last.left, bottom, piece.right, top, text)
        else:
            merged.append(piece)
    return [replace(piece, text=" ".join(piece.text.split())) for piece in merged]


def _raised(piece: Piece, beside: Piece) -> str:
    """The text of a piece; figures that stand higher than the piece beside them are raised."""
    raised = piece.text.isdigit() and piece.bottom > beside.bottom + RAISED * (beside.top - beside.bottom)
    return piece.text.translate(SUPERSCRIPT) if raised else piece.text


def _same_line(one: Piece, other: Piece) -> bool:
    """Whether two pieces stand on the same line: a third of the lower one, perhaps a comma, is beside the other."""
    shared = min(one.top, other.top) - max(one.bottom, other.bottom)
    return shared >= min(one.top - one.bottom, other.top - other.bottom) / 3


def _annotations(page: Any, raw: Any) -> set[int]:
    """The kinds of what is laid over a page."""
    laid = [raw.FPDFPage_GetAnnot(page, number) for number in range(raw.FPDFPage_GetAnnotCount(page))]
    kinds = {raw.FPDFAnnot_GetSubtype(one) for one in laid}
    for one in laid:
        raw.FPDFPage_CloseAnnot(one)
    return kinds


def _links(document: Any, page: Any, raw: Any) -> dict[Piece, str]:
    """The annotations that lead out of the document, each with its words; its text is its address, or ""."""
    links, position, link, text = dict[Piece, str](), c_int(0), raw.FPDF_LINK(), page.get_textpage()
    while raw.FPDFLink_Enumerate(page, byref(position), byref(link)):
        action, box = raw.FPDFLink_GetAction(link), raw.FS_RECTF()
        if raw.FPDFLink_GetDest(document, link) or not raw.FPDFLink_GetAnnotRect(link, byref(box)):
            continue
        address = create_string_buffer(raw.FPDFAction_GetURIPath(document, action, None, 0))
        raw.FPDFAction_GetURIPath(document, action, address, len(address))
        found = address.value.decode("utf-8", "replace")
        if not found or (found.startswith(("http://", "https://")) and not re.search(r"[\s<>]", found)):
            words = text.get_text_bounded(box.left, box.bottom, box.right, box.top).translate(LIGATURES)
            links[Piece(box.left, box.bottom, box.right, box.top, found)] = " ".join(words.split())
    return links


def _linked(pieces: Sequence[Piece], links: Mapping[Piece, str]) -> list[Piece]:
    """The pieces with the address of each link behind the words that it covers."""
    found = list(pieces)
    for link, words in links.items():
        for place, piece in enumerate(found):
            inside = link.bottom <= piece.middle <= link.top and piece.left < link.right and link.left < piece.right
            if inside and link.text:
                width = max(piece.right - piece.left, 1e-6)
                end = min(len(piece.text), round(len(piece.text) * (link.right - piece.left) / width))
                tried = (re.escape(said) for said in (words, words.rpartition(" ")[0], ""))  # the last may be beside it
                found_ends = ([*re.finditer(rf"{said}(?!\w)", piece.text)] for said in tried)
                ends = [match.end() for match in next(filter(None, found_ends))]
                end = min(ends, key=lambda one: abs(one - end))
                found[place] = replace(piece, text=f"{piece.text[:end]} <{link.text}>{piece.text[end:]}")
                break
    return found


def _page_blocks(pieces: list[Piece]) -> list[str]:
    blocks: list[str] = []
    for column in _columns(pieces):
        found: list[str] = []
        for is_row, lines in groupby(_lines(column), key=itemgetter(0)):
            texts = [text for _, text in lines]
            found += texts if is_row else filter(None, unwrapped(texts))
        if blocks and found:
            _finish(blocks, found)
        blocks += filter(None, found)
    return blocks


def _finish(blocks: list[str], following: list[str]) -> None:
    """Move the end of the last sentence to it from another column or page, on which a running head may be above it."""
    last, first = blocks[-1], following[0]
    head = len(following) > 1 and len(first.split()) <= HEAD_WORDS and not (ENDING.search(first) or first[0].islower())
    after = following[head]
    unfinished = len(last.split()) > HEAD_WORDS and (_GOING_ON.match(after) or _DIVIDED.search(last))
    if not ENDING.search(last) and (unfinished or GOES_ON.search(last)):
        _, end = next(spans(after, "en"))
        blocks[-1] = _before(last, after) + after[:end]
        following[head] = after[end:].lstrip()


def _before(line: str, after: str) -> str:
    """The line as it stands before the next one: without the hyphen that divides a word, else with a space."""
    if not _DIVIDED.search(line):
        return f"{line} "
    return line[:-1] + "-" * (not after[:1].islower() or bool(_COMPOUND.search(line)))  # "North Rhine-Westphalia"


def _columns(pieces: list[Piece]) -> list[list[Piece]]:
    """The columns of a page in the order of reading; what spans them all stands above or below them."""
    if (gutter := _gutter(pieces)) is None:
        return [pieces]
    wide = [piece for piece in pieces if piece.left < gutter < piece.right]
    zones: dict[int, list[Piece]] = {}
    for piece in pieces:
        above = sum(other.middle > piece.middle for other in wide)
        zone = 2 * above - (piece in wide) if wide else int(piece.left >= gutter)
        zones.setdefault(zone, []).append(piece)
    return [column for _, zone in sorted(zones.items()) for column in _columns(zone)]


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """Where a page has columns: the middle of a gap that hardly any piece crosses, between long lines."""
    found = []
    for end in sorted({round(piece.right) for piece in pieces}):
        left = [piece for piece in pieces if piece.right <= end + 1]
        right = [piece for piece in pieces if piece.left >= end + 4]
        wrapped = all(any(piece.text[0].islower() for piece in side[1:]) for side in (left, right))
        least = COLUMN_LINES - wrapped  # a sentence that goes on below tells more than the number of lines
        if len(left) + len(right) < 0.8 * len(pieces) or min(len(left), len(right)) < least:
            continue
        beside = sum(any(_same_line(one, other) for other in right) for one in left)
        long = min(fmean(len(piece.text) for piece in side) for side in (left, right))
        if long >= COLUMN_WIDTH and beside >= least:
            found.append((len(left) + len(right), (end + min(piece.left for piece in right)) / 2))
    return max(found, key=itemgetter(0), default=(0, None))[1]


def _lines(pieces: Sequence[Piece]) -> Iterator[tuple[bool, str]]:
    """Yield pieces of the same height as one line, and whether it is a row of a table, whose pieces stand far apart."""
    lines: list[list[Piece]] = []
    for piece in pieces:
        if not (lines and _same_line(lines[-1][0], piece)):
            lines.append([])
        lines[-1].append(piece)
    for line in lines:
        line.sort(key=attrgetter("left"))
        gaps = (after.left - piece.right > CELL_GAP * (piece.top - piece.bottom) for piece, after in pairwise(line))
        yield any(gaps), " ".join(piece.text for piece in line)


def unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """Yield the blocks of a page whose lines are wrapped.

    A much shorter line than the longest ends its block, unless its sentence goes on; the first may be a running head.
    """
    full = SHORT_LINE * max(map(len, lines), default=0)
    block: list[str] = []
    for number, line in enumerate(map(str.rstrip, lines)):
        if block:
            block[-1] = _before(block[-1], line)
        block.append(line)
        after = lines[number + 1] if number < len(lines) - 1 else ""
        goes_on = after[:1].islower() and (
            line.endswith(("-", SOFT_HYPHEN)) or (number and line.rstrip(",;")[-1:].isalpha() and _WORD.match(after))
        )
        if len(line) < full and not goes_on:
            yield "".join(block)
            block = []
    yield "".join(block)


def _run_together(blocks: Sequence[str]) -> bool:
    """Whether many letters of a page stand in words that are too long to be one."""
    words = [word for block in blocks for word in _LETTERS.findall(re.sub(r"https?://\S+", "", block))]
    letters = sum(map(len, words))
    long = sum(len(word) for word in words if len(word) > LONG_WORD and not _UNSPACED.search(word))
    return letters > 0 and long / letters > LONG_SHARE
