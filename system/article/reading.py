"""A text as sentences with their places, and which of them claim something that can be checked."""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from sentencex import segment

from knowledge_store.isolation import WorkFailed
from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError
from knowledge_store.pages.formats import SUFFIXES, suffix_of
from knowledge_store.pages.reading import read_blocks
from knowledge_store.pages.sentences import ENDING, language_of
from system.article.records import Article, Kind, Sentence
from system.article.resolution import stand_alone
from system.text.claim_detection import not_a_claim
from system.text.grammar import tag
from system.text.words import words

TITLE = re.compile(r"(?:^|[\s(“\"'])(?:Dr|Prof|Mr|Mrs|Ms|St|No|Gen|Sen|Rep|Gov)\.\s*$")  # ends no sentence
HEADING = 12  # longest heading in words: a block with which no sentence ends
SHORTEST = 3  # fewest words of a sentence
VERBLESS = 8  # words up to which a sentence needs a verb; a longer one may be a headline
NAMES = {"a question": Kind.QUESTION, "an opinion": Kind.OPINION, "a call to action": Kind.CALL}
_BREAK = re.compile(r"\n[^\S\n]*\n\s*")


def read_article(source: str | Path) -> Article:
    """Read a text from a file of any format that documents may have, or from standard input ("-").

    Raises:
        DocumentsError: there is no such file, it cannot be read, or it has no text.
    """
    name, data, suffix = read_bytes(source)
    try:
        blocks = read_blocks(data, suffix, name)
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be read ({error})") from error
    if not blocks:
        raise DocumentsError(f"{name}: expected a text, got none")
    return article_of("\n\n".join(block.strip() for block in blocks), name)


def read_bytes(source: str | Path) -> tuple[str, bytes, str]:
    """The name of a text, what it holds, and the ending that says in which format.

    Raises:
        DocumentsError: there is no such file.
    """
    path = Path(source)
    if str(source) == STANDARD_INPUT:
        name, data, suffix = "standard input", sys.stdin.buffer.read(), ""
    elif path.is_file():
        name, data, suffix = str(source), path.read_bytes(), path.suffix.lower()
    else:
        raise DocumentsError(f"{source}: no such file; expected a text ({', '.join(sorted(SUFFIXES))}), or - for input")
    return name, data, suffix if suffix in SUFFIXES else suffix_of(data)


def article_of(text: str, name: str = "text") -> Article:
    """Cut a text into sentences, and put into words what each claim says by itself.

    >>> [one.claim for one in article_of("The Aster bridge opened in 1932. It carries two lanes.").claims]
    ['The Aster bridge opened in 1932.', 'The Aster bridge carries two lanes.']
    """
    code = language_of([text])
    blocks = tuple(_blocks(text))
    found: list[Sentence] = []
    for start, end in blocks:
        spans = list(_spans(text[start:end], code))
        for begin, stop in spans:
            cut = text[start + begin : start + stop]
            kind = _kind(cut, code, alone=len(spans) == 1)
            found.append(Sentence(number=len(found), start=start + begin, end=start + stop, text=cut, kind=kind))
    return Article(name=name, text=text, language=code, blocks=blocks, sentences=tuple(stand_alone(found, code)))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where each block begins and ends, without whitespace around it."""
    begin = len(text) - len(text.lstrip())
    for gap in _BREAK.finditer(text, begin):
        if gap.start() > begin:
            yield begin, gap.start()
        begin = gap.end()
    if begin < len(text.rstrip()):
        yield begin, len(text.rstrip())


def _spans(block: str, code: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of a block begins and ends, without whitespace around it."""
    begin = at = 0
    pieces: Sequence[str] = segment(code, block)
    for place, piece in enumerate(pieces):
        at = block.index(piece, at) + len(piece)
        if place + 1 < len(pieces) and TITLE.search(block[begin:at]):
            continue
        cut = block[begin:at]
        if cut.strip():
            yield begin + len(cut) - len(cut.lstrip()), begin + len(cut.rstrip())
        begin = at


def _kind(sentence: str, code: str, *, alone: bool) -> Kind:
    """Classify a sentence.

    Args:
        alone: whether it is its whole block.
    """
    count = len(words(sentence))
    if alone and count <= HEADING and not ENDING.search(sentence):
        return Kind.HEADING
    if kind := not_a_claim(sentence):
        return NAMES[kind]
    verbless = code == "en" and count < VERBLESS and not any(token.tag.startswith("V") for token in tag(sentence))
    if count < SHORTEST or verbless:
        return Kind.FRAGMENT
    return Kind.CLAIM
