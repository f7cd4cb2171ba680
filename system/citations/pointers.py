"""Words that only point to a source, and are no part of a claim: "here", "according to the archive", "(a.example)"."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import itemgetter

Mark = tuple[int, str, str]
"""Its place in the text, how it is marked, and what it leads to, as in ``marks.Marked``."""

_POINTER = re.compile(
    r"(?:here|there|more|via .*|(?:read|learn|see|find out) more\b.*|"
    r"(?:the |this |its |original |full |official |primary )*(?:sources?|links?|archived?|website|web ?page|site|page|"
    r"article|report|study|reference|ref|citation|details|pdf|document)|"
    r"(?:see|source:?|cf\.?|according to|as (?:reported|stated|shown|noted|seen) (?:by|in|on|at))\b.*)",
    re.IGNORECASE,
)
_LEAD = re.compile(  # what leads to a link: ", according to", "(see"
    r"\s*(?:[,;–—-]?\s*\b(?:according to|as (?:reported|stated|shown|noted|seen) (?:by|in|on|at))|"
    r"(?:[,;–—-]|(?<=\())\s*(?:see(?: also)?|via|cf\.|source:?|more:?|from))(?:\s+(?:the|this|an?))?\s*$",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:$|[.,;:!?()\[\]])")  # behind words that a sentence can do without
_BOUND = re.compile(  # before words that a sentence needs
    r"\b(?:an?|the|this|that|its|his|her|their|our|my|in|of|at|on|to|from|by|for|with|into|over|under|via|is|are|was|were|be|"
    r"and|or|as|than|not|no|lies?|stands?|lives?)\s+$",
    re.IGNORECASE,
)
_OF_A_SOURCE = re.compile(  # a word that names a source: a name, a year, the number of a note, what sources are
    r"[^\W\d_a-zß-ÿ].*|(?:1[89]|20)\d\d[a-z]?|\d{0,3}|[\w-]+(?:\.[\w-]+)+\S*|"
    r"an?|the|this|its?|of|in|on|by|at|for|from|and|et|al|see|via|also|here|there|more|cf|according|to|as|"
    r"sources?|links?|archived?|web|web(?:site|page)|site|page|pp?|articles?|reports?|study|studies|references?|ref|citations?|"
    r"details|pdf|documents?|paper|preprint|abstract|book|chapter|table|figure|full|text|original|official|primary|press|"
    r"release|statements?|transcript|interview|video|audio|podcast|data|dataset|statistics|figures|tweet|post|thread|blog|news|"
    r"story|coverage|announcement|minutes|retrieved|accessed|version"
)
_OF_A_SENTENCE = re.compile(r"(?:in|on|at|since|until)\s")  # "in 1932" is no source
_EMPTIED = re.compile(  # parentheses, and punctuation, out of which links were taken
    r"[(\[](?:[\s,;:&|/–—-]|and|see|via|sources?)*[)\]]|[,;:–—-]+\s*(?=[.!?]|$)|(?<=[.!?])\s*\.(?!\.)|\s(?=[.!?,;]|$)",
    re.IGNORECASE,
)
AROUND = 80  # characters before a link that are looked at


def without_pointers(text: str, marks: Iterable[Mark]) -> tuple[str, list[Mark]]:
    """A text without the words of its links that only point to a source; its marks with their new places.

    >>> without_pointers("It opened in 1932 (source).", [(24, "source", "a.txt")])
    ('It opened in 1932.', [(17, 'source', 'a.txt')])
    """
    ordered = sorted(marks, key=itemgetter(0))  # several at one place keep their order
    cuts: list[tuple[int, int]] = []
    for at, words, target in ordered:
        if target.startswith("note:"):
            continue
        shown = len(words) if text.startswith(words, at - len(words)) and len(words) <= at else 0
        begin = at - shown
        lead = _LEAD.search(text[max(0, begin - AROUND) : begin])
        start = begin - len(lead[0]) if lead else begin
        if lead and _ENDS.match(text, at) and _has_begun(text, start):
            cuts.append((start, at))
        elif shown and _points(text, begin, at, target, cuts):
            cuts.append((begin, at))
    text, ordered = _cut(text, ordered, cuts)
    places = [at for at, _, target in ordered if not target.startswith("note:")]
    emptied = [match.span() for match in _EMPTIED.finditer(text) if _any_within(places, *match.span())]
    return _cut(text, ordered, emptied)


def _any_within(places: Sequence[int], begin: int, end: int) -> bool:
    """Whether one of some places, in their order, lies in a span, or just before a blank at its beginning."""
    number = bisect_left(places, begin - 1)
    return number < len(places) and places[number] <= end


def _has_begun(text: str, at: int) -> bool:
    """Whether a sentence has begun before a place."""
    before = text[max(0, at - AROUND) : at].rstrip()
    return bool(before) and before[-1] not in ".!?:"


def _points(text: str, begin: int, end: int, target: str, cuts: Sequence[tuple[int, int]]) -> bool:
    """Whether the words of a link say nothing of the sentence around them."""
    words, before, after = text[begin:end], text[max(0, begin - AROUND) : begin], text[end : end + AROUND]
    beside = bool(cuts) and begin - cuts[-1][1] < AROUND and not text[cuts[-1][1] : begin].strip(" ,;&|/")
    inside = before.rstrip().endswith(("(", "[")) or bool(re.search(r"[(\[][^)\]]*;\s*$", before))
    if (beside or inside) and after.lstrip()[:1] in set("),;]"):
        return _names_a_source(words)
    apart = (
        before.rstrip()[-1:] in set(".!?") and re.match(r"\s+[^\W\d_]", after) and words[0].isupper()
    )  # two sentences
    if not (_ENDS.match(text, end) or (before.strip() and apart)) or _BOUND.search(before):
        return False
    if not before.strip():
        return not after.strip(" .")
    if before.rstrip()[-1] in ".!?" and after.lstrip()[:1] in set(",:;"):
        return False
    named = "." in words and not re.search(r"\s", words) and words.lower().removeprefix("www.") in target.lower()
    return named or bool(_POINTER.fullmatch(words))


def _names_a_source(words: str) -> bool:
    """Whether words in parentheses name a source, as titles in capitals do, rather than go on with the sentence.

    >>> _names_a_source("Corvane Times, 2019"), _names_a_source("opened in 1932")
    (True, False)
    """
    each = [word.strip(".,;:…!?&|/–—-()\"'“”‘’«»") for word in words.split()]
    if each and each[0][:1].isupper():
        return True
    return not _OF_A_SENTENCE.match(words) and all(_OF_A_SOURCE.fullmatch(word) for word in each)


def _cut(text: str, marks: Iterable[Mark], cuts: Iterable[tuple[int, int]]) -> tuple[str, list[Mark]]:
    """A text without some spans and the blanks before them, from left to right; its marks with their new places."""
    kept, gone, place = list[str](), [(0, 0, 0)], 0
    for begin, end in cuts:
        while begin > place and text[begin - 1].isspace():
            begin -= 1
        begin = max(begin, place)
        kept.append(text[place:begin])
        gone.append((begin, end, gone[-1][2] + end - begin))
        place = end
    kept.append(text[place:])
    moved = list[Mark]()
    for at, words, target in marks:
        _, end, removed = gone[bisect_left(gone, (at,)) - 1] if at else gone[0]
        moved.append((at - removed + max(0, end - at), words, target))
    return "".join(kept), moved
