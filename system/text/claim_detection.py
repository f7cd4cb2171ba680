"""Detect texts that are not claims: questions and opinions, which no evidence can make true or false.

The rules would rather let an opinion pass than hold back a claim: what somebody is reported to have said, and a
statement with a figure or a reason, can be checked. They know English; in other languages only questions are held back.
"""

import re
import tomllib
from pathlib import Path

from system.text.words import sentences

_QUESTION_MARK = re.compile(r"[?？؟]\W*$")
_QUOTED = re.compile(r"[\"“”„«»]|(?<!\w)['‘]")
_CHECKABLE = re.compile(r"\d|\bone of\b|\bbecause\b", re.IGNORECASE)
_RULES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_RULES["opinions"].append(rf"{_RULES['seeming']}{_RULES['degree']}(?:{'|'.join(_RULES['taste'].split())})\b")
_ASKING, _REPORTED, _OPINIONS, _FEELINGS = (
    re.compile("|".join(_RULES[kind]), re.IGNORECASE) for kind in ("asking", "reported", "opinions", "feelings")
)
_RULES["stating"].append(rf"{_RULES['verb']}(?!(?:{'|'.join(_RULES['joining'].split())})\b)[a-z]+ {_RULES['object']}")
_STATING = re.compile(rf"(?!Do |How |Wh|.*:$).*?(?:{'|'.join(_RULES['stating'])})")


def states_something(line: str) -> bool:
    """Whether a line without a full stop has a finite verb: an English one, or a word before an article or a number."""
    return bool(_STATING.match(" ".join(line.split())))


def not_a_claim(text: str) -> str:
    """Name a text that states no fact: "a question" or "an opinion"; empty for a claim.

    >>> not_a_claim("Did the bridge open in 1931?"), not_a_claim("The bridge is very beautiful.")
    ('a question', 'an opinion')
    >>> not_a_claim("The mayor said that it is beautiful."), not_a_claim("It opened in 1931. Is it not beautiful?")
    ('', '')
    """
    kinds = [_kind(sentence) for sentence in sentences(text)]
    return kinds[0] if kinds and all(kinds) else ""


def _kind(sentence: str) -> str:
    asked, reported = _QUESTION_MARK.search(sentence), _REPORTED.search(sentence)
    if asked and not _QUOTED.search(sentence) and (_ASKING.match(sentence) or not reported):
        return "a question"
    if asked or _QUOTED.search(sentence) or _CHECKABLE.search(sentence):
        return ""
    if _FEELINGS.search(sentence) or (not reported and _OPINIONS.search(sentence)):
        return "an opinion"
    return ""
