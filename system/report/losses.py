"""Count gold evidence that was lost on its way to a verdict, per claim, per label and per type of claim."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from knowledge_store.pages.filters import page_key
from system.averitec.gold import GoldAnswer, GoldClaim
from system.graph.records import Label, Record

CONTENT = re.compile(r"\w*\d\w*|\w{4,}")
SHARE = 0.7
WORDS = 5
RULE = (
    "A gold answer counts as found when a passage comes from the same page (addresses compared without archive prefix, "
    f"scheme, “www.”, case, fragment and closing slash), or holds at least {SHARE:.0%} of the answer’s distinct "
    f"numbers and words of four letters or more, if those are at least {WORDS}."
)


class Reach(StrEnum):
    """The last stage that gold evidence reached."""

    NOTHING = "nothing to find"
    LOST = "not retrieved"
    UNUSED = "retrieved, not used"
    USED = "used"


@dataclass(frozen=True)
class Text:
    """A passage prepared for matching: its page and its distinct numbers and words of four letters or more."""

    page: str
    words: frozenset[str]

    def found_in(self, passage: "Text") -> bool:
        """Return whether a passage is the evidence of this gold answer; see ``RULE``."""
        same_words = len(self.words) >= WORDS and len(self.words & passage.words) >= SHARE * len(self.words)
        return (bool(self.page) and self.page == passage.page) or same_words


@lru_cache(maxsize=4096)
def as_text(url: str, text: str) -> Text:
    """Prepare a passage; one claim meets the same passage many times.

    >>> sorted(as_text("", "The ferry carried 43 people, the ferry did.").words)
    ['43', 'carried', 'ferry', 'people']
    """
    return Text(page_key(url), frozenset(CONTENT.findall(text.lower())))


class ClaimReach(Record):
    """The last stage that a claim's gold evidence reached.

    Attributes:
        answers: one for each gold answer, in order; those without anything to find are ``NOTHING``.
    """

    claim_id: int
    gold: Label
    types: tuple[str, ...]
    right: bool
    answers: tuple[Reach, ...]

    @property
    def reach(self) -> Reach:
        """The farthest stage of any of its evidence."""
        return max(self.answers, key=list(Reach).index, default=Reach.NOTHING)


class Losses(Record):
    """Claims and gold answers of one group.

    Attributes:
        group: a label, a type of claim, or all claims.
        wrong: claims with a wrong label, by how far their evidence came.
        right: claims with the right label, likewise.
        answers: gold answers that could be found, by how far they came.
    """

    group: str
    claims: int
    wrong: dict[Reach, int]
    right: dict[Reach, int]
    answers: dict[Reach, int]


def reach(gold: GoldClaim, retrieved: Sequence[Text], used: Sequence[Text]) -> tuple[Reach, ...]:
    """Return the last stage that each gold answer reached."""
    return tuple(_reach(answer, retrieved, used) for question in gold.questions for answer in question.answers)


def _reach(answer: GoldAnswer, retrieved: Sequence[Text], used: Sequence[Text]) -> Reach:
    if not answer.answered:
        return Reach.NOTHING
    target = as_text(answer.url, answer.full)
    if any(map(target.found_in, used)):
        return Reach.USED
    return Reach.UNUSED if any(map(target.found_in, retrieved)) else Reach.LOST


def losses(claims: Sequence[ClaimReach]) -> dict[str, list[Losses]]:
    """Count over all claims, by gold label, and by type; a claim of several types counts in each."""
    types = sorted({name for claim in claims for name in claim_types(claim)})
    return {
        "all claims": [_losses("all claims", claims)],
        "label": [_losses(label, [claim for claim in claims if claim.gold is label]) for label in Label],
        "type": [_losses(name, [claim for claim in claims if name in claim_types(claim)]) for name in types],
    }


def claim_types(claim: ClaimReach) -> tuple[str, ...]:
    """Return the types of a claim, at least one."""
    return claim.types or ("no type given",)


def _losses(group: str, claims: Sequence[ClaimReach]) -> Losses:
    return Losses(
        group=group,
        claims=len(claims),
        wrong=_count(claim.reach for claim in claims if not claim.right),
        right=_count(claim.reach for claim in claims if claim.right),
        answers=_count(answer for claim in claims for answer in claim.answers if answer is not Reach.NOTHING),
    )


def _count(values: Iterable[Reach]) -> dict[Reach, int]:
    found = list(values)
    return {one: found.count(one) for one in Reach}
