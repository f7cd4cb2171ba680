"""The context of a statement: the sentences before it, if it cannot be understood without them.

A statement is shown, quoted and corrected as it stands in its text. Passages and windows are searched for with its
context before it (``Claim.query``); the reader and language models get both. The rules here are for English, and only
tell whether a statement refers to something outside; what it refers to is left to the reader.
"""

import re
import textwrap
from collections.abc import Sequence

BACK = 6  # sentences before a statement among which one is looked for that names what it refers to
LONGEST = 300  # characters of a context: the reader needs its room for the evidence
_PRONOUN = re.compile(
    r"\b(?:s?he|it|they|him|hers?|them|his|its|theirs?|(?:it|him|her)self|themselves)\b", re.IGNORECASE
)
_REFERRING = re.compile(
    r"""\b(?:
    this|these|those|such(?!\ as)|then
    |that\ (?:year|month|week|day|night|time|decade|century|spring|summer|autumn|winter|season)
    |(?:in|on|at|by|of|since|until|from|for|with|to|during|after|before|than)\ that
    |there(?!\ (?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|should)\b)
    |the\ (?:former|latter|same|following|next|previous|preceding|others?)
    |(?:a|one|two|three|four|five|ten|\d+|the)\ (?:year|month|week|day|decade)s?\ (?:later|earlier|before)
    )\b|^(?:that|both|neither|others|another)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_DESCRIBED = re.compile(r"^(?:[A-Z][a-z]+ [^,]{1,30}, )?[Tt]he [a-z]")  # "The bridge …", "In May 1932, the bridge …"
_TIMES = (
    "(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Sept|Nov|Dec)ember|October|"
    "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
)
_NAME = re.compile(rf"(?<=[\w,;:)] )(?!(?:{_TIMES})\b)[^\W\d_a-zß-ÿ]")


def depends(statement: str) -> bool:
    """Whether a statement refers to what was said before: by a pronoun, or by a noun with "the" and without a name.

    >>> [depends(one) for one in ("Its toll ended.", "The bridge is closed.", "The bridge of Corvane is closed.")]
    [True, True, False]
    """
    pronoun, name = _PRONOUN.search(statement), _NAME.search(statement)
    open_pronoun = pronoun and not (name and name.start() < pronoun.start())  # else it may mean that name
    return bool(open_pronoun or _REFERRING.search(statement) or (_DESCRIBED.match(statement) and not name))


def context_of(statement: str, before: Sequence[str]) -> str:
    """Return what a statement is read with: the nearest sentence before it that stands alone, and the one before it.

    ``before`` has the nearest last. Empty if the statement stands alone.
    """
    if not (before and depends(statement)):
        return ""
    earlier = [" ".join(one.split()) for one in before[-BACK:]]
    anchor = next((one for one in reversed(earlier) if not depends(one)), "")
    sentences = dict.fromkeys([anchor, earlier[-1]] if anchor and len(anchor + earlier[-1]) < LONGEST else earlier[-1:])
    ended = (one if one[-1:] in set('.!?:;…"”’)') else f"{one}." for one in sentences)  # a heading has no end
    return textwrap.shorten(" ".join(ended), LONGEST, placeholder=" …")
