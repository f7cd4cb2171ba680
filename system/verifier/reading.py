"""ReadUnit: which sentences of passages decide a statement, and what each page says of it.

A unit is what the verifier reads at once: a sentence, or a row of a table, behind the sentence that names what it
speaks of. The verifier judges each unit by itself; a small regression, fitted on held-out pairs among distractors
(``python -m training verifier decision``), turns a page's units into the page's own, calibrated verdict.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.page import Passage
from system.graph.records import Label
from system.text.comparison import DIRECT, WHOLE, Comparison, compare
from system.text.quantities import Quantity, disagreeing, quantities
from system.text.words import content_stems, coverage, sentences, words
from system.verifier.base import Verifier, VerifierUnavailable
from system.verifier.loading import BUNDLED, load_verifier

CONTEXT = 300  # characters before a sentence in which what it speaks of may be named
UNITS = 16  # of a statement that the verifier reads; the nearest of all that was retrieved
OUTCOMES = (Label.SUPPORTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)
_PRONOUN = re.compile(r"(?:it|its|he|his|she|her|they|their|this|these|those|that|there)\b", re.IGNORECASE)
T = TypeVar("T")
Floats = NDArray[np.float64]
Cut = Callable[[Passage], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence that may decide a statement.

    Attributes:
        sentence: verbatim part of the passage; what is quoted.
        topic: the sentence before it that names what it speaks of; empty where it does so itself.
    """

    passage: Passage
    sentence: str
    topic: str = ""

    @property
    def text(self) -> str:
        """The unit as the verifier reads it."""
        return f"{self.topic} {self.sentence}" if self.topic else self.sentence


@dataclass(frozen=True)
class ReadUnit:
    """A unit beside a statement, and the verifier's probabilities.

    Attributes:
        nearness: cosine of the sentence and the statement.
    """

    unit: Unit
    statement: str
    supported: float
    refuted: float
    nearness: float

    @property
    def covered(self) -> float:
        """Share of the statement's content words that the unit has, in [0, 1]."""
        return coverage(content_stems(self.statement), content_stems(self.unit.text))

    @property
    def speaks(self) -> float:
        """How much of the statement the sentence itself speaks of, without the one that names its topic; above 0."""
        return 0.2 + coverage(content_stems(self.statement), content_stems(self.unit.sentence))

    @property
    def differing(self) -> tuple[str, str] | None:
        """The statement's value and the unit's in its place, as far as rules can tell."""
        compared = _compared(self.statement, self.unit.text)
        return next((one.differing for one in compared if one.differing and one.direct >= DIRECT), None)

    @property
    def same(self) -> bool:
        """Whether the unit says the statement in its own words, as far as rules can tell."""
        compared = _compared(self.statement, self.unit.text)
        return any(one.covered >= WHOLE and not (one.differing or one.open or one.denied) for one in compared)

    @property
    def other_number(self) -> bool:
        """Whether the statement has a number for which the unit has only others of its kind."""
        kinds = {other.kind for other in quantities(self.unit.text)}
        return any(one.kind in kinds for one in self._numbers_lacking)

    @property
    def lacks_number(self) -> bool:
        """Whether the statement has a number that the unit does not have."""
        return bool(self._numbers_lacking)

    @property
    def _numbers_lacking(self) -> tuple[Quantity, ...]:
        return disagreeing(quantities(self.statement), quantities(self.unit.text))


@lru_cache(maxsize=4096)  # and no cached property: those of Python 3.11 keep the units of other threads waiting
def _compared(statement: str, text: str) -> tuple[Comparison, ...]:
    return tuple(compare(statement.rstrip(" .!?…"), text, content_stems(text)))


def never() -> bool:
    """Time does not run out."""
    return False


def _in_time(items: Iterable[T], expired: Callable[[], bool]) -> Iterator[T]:
    for item in items:
        if expired():
            raise TimeoutError("reading took longer than there was time")
        yield item


def every_sentence(passage: Passage) -> Sequence[str]:
    """The sentences of a passage."""
    return sentences(passage.text)


