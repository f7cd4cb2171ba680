"""Details: what a text tells beyond a claim that somebody could look up, a name or a number.

Who repeats, vouches for or denies a claim needs none, in whatever words; who reports on it names people, places,
sources and figures, or says more than takes a few sentences.
"""

import calendar
import re
from collections.abc import Sequence
from functools import lru_cache

from knowledge_store.normalization import skeleton
from system.text.language import other_language
from system.text.quantities import Kind, Quantity, disagreeing, quantities
from system.text.words import content_stems, stem, words

LANGUAGE = "en"  # in which a capital within a sentence marks a name
LEAST = 10  # from which a number is a detail: smaller ones count steps, stars and replies
WHOLE = 100  # percent, which only stresses
TOLD = 25  # content words that the claim does not have, from which a text tells something without a detail
_NAME = re.compile(r"(?<![\w'’])[a-z][a-z'’]*,? ([A-Z][\w'’-]+)")  # after a word in small letters: in no title
_NO_NAMES = frozenset(
    map(str.lower, (*calendar.day_name, *calendar.month_name, "Supported", "Refuted", "True", "False"))
)


def adds_nothing(texts: Sequence[str], claim: str) -> bool:
    """Whether sentences tell no detail beyond an English claim, and little else.

    >>> adds_nothing(["Officials confirm it.", "Nobody doubts that trains now cross the bridge."], "The bridge opened.")
    True
    >>> adds_nothing(["The bridge is closed, says Ann Berg."], "The bridge opened.")
    False
    """
    if _foreign(claim) or any(has_detail(text, claim) for text in texts):
        return False
    read = [text for text in texts if not other_language(text, LANGUAGE)] or texts  # a translation tells nothing more
    return len(content_stems(" ".join(read)) - content_stems(claim)) < TOLD


def has_detail(text: str, claim: str) -> bool:
    """Whether a text has a number, or an English text a name, that a claim does not have.

    >>> [has_detail(text, "The bridge opened.") for text in ("It opened on Monday.", "It cost 300 lives.")]
    [False, True]
    """
    seen = skeleton(text)
    if any(map(_tells, disagreeing(quantities(seen), quantities(skeleton(claim))))):
        return True
    known = _stems(claim)
    names = (name for name in _NAME.findall(seen) if name.lower() not in _NO_NAMES)
    return any(not _stems(name) <= known for name in names) and not other_language(text, LANGUAGE)


def _tells(number: Quantity) -> bool:
    return number.value >= LEAST and not (number.kind is Kind.PERCENT and number.value == WHOLE)


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, words(skeleton(text))))


@lru_cache(maxsize=1024)
def _foreign(claim: str) -> bool:
    return bool(other_language(claim, LANGUAGE))
