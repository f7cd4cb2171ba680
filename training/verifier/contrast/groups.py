"""Groups of pairs made from one sentence: its paraphrases, its flips and its silent forms, side by side."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from training.verifier.contrast import clauses, dates, quantities, wording
from training.verifier.contrast.names import Names
from training.verifier.contrast.wordnet import Thesaurus
from training.verifier.pairs import Pair, Verdict

Edit = Callable[[str, Random], str | None]


@dataclass(frozen=True)
class Base:
    """A statement that a passage supports.

    Attributes:
        decisive: the part of the passage that decides, which a silent form changes.
        before, after: sentences around it on its page, which decide nothing.
        title: of the page; empty where it is unknown.
        page: sentences of the same page that do not say what the statement says.
    """

    decisive: str
    statement: str
    source: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    title: str = ""
    page: tuple[str, ...] = ()


SIZE = 2  # pairs of each label in a group at most


class ContrastGroups:
    """Makes groups; the same seed makes the same ones."""

    def __init__(self, names: Names, words: Thesaurus) -> None:
        self._names = names
        self._true: dict[str, Edit] = {
            "number form": quantities.reform,
            "number bound": quantities.weaken,
            "date form": dates.reform,
            "coarser date": dates.coarsen,
            "synonym": lambda text, rng: wording.synonym(text, rng, words),
            "wider word": lambda text, rng: wording.widen(text, rng, words),
            "less detail": clauses.shorten,
            "order": clauses.reorder,
        }
        self._false: dict[str, Edit] = {
            "number": quantities.change,
            "false bound": quantities.overstate,
            "date": dates.change,
            "false period": dates.misplace,
            "opposite": lambda text, rng: wording.opposite(text, rng, words),
            "negation": lambda text, rng: wording.negate(text, rng, words),
            "roles": lambda text, rng: clauses.swap_roles(text),
        }

    def of(self, base: Base, rng: Random) -> list[Pair]:
        """The group of a base; empty where no flip or no paraphrase of it can be made."""
        passage = self._around(base, rng)
        true = self._paraphrases(base.statement, rng)
        changed = self._flips(base, true, rng)
        false = [(kind, text) for kind, text, refuted in changed if refuted]
        silent = self._silent(base, passage, true, rng)
        silent += [(kind, passage(base.decisive), text) for kind, text, refuted in changed if not refuted]
        if not true or not false or not silent:
            return []
        whole = passage(base.decisive)
        pairs = [self._pair(base, "supported", kind, whole, text) for kind, text in true[:SIZE]]
        false = _rare_first(false, rng)[:SIZE]
        pairs += [self._pair(base, "refuted", kind, whole, text) for kind, text in false]
        silent = _rare_first(silent, rng)[:SIZE]
        pairs += [self._pair(base, "not enough", kind, evidence, text) for kind, evidence, text in silent]
        return pairs

    def _pair(self, base: Base, label: Verdict, kind: str, evidence: str, statement: str) -> Pair:
        return Pair(evidence, statement, label, f"contrast_{base.source}", kind, base.decisive)

    def _around(self, base: Base, rng: Random) -> Callable[[str], str]:
        """How a decisive part stands in its passage: alone, under its title, or among other sentences."""
        before = base.before[-rng.choice([0, 0, 1, 1, 2]) or len(base.before) :] if base.before else ()
        after = base.after[: rng.choice([0, 0, 1, 1, 2])]
        title = f"{base.title}: " if base.title and rng.random() < 0.5 else ""
        return lambda decisive: title + " ".join([*before, decisive, *after])

    def _paraphrases(self, text: str, rng: Random) -> list[tuple[str, str]]:
        """Texts that say the same or less, each by one to three edits, and sometimes the text itself."""
        found: dict[str, str] = {}
        for edits in (1, rng.choice([2, 3]), rng.choice([1, 2]), 3):
            new, kinds = text, list[str]()
            names = rng.sample(list(self._true), len(self._true))
            names.sort(key=lambda name: name in _COMMON and rng.random() < 0.6)
            for kind in names:
                edited = self._true[kind](new, rng) if len(kinds) < edits else None
                if edited and edited != new:
                    new, kinds = edited, [*kinds, kind]
            if kinds:
                found.setdefault(new, kinds[0] if len(kinds) == 1 else "several forms")
        paraphrases = _rare_first([(kind, new) for new, kind in found.items()], rng)
        return paraphrases if rng.random() < 0.85 else [("same", text), *paraphrases]

    def _flips(self, base: Base, true: Sequence[tuple[str, str]], rng: Random) -> list[tuple[str, str, bool]]:
        """Flips of the statement and of its paraphrases: kind, text, and whether it is refuted, else silent."""
        texts = [base.statement, *(text for _, text in true)]
        found = []
        for kind in rng.sample(list(self._false), len(self._false)):
            text = rng.choice(texts)
            edited = self._false[kind](text, rng) or self._false[kind](base.statement, rng)
            if edited and edited not in texts:
                found.append((kind, edited, True))
        text = rng.choice(texts)
        for text in rng.sample(texts, min(2, len(texts))):
            renamed = self._names.change(text, base.decisive, rng)
            if renamed and (renamed[1] or rng.random() < 0.5):
                found.append(("name" if renamed[1] else "other subject", *renamed))
        return found

    def _silent(
        self, base: Base, passage: Callable[[str], str], true: Sequence[tuple[str, str]], rng: Random
    ) -> list[tuple[str, str, str]]:
        """Kind, passage and a statement that it leaves open."""
        found = []
        vaguer: dict[str, Edit] = {
            "vaguer number": quantities.blur,
            "vaguer date": dates.coarsen,
            "detail added": clauses.shorten,
            "only planned": _plan,
        }
        for kind, edit in vaguer.items():
            edited = edit(base.decisive, rng)
            if edited and edited != base.decisive and _lost(base.decisive, edited, base.statement):
                found.append((kind, passage(edited), base.statement))
        if base.page:
            other = rng.choice(base.page)
            if other not in passage(base.decisive):
                found.append(("other fact", passage(base.decisive), other))
            statement = rng.choice([base.statement, *(text for _, text in true)])
            found.append(
                (
                    "other sentence",
                    " ".join(rng.sample(base.page, min(len(base.page), rng.choice([1, 1, 2])))),
                    statement,
                )
            )
        return found


_COMMON = (
    "synonym",
    "less detail",
    "several forms",
    "negation",
    "opposite",
    "detail added",
    "other sentence",
    "other fact",
)


def _rare_first(items: list[Any], rng: Random) -> list[Any]:
    """In random order, with kinds that apply to few sentences mostly in front."""
    return sorted(items, key=lambda item: rng.random() + (0.35 if item[0] in _COMMON else 0))


def _plan(text: str, rng: Random) -> str | None:
    """Weaken a fact to a possibility."""
    match = re.search(r"\b(?:was|is|were|are) (?=[a-z]+ed\b)", text)
    if not match:
        return None
    modal = rng.choice(
        ["may be ", "might be ", "could be ", "is expected to be ", "was supposed to be ", "is rumoured to be "]
    )
    return text[: match.start()] + modal + text[match.end() :]


def _lost(text: str, shorter: str, statement: str) -> bool:
    """Whether the statement still says what the passage lost by an edit."""
    gone = content(text) - content(shorter)
    return bool(gone & content(statement))


_SMALL_TEXT = """
the a an of in on at to and or is was are were be been has have had it its he she his her they their this that with
for by from as not which who also but into than then there
"""
_SMALL = frozenset(_SMALL_TEXT.split())


def content(text: str) -> set[str]:
    """The words of a text but for the small ones."""
    return {word for word in re.findall(r"\w+(?:[.,]\d+)*", text.lower()) if word not in _SMALL}
