"""Bases of contrast groups: sentences of public sets, with their pages where the sets give them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from sentencex import segment

from training.verifier.contrast.groups import Base, content
from training.verifier.pairs import Pair, read_rows

_PAGES = ("squad2_dev", "boolq", "boolq_contrast")
_REFERS = re.compile(
    r"^(?:He|She|They|It|This|These|That|Those|His|Her|Its|Their|Such|Both|However|But|And|Another|Other|Then)\b"
)
_IT = re.compile(
    r"^(?:He|She|It)\b(?= (?:is|was|has|had|can|will|became|won|wrote|played|served|died|moved|consists"
    r"|includes|[a-z]+ed)\b)"
)


def bases_of_pairs(pairs: Iterable[Pair]) -> Iterator[Base]:
    """Statements that sets call supported, and sentences that support themselves; pages are those of one title."""
    titles: dict[str, list[tuple[str, str]]] = defaultdict(list)
    kept = []
    for pair in pairs:
        title, text = titled(pair.evidence)
        if 30 <= len(text) <= 450 and len(pair.statement) >= 20:
            kept.append((pair, title, text))
            if title:
                titles[title].append((text, pair.statement))
    for pair, title, text in kept:
        statement = pair.statement if pair.statement.endswith((".", "!")) else pair.statement + "."
        if pair.label != "supported":
            continue
        known = content(text) | content(title)
        others = [other for evidence, other in titles[title] if evidence != text] if title else []
        page = tuple(other for other in others if len(content(other) - known) >= 2 and not content(other) <= known)
        yield Base(text, statement, pair.source.partition("_")[0], title=title, page=page[:6])


def bases_of_sentences(pairs: Iterable[Pair]) -> Iterator[Base]:
    """Sentences of the evidence as statements on themselves."""
    for text in dict.fromkeys(pair.evidence for pair in pairs):
        if usable(text):
            yield Base(text, text, "sentences")


def bases_of_pages(folder: Path) -> Iterator[Base]:
    """Sentences of the passages of question sets, among their neighbours; pronouns of a page's subject are resolved."""
    passages: dict[str, str] = {}
    for name in _PAGES:
        file = folder / f"{name}.jsonl"
        for row in read_rows(file) if file.exists() else ():
            title, text = split_title(str(row["passage"]), str(row.get("title", "")))
            passages.setdefault(text, title)
    for text, title in passages.items():
        sentences = [" ".join(sentence.split()) for sentence in segment("en", text)]
        for index, sentence in enumerate(sentences):
            if index and title and _IT.match(sentence) and sentences[0].startswith(title) and usable(sentence):
                yield _base(sentences, index, _IT.sub(title, sentence), title, first=True)
            elif usable(sentence) and not _REFERS.match(sentence):
                yield _base(sentences, index, sentence, title, first=False)


def _base(sentences: list[str], index: int, statement: str, title: str, first: bool) -> Base:
    sentence = sentences[index]
    others = [
        other for place, other in enumerate(sentences) if place != index and usable(other) and not _REFERS.match(other)
    ]
    known = content(sentence)
    page = tuple(other for other in others if len(content(other) & known) <= len(content(other)) // 2)
    before = tuple(sentences[max(0, index - 2) : index])
    if first:  # the sentence that names the subject, with the pronoun's
        return Base(f"{sentences[0]} {sentence}", statement, "pronouns", title=title, page=page)
    return Base(sentence, statement, "pages", before, tuple(sentences[index + 1 : index + 3]), title, page)


def titled(evidence: str) -> tuple[str, str]:
    """The page's title in front of a text, and the text."""
    match = re.match(r"^([^:.]{2,60}): (?=[A-Z(\"])", evidence)
    return (match[1], evidence[match.end() :]) if match else ("", evidence)


def split_title(passage: str, title: str) -> tuple[str, str]:
    """BoolQ's way to write a title, and SQuAD's."""
    head, dashes, text = passage.partition(" -- ")
    return (head, text) if dashes and len(head) < 80 else (title.replace("_", " "), passage)


def usable(sentence: str) -> bool:
    """Whether a text looks like one whole statement of some length."""
    return bool(
        40 <= len(sentence) <= 260
        and sentence[0].isupper()
        and sentence.endswith(".")
        and sentence.count('"') % 2 == 0
        and len(sentence.split()) >= 6
        and ". " not in sentence[:-1].replace("St. ", "").replace("Dr. ", "")
    )
