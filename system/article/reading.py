"""A text as sentences with their places, and which of them claim something that can be checked."""

import re
import sys
from dataclasses import replace
from pathlib import Path

from knowledge_store.isolation import LIMITS, WorkFailed, isolated
from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError, read_blocks
from knowledge_store.pages.formats import SUFFIXES, suffix_of
from knowledge_store.pages.page import shown_path
from knowledge_store.pages.pdf import SOFT_HYPHEN
from knowledge_store.pages.sentences import ENDING, language_of, spans
from system.article.records import Article, Kind, Sentence
from system.graph.records import shown, too_long
from system.text.claim_detection import not_a_claim, states_something
from system.text.context import BACK, context_of
from system.text.language import other_language
from system.text.words import words

HEADING = 12  # longest heading in words: a block with which no sentence ends
PER_CHARACTER = 1e-4  # seconds of processor time that a text may take to be cut: four times what articles took
SHORTEST = 3  # fewest words of a claim
SAYING = 4  # fewest words of a statement without a full stop, such as an item of a list
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")  # scripts without spaces
_BLOCK = re.compile(r"\S[^\n]*(?:\n(?![^\S\n]*\n)[^\n]*)*")  # up to a blank line


def read_article(source: str | Path) -> Article:
    """Read a text from a file of any format that documents may have, or from standard input ("-").

    Raises:
        DocumentsError: there is no such file, it cannot be read, or it has no text.
    """
    return read_file(*read_bytes(source))


def read_file(name: str, data: bytes, suffix: str) -> Article:
    """Read a text from the content of a file, whose suffix, one of ``SUFFIXES`` or empty, tells its format.

    ``DocumentsError`` if it cannot be read, or has no text.
    """
    try:
        blocks = read_blocks(data, suffix, name)
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be read ({error})") from error
    if not blocks:
        raise DocumentsError(f"{name}: expected a text, got none")
    return read_text("\n\n".join(block.strip() for block in blocks), name)


def as_text(text: object, name: str) -> str:
    """Return a text as it is; ``DocumentsError`` if it is something else."""
    if not isinstance(text, str):
        raise DocumentsError(f"{name}: expected a text, got {shown(text)}")
    return text


def read_text(text: str, name: str = "text") -> Article:
    """Cut a text as ``article_of`` does, in a sandboxed worker; ``DocumentsError`` if that exceeds the limits."""
    text = as_text(text, name)
    limits = replace(LIMITS, seconds=max(LIMITS.seconds, len(text) * PER_CHARACTER))
    load = (__name__, "knowledge_store.pages.sentences:language")
    try:
        return isolated(limits, article_of, text, name, load=load)
    except WorkFailed as error:
        raise DocumentsError(f"{name}: cannot be cut into sentences ({error})") from error


def read_bytes(source: str | Path) -> tuple[str, bytes, str]:
    """Return the name, the content and the suffix of a text; ``DocumentsError`` if there is no such file."""
    path = Path(source)
    if str(source) in STANDARD_INPUT:
        name, data, suffix = "standard input", sys.stdin.buffer.read(), ""
    elif path.is_file():
        name, data, suffix = shown_path(source), path.read_bytes(), path.suffix.lower()
    else:
        fault = "is a folder" if path.is_dir() else "no such file"
        raise DocumentsError(f"{source}: {fault}; expected a text ({', '.join(sorted(SUFFIXES))}), or - for input")
    return name, data, suffix if suffix in SUFFIXES else suffix_of(data)


def article_of(text: str, name: str = "text") -> Article:
    """Cut a text into sentences, each claim with the context that it needs.

    >>> [(one.claim, one.context) for one in article_of("The Aster bridge is old. It has two lanes.").claims]
    [('The Aster bridge is old.', ''), ('It has two lanes.', 'The Aster bridge is old.')]
    """
    text = as_text(text, name).replace(SOFT_HYPHEN, "")
    code = language_of([text])
    if code == "en":  # so is a short text called
        code = other_language(text, "en") or code
    blocks = tuple((one.start(), one.start() + len(one[0].rstrip())) for one in _BLOCK.finditer(text))
    cuts = [list(spans(text[start:end], code)) for start, end in blocks]
    loose = [len(cut) == 1 and _is_loose(text[start:end]) for (start, end), cut in zip(blocks, cuts, strict=True)]
    listed = [above or below for above, below in zip([False, *loose], [*loose[1:], True], strict=False)]
    found: list[Sentence] = []
    for (start, _), parts, line, item in zip(blocks, cuts, loose, listed, strict=False):
        for begin, stop in parts:
            cut = text[start + begin : start + stop]
            states = item and _count(cut) >= SAYING and states_something(cut)
            kind = Kind.HEADING if line and not states else _kind(cut)
            claim = " ".join(cut.split()) if kind is Kind.CLAIM else ""
            context = context_of(claim, [one.text for one in found[-BACK:]]) if code == "en" else ""
            place = {"number": len(found), "start": start + begin, "end": start + stop}
            found.append(Sentence(**place, text=cut, kind=kind, claim=claim, context=context))
    return Article(name=name, text=text, language=code, blocks=blocks, sentences=tuple(found))


def _count(text: str) -> int:
    return len(words(_UNSPACED.sub(r" \g<0> ", text)))


def _is_loose(block: str) -> bool:
    """Whether a block is a short line without a full stop: a heading, or a statement among the items of a list."""
    return _count(block) <= HEADING and not ENDING.search(block)


def _kind(sentence: str) -> Kind:
    """Classify a sentence that is no heading."""
    if too_long(sentence):
        return Kind.TOO_LONG
    if kind := not_a_claim(sentence):
        return Kind(kind.split()[1])  # without its article
    return Kind.FRAGMENT if _count(sentence) < SHORTEST else Kind.CLAIM
