"""Details: what a text tells beyond a claim that somebody could look up, a name or a number.

Who repeats, vouches for or denies a claim needs none, in whatever words; who reports on it names people, places,
sources and figures, or says more than takes a few sentences.
"""

import calendar
import re
from collections.abc import Sequence
from functools import partial

from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

from knowledge_store.normalization import skeleton
from system.text.copies import NUMBERING
from system.text.language import other_language
from system.text.quantities import Kind, quantities
from system.text.words import STOP_WORDS, content_stems, coverage, words

LANGUAGE = "en"  # in which a capital within a sentence marks a name
LEAST = 10  # from which a number is a detail: smaller ones count steps, stars and replies
HALF_AND_ALL = (50, 100)  # percent: other words for half and all
TOLD = 40  # content words that the claim does not have, from which a text tells something without a detail
REPEATED = 0.25  # share of a claim's content words from which an English text is about the claim
NAMED = 4  # letters of a name from which its forms can be told
SAME_NAME = 0.85  # similarity of two forms or spellings of a name, such as Italy and Italian (Winkler, 1990)
_NAME = re.compile(  # after a word in small letters: in no title
    r"(?<![\w'’])[a-z][a-z'’]*,? ((?:[A-Z]['’])?[A-Z][\w-]+(?: (?:[A-Z]['’])?[A-Z][\w-]+)*)"
)
_OTHERS = ("Internet", "Supported", "Refuted", "True", "False", "Yes")  # capitals that name nobody
_NO_NAMES = STOP_WORDS - {"us", "who"} | set(map(str.lower, (*calendar.day_name, *calendar.month_name, *_OTHERS)))


def adds_nothing(texts: Sequence[str], claim: str) -> bool:
    """Whether sentences are about an English claim and tell no detail beyond it, and little else.

    >>> adds_nothing(["Officials confirm it.", "Nobody doubts that trains now cross the bridge."], "The bridge opened.")
    True
    >>> adds_nothing(["The bridge is closed, says Ann Berg."], "The bridge opened.")
    False
    """
    if other_language(claim, LANGUAGE) or details(texts, claim):
        return False
    asked, read = content_stems(claim), [text for text in texts if not other_language(text, LANGUAGE)]
    said = content_stems(" ".join(read or texts))  # a translation tells nothing more
    return len(said - asked) < TOLD and (coverage(asked, said) >= REPEATED or len(read) < len(texts))


def details(texts: Sequence[str], claim: str) -> list[str]:
    """The numbers of sentences, and the names of English ones, that a claim does not have in any form.

    A word that also stands there in small letters is no name, nor is one of a title.

    >>> details(["It opened on Monday.", "It cost 300 lives, says Ann Berg."], "The bridge opened.")
    ['300', 'Ann', 'Berg']
    """
    seen, asked = [skeleton(NUMBERING.sub("", text)) for text in texts], skeleton(claim)
    numbers = [one for text in seen for one in quantities(text) if one.value >= LEAST]
    telling = [one for one in numbers if one.kind is not Kind.PERCENT or one.value not in HALF_AND_ALL]
    unclaimed = [one.text for one in telling if not any(map(one.agrees, quantities(asked)))]
    common = _NO_NAMES | {word.lower() for word in words(asked)}
    common |= {word for text in seen for word in words(text) if word.islower()}
    known = [word.lower() for word in words(asked) if len(word) >= NAMED and not word.islower()]
    alike = partial(process.extractOne, choices=known, scorer=JaroWinkler.similarity, score_cutoff=SAME_NAME)
    prose = [text for text in seen if {word for word in words(text) if word.islower()} - STOP_WORDS]
    prose = [text for text in prose if not other_language(text, LANGUAGE)]
    capital = " ".join(name for text in prose for name in _NAME.findall(text))
    names = [name for name in words(capital) if not name.isdigit() and name.lower() not in common]
    return [*unclaimed, *(name for name in names if not alike(name.lower()))]