def units_of(passages: Iterable[Passage], statement: str, cut: Cut = every_sentence) -> list[Unit]:
    """The sentences of passages as units, each once.

    Args:
        cut: the sentences of a passage that may decide, in order.

    >>> passage = Passage("Brevik makes saws. Its head office is in Tromvik.", "a.txt", 0, 0)
    >>> units_of([passage], "Brevik has its head office in Halden.")[1].text
    'Brevik makes saws. Its head office is in Tromvik.'
    """
    names = content_stems(" ".join(word for word in words(statement) if word[0].isupper()))
    wanted = content_stems(statement)
    found: dict[tuple[int, str], Unit] = {}
    for passage in passages:
        named: list[tuple[int, str, frozenset[str]]] = []  # end, sentence and words of those that have any
        end = 0
        for sentence in cut(passage):
            end = passage.text.index(sentence, end) + len(sentence)
            own = wanted & content_stems(sentence)
            missing = wanted if _PRONOUN.match(sentence) else names
            topics = [topic for at, topic, held in named if (held & missing) - own and end - at <= CONTEXT]
            if content_stems(sentence):
                found.setdefault((passage.page, sentence), Unit(passage, sentence, topics[-1] if topics else ""))
            if own:
                named.append((end, sentence, own))
    return list(found.values())


def read_units(
    verifier: Verifier, encoder: Encoder, statement: str, units: Sequence[Unit], limit: int = UNITS
) -> list[ReadUnit]:
    """Read the units nearest to a statement; the nearest first.

    Nearness is the cosine of sentence and statement, and the share of the statement's words that the unit has.
    """
    if not units:
        return []
    vectors = encoder.encode([statement, *(unit.sentence for unit in units)])
    cosines = (vectors[1:] @ vectors[0]).round(4).astype(float)
    wanted = content_stems(statement)
    covered = np.array([coverage(wanted, content_stems(unit.text)) for unit in units])
    nearest = np.argsort(-(cosines + covered), kind="stable")[:limit]
    chosen = [units[i] for i in nearest]
    probabilities = verifier.probabilities([(unit.text, statement) for unit in chosen])
    return [
        ReadUnit(unit, statement, float(supported), float(refuted), float(cosines[i]))
        for unit, i, (supported, refuted, _) in zip(chosen, nearest, probabilities, strict=True)
    ]


FEATURES = (
    "supporting", "refuting", "supporting, covered", "refuting, covered", "other number", "lacks number",
    "nearest supports", "nearest refutes", "covered", "nearness", "both", "differs", "same",
)  # fmt: skip


def features(readings: Sequence[ReadUnit]) -> Floats:
    """Features of a page's units for a statement: (len(FEATURES),)."""
    best, against, nearest = (
        max(readings, key=lambda one: one.supported),
        max(readings, key=lambda one: one.refuted),
        readings[0],
    )
    supporting, refuting = _logit(best.supported), _logit(against.refuted)
    return np.array(
        [
            supporting,
            refuting,
            supporting * best.covered,
            refuting * against.covered,
            float(against.other_number),
            float(best.lacks_number),
            _logit(nearest.supported),
            _logit(nearest.refuted),
            max(one.covered for one in readings),
            max(one.nearness for one in readings),
            min(best.supported, against.refuted),
            float(any(one.differing for one in readings)),
            float(any(one.same for one in readings)),
        ]
    )


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-3), 1 - 1e-3)
    return float(np.log(bounded / (1 - bounded)))


@dataclass(frozen=True)
class PageVerdict:
    """Verdict of one page on a statement.

    Attributes:
        probabilities: of ``OUTCOMES``, (3,).
        readings: the page's units, the nearest first.
        sure: see ``Decision``.
    """

    probabilities: Floats
    readings: tuple[ReadUnit, ...]
    sure: tuple[float, float] = (0.0, 0.0)

    @property
    def label(self) -> Label:
        """The likeliest outcome, where it is sure enough; else Not Enough Evidence."""
        best = int(self.probabilities.argmax())
        unsure = best < len(self.sure) and self.probabilities[best] < self.sure[best]
        return Label.NOT_ENOUGH_EVIDENCE if unsure else OUTCOMES[best]

    @property
    def confidence(self) -> float:
        """The probability of the label, which is not the greatest where a side is likelier but not sure enough."""
        return float(self.probabilities[OUTCOMES.index(self.label)])

    @property
    def deciding(self) -> ReadUnit:
        """The unit that says most clearly what the page says; the nearest where it says nothing."""
        match self.label:
            case Label.SUPPORTED:
                return max(self.readings, key=lambda one: one.supported * one.speaks * (1 + one.same))
            case Label.REFUTED:
                return max(self.readings, key=lambda one: one.refuted * one.speaks * (1 + bool(one.differing)))
        return self.readings[0]


