"""Cut texts into sentences by the rules of their language: sentencex, and what it cuts too early."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sentencex import segment

OPENING = 2000  # characters of a text that tell its language
TELLING = 200  # characters from which a text tells its language
LONGEST = 30  # characters around a cut that tell whether it is one
PART = 10_000  # characters that are cut at once: time grows with the square of the quotation marks in them
ENDING = re.compile(r"[.!?…。！？।॥؟۔][\"'”’»)\]]*$")  # of a sentence

# Where the rules of a language, or those of English for a text too short to tell, cut too early.
_EARLY = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_TITLE, _COUNTED = (
    re.compile(rf"(?:^|[\s(„“\"'’])(?:{'|'.join(_EARLY[kind].split())})\.$") for kind in ("title", "counted")
)
_SHORTENED = re.compile(r"\d (?:mill?|mio|bill?|bn|mrd|tsd|acc|est)\.$")
_ORDINAL = re.compile(r"(?:^|[\s(–-])\d{1,3}\.$")
_NUMBERED = re.compile("|".join(_EARLY["numbered"].split()))


def cut(blocks: Iterable[str], code: str) -> tuple[str, ...]:
    """The sentences of a text's blocks, with single spaces in them.

    >>> cut(["The weather", "It  rained. Then it\\nstopped."], "en")
    ('The weather\\n\\n', 'It rained.', 'Then it stopped.')
    """
    found: list[str] = []
    for block in blocks:
        pieces = [" ".join(block[start:end].split()) for start, end in spans(block, code)]
        found += [*pieces[:-1], *map(set_apart, pieces[-1:])]
    return (*found[:-1], found[-1].rstrip()) if found else ()


def set_apart(line: str) -> str:
    """Return a line; unless it ends a sentence, a blank line follows, so that the next one is not joined to it."""
    return line if ENDING.search(line, len(line) - LONGEST) else f"{line.rstrip()}\n\n"


def language_of(blocks: Sequence[str]) -> str:
    """The language of a text, as an ISO 639-1 code; English if it is too short to tell."""
    opening = "\n".join(block[:OPENING] for block in blocks[:OPENING])
    return language(opening) if len(opening) > TELLING else "en"


def language(text: str = "") -> str:
    """The language that a page's opening is written in, as an ISO 639-1 code."""
    from py3langid import classify  # reads its model, which not every caller needs

    return str(classify(text[:OPENING])[0])


def spans(block: str, code: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of a block begins and ends, without whitespace around it."""
    begin = 0
    for at in _ends(block, code):
        cut = block[begin:at]
        divided = block[at - 1 : at + 1] == ".-"  # "J.-C."
        if cut.strip() and not divided and not _goes_on(cut.rstrip()[-LONGEST:], block[at : at + LONGEST]):
            yield begin + len(cut) - len(cut.lstrip()), begin + len(cut.rstrip())
            begin = at


def _ends(text: str, code: str) -> Iterator[int]:
    """Where the library's rules end each sentence of a text; one of over ``PART`` characters is cut there."""
    at = 0
    while at < len(text):
        part = text[at : at + PART]
        pieces = segment(code, part)
        whole = len(pieces) < 2 or at + PART >= len(text)
        found = 0
        for piece in pieces if whole else pieces[:-1]:  # the last may go on in the next part
            found = part.index(piece, found) + len(piece)
            yield at + found
        at += len(part) if whole else found


def _goes_on(before: str, after: str) -> bool:
    """Whether a sentence goes on where it was cut: after a title, an ordinal, or an abbreviation before a number."""
    if not after:
        return False
    if after[0] in ":,;" or (after[0].islower() and _SHORTENED.search(before)):
        return True
    if _TITLE.search(before):
        return True
    if after[0].isdigit():
        return bool(_COUNTED.search(before))
    item = bool(_ORDINAL.fullmatch(before))
    return item or (bool(_ORDINAL.search(before)) and (after[0].islower() or bool(_NUMBERED.match(after))))
