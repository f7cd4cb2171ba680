"""Names in a sentence, and other names of their kind in their place."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from training.verifier.contrast.quantities import MONTHS
from training.verifier.contrast.wordnet import Thesaurus

_NAME = re.compile(
    r"(?<![\w'’-])[A-Z][\w.'’-]*\w(?:\s(?:(?:of|the|de|von|van|du|la|del)\s)*[A-Z][\w.'’-]*\w){0,5}(?![\w-])"
)
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
PEOPLES = [
    "American",
    "British",
    "English",
    "French",
    "German",
    "Italian",
    "Spanish",
    "Russian",
    "Chinese",
    "Japanese",
    "Indian",
    "Canadian",
    "Australian",
    "Mexican",
    "Brazilian",
    "Irish",
    "Scottish",
    "Dutch",
    "Swedish",
    "Norwegian",
    "Danish",
    "Polish",
    "Greek",
    "Turkish",
    "Egyptian",
    "Korean",
    "Portuguese",
    "Austrian",
    "Swiss",
    "Belgian",
    "Finnish",
    "Nigerian",
    "Kenyan",
    "Argentine",
    "Iranian",
    "Israeli",
    "Pakistani",
    "Hungarian",
    "Czech",
]
_SETS = {name: tuple(group) for group in (MONTHS, _DAYS, PEOPLES) for name in group}
_NO_NAMES_TEXT = """
He She It They We I You The A An In On At This That These Those There His Her Its Their Our When After Before While If
As By For From With However Also But And Or Not No One Two Three Some Many Most All During Since Because Although
According Both Each Only Other Another
"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())
_PLACE_BEFORE = re.compile(r"\b(?:in|at|near|from|to|of|around|across|outside)\s(?:the\s)?$")
_UNIQUE = re.compile(
    r"\b(?:won|win|wins|founded|invented|discovered|directed|wrote|written|composed|created|designed|leads"
    r"|led|heads|headed|became the|is the|was the|are the|were the|first|last|only|largest|oldest|highest"
    r"|most)\b"
)


@dataclass(frozen=True)
class Name:
    """A name in a text, with what comes right before it."""

    start: int
    end: int
    text: str
    kind: str


@dataclass
class Names:
    """Names of many sentences by their kind, to draw others from."""

    words: Thesaurus
    first: set[str] = field(default_factory=set)
    pool: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, texts: Iterable[str], words: Thesaurus) -> "Names":
        """The names of these texts."""
        texts = list(texts)
        names = cls(words)
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(
                re.findall(
                    r"\b([A-Z][a-z]{2,}) (?:[A-Z]\. )?[A-Z][a-z]+ (?:\(|,? ?(?:was born|born|is an?|was an?|said))",
                    text,
                )
            )
        names.first = {
            name for name, count in counts.items() if count >= 2 and not words.place(name) and name not in _SETS
        }
        seen = set()
        for text in texts:
            for name in names.find(text):
                plain = name.kind != "place" or words.place(name.text)
                if name.text not in seen and name.kind != "word" and plain and (name.text[-2:] not in ("'s", "’s")):
                    seen.add(name.text)
                    names.pool[name.kind].append(name.text)
        return names

    def find(self, text: str) -> list[Name]:
        """The names of a text; a word at its start counts only where it goes on or is known."""
        found = []
        for match in _NAME.finditer(text):
            start, name = match.start(), match[0]
            first, _, rest = name.partition(" ")
            if first in _NO_NAMES:
                if not rest or not rest[0].isupper():
                    continue
                start, name = start + len(first) + 1, rest
            if start == 0 and " " not in name and not self._known(name):
                continue
            found.append(Name(start, match.end(), name, self._kind(name, text[:start])))
        return found

    def _known(self, name: str) -> bool:
        return name in _SETS or self.words.place(name)

    def _kind(self, name: str, before: str) -> str:
        if name in _SETS:
            return {MONTHS[0]: "month", _DAYS[0]: "day"}.get(_SETS[name][0], "people")
        if self.words.place(name):
            return "place"
        if name.split()[0].rstrip("'s") in self.first and 2 <= len(name.split()) <= 3:
            return "person"
        if _PLACE_BEFORE.search(before) and " " not in name:
            return "place"
        if name.isupper():
            return "letters"
        return "thing" if " " in name else "word"

    def other(self, name: Name, text: str, rng: Random) -> str | None:
        """A name of the same kind that the text does not have."""
        options = list(_SETS.get(name.text, ())) or self.pool[name.kind]
        if name.kind == "thing":
            last = name.text.split()[-1]
            options = [other for other in self.pool["thing"] if other.split()[-1] == last]
        for _ in range(5):
            if options and (other := rng.choice(options)) not in text and name.text not in other:
                return other
        return None

    def change(self, text: str, passage: str, rng: Random) -> tuple[str, bool] | None:
        """The text with one name exchanged, and whether what it says is refuted then.

        Another place, person or time of the same event refutes; the same said of another subject is silent, unless
        only one can be it.
        """
        options = [name for name in self.find(text) if name.kind != "word"]
        if not options:
            return None
        name = rng.choice(options)
        other = self.other(name, text + passage, rng)
        if other is None:
            return None
        told = re.search(r"\b(?:in|at|from|to|by|with|for|on|near)\s(?:the\s)?$", text[: name.start])
        refuted = bool(told) or (name.start > 4 and not self._subject(name, text))
        if not refuted and _UNIQUE.search(text[name.end : name.end + 60]):
            refuted = True
        return text[: name.start] + other + text[name.end :], refuted

    def _subject(self, name: Name, text: str) -> bool:
        """Whether the name stands before the first verb that shows as one."""
        verb = re.search(r"\b(?:is|was|are|were|has|had|have|will|can|does|did|[a-z]{3,}ed)\b", text)
        return verb is None or name.start < verb.start()
