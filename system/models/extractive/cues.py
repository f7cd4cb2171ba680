"""Words that show which way a sentence leans: towards, against or halfway, and whether it is negated.

The lists are the reader's own general English; nothing in them was chosen by looking at labels.
"""

import re

_NEGATIONS = r"not|no|never|none|nobody|nothing|neither|nor|without|cannot|[a-z]+n['’]t"
_REFUTING = (
    r"fals(?:e|ely|ehoods?)|fake[ds]?|hoax(?:es)?|debunk\w*|mislead\w*|misl(?:ed)|misrepresent\w*|misinformation|"
    r"disinformation|untrue|baseless|unfounded|unsubstantiated|unproven|incorrect\w*|inaccurate\w*|wrong(?:ly)?|"
    r"fabricat\w*|doctored|manipulated|altered|photoshopped|edited|satir\w+|parody|rumou?rs?|myths?|conspiracy|"
    r"den(?:y|ies|ied|ying)|refut\w+|reject(?:s|ed)?|dismiss(?:es|ed)?|contrary|misattributed|unrelated|bogus|"
    r"out of context|(?:no|not any|lack of|without) (?:\w+ )?(?:evidence|proof|record|basis|truth)|not true|"
    r"nothing to do with|never (?:said|made|happened|existed)|fact[- ]?check(?:ed|ers?|ing)?|impostor|scam|altered"
)
_CONFIRMING = (
    r"confirm\w*|verif(?:y|ied|ies)|true|truth|accurate(?:ly)?|correct(?:ly)?|indeed|official(?:ly)?|"
    r"proved|proven|acknowledg\w+|admit\w*|signed|passed|approved|according to|"
    r"(?:data|figures?|statistics|records?|reports?|documents?) (?:shows?|showed|confirms?|indicates?)"
)
_QUALIFYING = (
    r"however|although|though|but|despite|partly|partially|half|exaggerat\w*|overstat\w*|missing context|context|"
    r"mixed|disputed?|depend\w*|unclear|nuanced?|except|instead|rather than|while|only"
)
_UNCERTAIN = (
    r"unclear|unknown|unverified|uncertain|unconfirmed|alleged\w*|reportedly|purported\w*|"
    r"(?:could|can) ?not (?:be )?(?:verif\w+|confirm\w*|determin\w+|independently)|"
    r"no (?:data|information|details|records?)|"
    r"may|might|could|likely|unlikely|possibl[ey]|estimated?"
)
_SWEEPING = (
    r"all|every|everyone|always|never|only|first|largest|biggest|highest|lowest|most|worst|best|ever|none|entire"
)
_UP = (
    r"increas\w+|ris(?:e|es|en|ing)|rose|grow\w*|grew|gain\w*|up|higher|more|soar\w*|jump\w*|doubl\w+|improv\w+|"
    r"surg\w+"
)
_DOWN = (
    r"decreas\w+|fall(?:s|en|ing)?|fell|declin\w+|drop\w*|down|lower|less|fewer|reduc\w+|cuts?|lost|plung\w+|"
    r"shr[aiu]nk\w*"
)


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


NEGATION, REFUTING, CONFIRMING = _any(_NEGATIONS), _any(_REFUTING), _any(_CONFIRMING)
QUALIFYING, UNCERTAIN, SWEEPING = _any(_QUALIFYING), _any(_UNCERTAIN), _any(_SWEEPING)
UP, DOWN = _any(_UP), _any(_DOWN)


def found(cue: re.Pattern[str], text: str) -> str:
    """The first words of a text that match a cue, or the empty string.

    >>> found(REFUTING, "There is no credible evidence that it happened.")
    'no credible evidence'
    """
    match = cue.search(text)
    return match[0] if match else ""
