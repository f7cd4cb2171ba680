"""Words of the same, the opposite and a wider meaning in place of others; negation."""

import re
from collections.abc import Sequence
from random import Random

from training.verifier.contrast.clauses import monotone
from training.verifier.contrast.wordnet import Thesaurus
from training.verifier.contrast.words import OPPOSITE, SAME

_ANY_SAME = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, SAME), key=len, reverse=True))})\b")
_WORD = re.compile(r"(?<![\w'’-])[a-z]{3,}(?![\w'’-])")
_BE = re.compile(
    r"\b(is|was|are|were|has|have|had|can|could|will|would|does|did|should|must|may)\b(?! (?:not|never|no)\b)(n't)?",
    re.I,
)
_NOT = re.compile(
    r"(?<=\w)(?:(?<=is|do)|(?<=was|are|did|has|had)|(?<=were|does|have)|(?<=could|would)|(?<=should))(?:n't\b"
    r"| not\b| never\b)"
)
_PAST = re.compile(r"\b([a-z]+)\b")


def synonym(text: str, rng: Random, words: Thesaurus) -> str | None:
    """A word or phrase of the same meaning in place of one."""
    phrases = [(match.span(), SAME[match[0]]) for match in _ANY_SAME.finditer(text)]
    others = [(match.span(), same) for match in _WORD.finditer(text) if (same := words.synonyms(match[0]))]
    options = phrases * 2 + others
    return _replace(text, rng, options)


def widen(text: str, rng: Random, words: Thesaurus) -> str | None:
    """A wider word in place of one: an animal for a dog; only where it stays true."""
    if not monotone(text):
        return None
    return _replace(
        text, rng, [(match.span(), wider) for match in _WORD.finditer(text) if (wider := words.kinds(match[0]))]
    )


def opposite(text: str, rng: Random, words: Thesaurus) -> str | None:
    """A word of the opposite meaning in place of one."""
    options = []
    for match in re.finditer(r"(?<![\w'’-])[a-z]{2,}(?![\w'’-])", text):
        others = OPPOSITE.get(match[0]) or words.antonyms(match[0])
        if others and not (
            match[0] in ("for", "with", "left", "he", "his", "her", "hit", "day", "like") and rng.random() < 0.85
        ):
            options.append((match.span(), others))
    return _replace(text, rng, options)


def _replace(text: str, rng: Random, options: Sequence[tuple[tuple[int, int], Sequence[str]]]) -> str | None:
    if not options:
        return None
    (start, end), others = rng.choice(options)
    new = rng.choice(others)
    before = text[:start]
    if before.endswith((" a ", " an ")) or before in ("A ", "An "):
        article = "an" if new[0] in "aeiou" else "a"
        before = (
            before.rstrip().rsplit(" ", 1)[0] + f" {article} " if " " in before.rstrip() else f"{article.capitalize()} "
        )
    return before + new + text[end:]


def negate(text: str, rng: Random, words: Thesaurus) -> str | None:
    """The statement denied, or a denial turned into what it denies."""
    if re.search(r"[;:]|, (?:but|and|which|who|while|although)\b", text):
        return None  # which of the clauses would be denied?
    denial = _NOT.search(text)
    if denial:
        plain = text[: denial.start()] + text[denial.end() :]
        return (
            re.sub(
                r"\b[Dd](?:id|oes|o) (?=[a-z])", lambda m: "did actually " if m[0].lower() == "did " else m[0], plain
            )
            if not re.search(r"\bca$|\bwo$", text[: denial.start()])
            else None
        )
    match = _BE.search(text)
    if match and not match[2]:
        word = match[1]
        if word.lower() in ("has", "have", "had") and not re.match(r" (?:been|\w+ed|\w+en)\b", text[match.end() :]):
            return None
        short = f"{word}n't" if word.lower() not in ("can", "will", "may", "have") else f"{word} not"
        new = rng.choice([f"{word} not", f"{word} not", short, f"{word} never"])
        return text[: match.start()] + new.replace("can not", "cannot") + text[match.end() :]
    return _deny_past(text, rng, words)


def _deny_past(text: str, rng: Random, words: Thesaurus) -> str | None:
    """'He wrote a book.' as 'He did not write a book.'"""
    for match in _PAST.finditer(text):
        before, after = text[: match.start()].rstrip(), text[match.end() :]
        if not before or before.split()[-1].lower() in _NO_SUBJECT or after.startswith(" by "):
            continue
        base = words.verb(match[1])
        if base:
            did = rng.choice(["did not", "didn't", "never"])
            return f"{before} {did} {match[1] if did == 'never' else base}{after}"
    return None


_NO_SUBJECT_TEXT = """
a an the is was are were be been being has have had of in on at by with from to for and or as its his her their very
"""
_NO_SUBJECT = frozenset(_NO_SUBJECT_TEXT.split())
