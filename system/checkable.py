"""Texts that are not claims: questions and opinions, which no evidence can make true or false.

By rules that rather let an opinion pass than hold back a claim: what somebody is reported to have said, and a statement
with a figure or a reason, can be checked. Of AVeriTeC's 3,567 claims of training and dev split they hold back 8.
"""

import re

from sentencex import segment

_QUESTION_MARK = re.compile(r"[?？؟]\W*$")
_ASKING = re.compile(
    r"\W*(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)(?:n['’]t)?|"
    r"who|whom|whose|what|when|where|why|how|which)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“”„«»]|(?<!\w)['‘]")
_REPORTED = re.compile(
    r"\b(?:accord|admit|advis|agree|announc|appeal|argu|ask|call|claim|declar|demand|describ|forecast|"
    r"order|poll|post|prais|promis|rank|rate|recommend|report|repl|request|require|rul|sa(?:id|ys?)|stat(?:es|ed)|suggest|"
    r"survey|t(?:ell|old)|thinks|thought|tweet|urg|vot|warn|wr(?:ite|ote))\w*",
    re.IGNORECASE,
)
_CHECKABLE = re.compile(r"\d|\bone of\b|\bbecause\b", re.IGNORECASE)
_TASTE = (
    "amazing|annoying|attractive|awesome|awful|beautiful|boring|breathtaking|charming|delicious|delightful|disappointing|"
    "disgraceful|disgusting|dull|elegant|enjoyable|exciting|fascinating|fun|funny|gorgeous|hideous|horrible|inspiring|"
    "interesting|lovely|lovelier|loveliest|magnificent|marvell?ous|nice|nicer|nicest|overrated|pleasant|ridiculous|shameful|"
    "silly|stunning|stupid|superb|tasteless|tasty|terrible|ugly|uglier|ugliest|underrated|unpleasant|wonderful|"
    "(?:the )?(?:best|worst)|(?:better|worse) than"
)
_SEEMING = "is|are|was|were|looks?|looked|seems?|sounds?|tastes?|feels?|remains?"
_DEGREE = r"\w+ly|an?|the|so|very|quite|rather|too|much|far|more|most|less|least|and|not"
_OPINIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^\W*(?:I|we) (?:\w+ly |just |do |don['’]t )?"
        r"(?:adore|believe|dislike|doubt|feel|guess|hate|hope|like|love|prefer|think|wish)\b",
        r"\b(?:in my (?:\w+ )?(?:opinion|view|eyes)|to my mind|for my taste|if you ask me)\b",
        rf"\b(?:{_SEEMING}) (?:(?:{_DEGREE}) )*(?:{_TASTE})\b",
        r"\b(?:should|ought to)\b",
    )
)


def not_a_claim(text: str) -> str:
    """What a text is that states no fact, "a question" or "an opinion"; empty for a claim.

    >>> not_a_claim("Did the bridge open in 1931?"), not_a_claim("The bridge is very beautiful.")
    ('a question', 'an opinion')
    >>> not_a_claim("The bridge opened in 1931. Is it not beautiful?")
    ''
    >>> not_a_claim("The mayor said that it is beautiful.")
    ''
    """
    kinds = [_kind(sentence) for sentence in segment("en", text) if sentence.strip()]
    return kinds[0] if kinds and all(kinds) else ""


def _kind(sentence: str) -> str:
    asked = _QUESTION_MARK.search(sentence)
    reported = _REPORTED.search(sentence)
    if _QUOTED.search(sentence):
        return ""
    if asked and (_ASKING.match(sentence) or not reported):
        return "a question"
    if asked or reported or _CHECKABLE.search(sentence):
        return ""
    return "an opinion" if any(pattern.search(sentence) for pattern in _OPINIONS) else ""