@dataclass(frozen=True)
class Decision:
    """The regression from a page's features to its verdict.

    Attributes:
        weights: (3, len(FEATURES)).
        bias: (3,).
        sure: probabilities from which a page supports and refutes; below, it is silent.
    """

    weights: Floats
    bias: Floats
    sure: tuple[float, float] = (0.0, 0.0)

    def of(self, readings: Sequence[ReadUnit]) -> PageVerdict:
        """The verdict of a page by its units, at least one."""
        scores = self.weights @ features(readings) + self.bias
        likely = np.exp(scores - scores.max())
        return PageVerdict(likely / likely.sum(), tuple(readings), self.sure)

    def by_page(self, readings: Sequence[ReadUnit], expired: Callable[[], bool] = never) -> list[PageVerdict]:
        """The verdict of each page that has units, the most decided first; see ``Reader.pages``."""
        ordered = sorted(readings, key=lambda one: one.unit.passage.page)  # stable: the nearest stays first
        groups = groupby(ordered, key=lambda one: one.unit.passage.page)
        pages = [self.of(list(group)) for _, group in _in_time(groups, expired)]
        return sorted(pages, key=lambda page: -float(page.probabilities[:2].max()))


@dataclass(frozen=True)
class Reader:
    """A verifier with the decision that was fitted to it."""

    verifier: Verifier
    decision: Decision

    def pages(
        self,
        encoder: Encoder,
        statement: str,
        passages: Iterable[Passage],
        cut: Cut = every_sentence,
        expired: Callable[[], bool] = never,
    ) -> list[PageVerdict]:
        """Verdict of each page of the passages on a statement, the most decided first; see ``units_of``.

        Args:
            expired: whether nobody waits for it any more, which ends it: a thread cannot be ended from outside.

        Raises:
            TimeoutError: it was ended.
        """
        units = units_of(_in_time(passages, expired), statement, cut)
        return self.decision.by_page(read_units(self.verifier, encoder, statement, units), expired)


DECISION = Path(__file__).parent / BUNDLED / "decision.json"


def load_reader(name: str = BUNDLED) -> Reader:
    """The reader with a verifier by its name; every verifier shares the decision that was fitted to the bundled one.

    Raises:
        VerifierUnavailable: see ``load_verifier``; or the decision cannot be read.
    """
    return _load_reader(name)


@cache  # behind the default, so that a name and its omission share one reader
def _load_reader(name: str) -> Reader:
    verifier = load_verifier(name)
    try:
        tree = orjson.loads(DECISION.read_bytes())
        weights, bias, sure = (np.array(tree[part], dtype=np.float64) for part in ("weights", "bias", "sure"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise VerifierUnavailable(f"cannot read {DECISION} ({error}); install the package again") from error
    if weights.shape != (len(OUTCOMES), len(FEATURES)) or bias.shape != (len(OUTCOMES),):
        expected = f"expected weights of {len(FEATURES)} features, got shape {weights.shape}"
        raise VerifierUnavailable(f"{DECISION}: {expected}; install the package again")
    if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
        raise VerifierUnavailable(f"{DECISION}: weights and bias: expected finite numbers; install the package again")
    if sure.shape != (2,) or not ((sure >= 0) & (sure <= 1)).all():
        expected = f"expected two probabilities, got {tree['sure']!r:.60}"
        raise VerifierUnavailable(f"{DECISION}: sure: {expected}; install the package again")
    return Reader(verifier, Decision(weights, bias, (float(sure[0]), float(sure[1]))))
