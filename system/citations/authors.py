"""References by author and year: "(Smith, 2001)", "Smith and Jones (2001)", and the entry of a list that they name."""

import re
from collections import defaultdict
from collections.abc import Sequence

_MONTH = (
    r"Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?"
)
_NAME = rf"\b(?!(?:{_MONTH})\b)[A-ZÀ-Þ][\w’'-]{{1,40}}"
_PARTS = r"(?:(?:van|von|de|der|den|del|della|di|da|du|la|le|el|al|bin)\s){0,3}"
_NAMES = rf"{_PARTS}{_NAME}(?:,?\s(?:and|&|et al\.?|of|for|the|{_PARTS}{_NAME})){{0,7}}"
_YEAR = r"(?:(?:1[89]|20)\d\d[a-z]?|n\.d\.)"
_YEARS = rf"{_YEAR}(?:,\s?{_YEAR}){{0,4}}(?:[,:]\s?(?:pp?\.\s?)?\d{{1,4}}(?:[–-]\d{{1,4}})?)?"
_ONE = rf"(?:(?:see|cf\.|e\.g\.,?)\s)?{_NAMES},?\s{_YEARS}"
AUTHORS_AND_YEARS = (
    rf"(?:[(\[](?P<listed>{_ONE}(?:;\s?{_ONE}){{0,9}})[)\]](?!\()|(?P<who>{_NAMES})\s\((?P<when>{_YEARS})\))"
)
_AUTHOR = re.compile(  # the beginning of an entry: "Smith, J.", "J. Smith", "Smith J.", "World Bank (2001)"
    rf"\W*(?:{_PARTS}{_NAME},\s[A-ZÀ-Þ]|(?:[A-Z]\.\s?)+{_NAME}|{_NAME}\s[A-Z]{{1,3}}[.,]|(?:{_NAME}\s){{1,5}}\(?{_YEAR})"
)
_FIRST_AUTHOR = re.compile(r"(?:\W|[A-Z]\.)*([^,.;&(]+?)(?:[,.;&(]|\band\b|$)")
_GOES_ON = re.compile(r"(?:[,&:-]|\band)\s*$")
OPENING = 200  # characters of an entry that may name its authors


def begins_reference(line: str, before: str) -> bool:
    """Whether a line of a list of references begins an entry, and does not go on with the one before."""
    return bool(_AUTHOR.match(line)) and not _GOES_ON.search(before)


class References:
    """The entries of a list of references, found by author and year."""

    def __init__(self) -> None:
        # By year: all names, those of the first author, the label.
        self._entries: dict[str, list[tuple[set[str], set[str], str]]] = defaultdict(list)

    def add(self, words: str, label: str) -> None:
        """Add an entry; it may be of any of the years in it."""
        for year in set(re.findall(rf"(?<![\w–-]){_YEAR}(?!\w)", words)):
            authors = words[: words.find(year)][:OPENING]
            first = _FIRST_AUTHOR.match(authors)
            self._entries[year].append((set(_names(authors)), set(_names(first[1] if first else "")), label))

    def cited(self, match: re.Match[str]) -> tuple[list[tuple[str, str]], int]:
        """The marks in a match of ``AUTHORS_AND_YEARS`` with their targets, and where the words of the sentence end.

        Where none leads to an entry its words stay, for they may belong to the sentence.
        """
        if match["who"]:
            names = _names(match["who"])  # the first may be of the sentence: "In Smith (2001)"
            labels = [label for start in range(len(names)) for label in self._labels(names[start:], match["when"])][:1]
            return [(f"{match['who']} ({match['when']})", f"note:{label}") for label in labels], match.end("who")
        found = [(f"({one.strip()})", self._labels(_names(one), one)) for one in match["listed"].split(";")]
        marks = [(mark, f"note:{label}") for mark, labels in found for label in labels or [mark]]
        return marks, match.start() if any(labels for _, labels in found) else match.end()

    def _labels(self, names: Sequence[str], years: str) -> list[str]:
        """The entries of some authors and years; none of a year for which there are several."""
        labels = []
        for year in re.findall(_YEAR, years):
            found = [one for one in self._entries.get(year, ()) if one[0].issuperset(names)]
            found = [one for one in found if names[0] in one[1]] or found
            labels += [label for _, _, label in found] if len(found) == 1 else []
        return labels


def _names(words: str) -> list[str]:
    return [name.casefold() for name in re.findall(_NAME, words)]
