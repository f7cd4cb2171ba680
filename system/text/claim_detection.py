"""Detect texts that are not claims: questions and opinions, which no evidence can make true or false.

The rules would rather let an opinion pass than hold back a claim: what somebody is reported to have said, and a
statement with a figure or a reason, can be checked. They know English; in other languages only questions are held back.
"""

import re

from system.text.words import sentences

_QUESTION_MARK = re.compile(r"[?？؟]\W*$")
_ASKING = re.compile(
    r"\W*(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)(?:n['’]t)?|"
    r"who|whom|whose|what|when|where|why|how|which)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“”„«»]|(?<!\w)['‘]")
_REPORTED = re.compile(
    r"\b(?:accord|admit|advis|agree|announc|appeal|argu|ask|call|claim|declar|demand|describ|forecast|order|poll|post|"
    r"prais|promis|rank|rate|recommend|report|repl|request|require|rul|sa(?:id|ys?)|stat(?:es|ed)|suggest|survey|"
    r"t(?:ell|old)|thinks|thought|tweet|urg|vot|warn|wr(?:ite|ote))\w*",
    re.IGNORECASE,
)
_CHECKABLE = re.compile(r"\d|\bone of\b|\bbecause\b", re.IGNORECASE)

_TASTE = (
    "amazing|annoying|attractive|awesome|awful|beautiful|boring|breathtaking|charming|delicious|delightful|disappointing|"
    "disgraceful|disgusting|dull|elegant|enjoyable|exciting|fascinating|fun|funny|gorgeous|hideous|horrible|inspiring|"
    "interesting|lovel(?:y|ier|iest)|magnificent|marvell?ous|nice[rst]*|overrated|pleasant|ridiculous|shameful|silly|"
    "stunning|stupid|superb|tasteless|tasty|terrible|ugl(?:y|ier|iest)|underrated|unpleasant|wonderful|"
    "(?:the )?(?:best|worst)|(?:better|worse) than"
)
_SEEMING = "is|are|was|were|looks?|looked|seems?|sounds?|tastes?|feels?|remains?"
_DEGREE = r"\w+ly|an?|the|so|very|quite|rather|too|much|far|more|most|less|least|and|not"
_OPINIONS = re.compile(
    r"^\W*(?:I|we) (?:\w+ly |just |do |don['’]t )?(?:believe|doubt|feel|guess|think)\b|"
    r"\b(?:in my (?:\w+ )?(?:opinion|view|eyes)|to my mind|for my taste|if you ask me)\b|"
    rf"\b(?:{_SEEMING}) (?:(?:{_DEGREE}) )*(?:{_TASTE})\b|\b(?:should|ought to)\b|"
    r"\bdeserves? (?:better|more|praise|respect|credit)\b|^\W*not (?:everything|all that) \w+s\W*$",
    re.IGNORECASE,
)
_FEELINGS = re.compile(  # also about what somebody said: "I am glad that the mayor said so."
    r"^\W*(?:I|we)\b[^,]{0,20}(?:\bnever|\bnot|n['’]t|\bcannot) (?:\w+ly )?(?:underst(?:and|ood)|seen?|get|know|"
    r"knew|imagine) (?:why|how|what|who|the (?:point|need|reason))\b|"
    r"^\W*(?:I|we)(?: \w+ly| do| did)? (?:adore|dislike|hate|hope|like|love|prefer|regret|wish|wonder)d?\b|"
    r"^\W*(?:I|we)(?: am|['’]m| are|['’]re| was| were) (?:\w+ly |not |so |very )*"
    r"(?:afraid|ashamed|convinced|delighted|fond|glad|grateful|happy|proud|sad|sick|sorry|sure|surprised|tired)\b|"
    r"^\W*it(?:['’]s| is| was) (?:such |really )?(?:an? (?:shame|pity|disgrace|scandal|joy)|(?:high|about) time)\b",
    re.IGNORECASE,
)


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
