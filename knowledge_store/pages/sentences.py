"""Texts as sentences, cut by the rules of their language."""

import re
from collections.abc import Iterable, Sequence

from sentencex import segment

OPENING = 2000  # characters of a text that tell its language
TELLING = 200  # characters from which a text tells its language
ENDING = re.compile(r"[.!?…。！？।॥؟۔][\"'”’»)\]]*$")  # of a sentence

# Where the rules of a language, or those of English for a text too short to tell, cut too early.
_TITLE = re.compile(r"(?:^|[\s(„“\"'])(?:Dr|Dra|Prof|Mr|Mrs|Ms|M|Mme|Mlle|Sr|Sra|Hr|Nr|Art|Abs|Bd|ca|[Vv]gl|bzw)\.$")
_ORDINAL = re.compile(r"(?:^|[\s(–-])\d{1,4}\.$")
_MONTHS = ("Jan", "Jän", "Feb", "Mär", "Apr", "Mai ", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez")  # in capitals


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, with single spaces in them; none where it is blank.

    What ends a block without ending a sentence, such as a heading, keeps a blank line behind it, so that it is not
    joined to the sentence after it.

    >>> sentences_of("It rained.  Then it\\nstopped.")
    ('It rained.', 'Then it stopped.')
    >>> sentences_of("The weather\\n\\nIt rained.")
    ('The weather\\n\\n', 'It rained.')
    """
    blocks = text.replace("\r\n", "\n").split("\n\n")
    return cut(blocks, language_of(blocks))


def cut(blocks: Iterable[str], code: str) -> tuple[str, ...]:
    """The sentences of a text's blocks; see ``sentences_of``.

    Args:
        code: the text's language.
    """
    found: list[str] = []
    for block in blocks:
        pieces = [text for sentence in segment(code, block) if (text := " ".join(sentence.split()))]
        pieces = _joined(pieces)
        if pieces and not ENDING.search(pieces[-1]):
            pieces[-1] += "\n\n"
        found += pieces
    return (*found[:-1], found[-1].rstrip()) if found else ()


def language_of(blocks: Sequence[str]) -> str:
    """The language of a text, as an ISO 639-1 code; English where it is too short to tell."""
    opening = ""
    for block in blocks:
        opening += block[:OPENING] + "\n"
        if len(opening) > OPENING:
            break
    return language(opening) if len(opening) > TELLING else "en"


def language(text: str) -> str:
    """The language that a page's opening is written in, as an ISO 639-1 code.

    >>> language("Der Minister hat gestern in Berlin eine neue Brücke eröffnet.")
    'de'
    """
    from py3langid import classify  # reads its model, which not every caller needs

    code: str = classify(text[:OPENING])[0]
    return code


def _joined(pieces: list[str]) -> list[str]:
    """The sentences, those joined again that were cut after a title ("Dr.") or within a date ("am 3.").

    >>> _joined(["Am 3.", "Mai kam Dr.", "Hansen.", "Er blieb."])
    ['Am 3. Mai kam Dr. Hansen.', 'Er blieb.']
    """
    groups: list[list[str]] = []
    for piece in pieces:
        last = groups[-1][-1][-30:] if groups else ""
        if _TITLE.search(last) or (_ORDINAL.search(last) and (piece[0].islower() or piece.startswith(_MONTHS))):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [" ".join(group) for group in groups]
