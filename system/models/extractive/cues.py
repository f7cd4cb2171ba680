"""Words that show how a sentence takes what it speaks of: as refuted, as hearsay, as true in part, as measured.

The lists are general English. That they tell the labels apart was checked on AVeriTeC's training split alone; what each
is worth is fitted there (see ``verdict``).
"""

import re

_REFUTING = (
    r"fals(?:e|ely|ehoods?)|fake[ds]?|hoax(?:es)?|debunk\w*|misle(?:ad\w*|d)|misrepresent\w*|misinformation|"
    r"disinformation|untrue|baseless|unfounded|unsubstantiated|unproven|incorrect\w*|inaccurate\w*|wrong(?:ly)?|"
    r"fabricat\w*|doctored|manipulated|altered|photoshopped|edited|satir\w+|parody|myths?|conspiracy|bogus|scam|"
    r"den(?:y|ies|ied|ying)|refut\w+|reject(?:s|ed)?|dismiss(?:es|ed)?|contrary|misattributed|unrelated|impostor|"
    r"out of context|(?:no|not any|lack of|without) (?:\w+ )?(?:evidence|proof|record|basis|truth|mention)|not true|"
    r"nothing to do with|never (?:said|made|happened|existed)|fact[- ]?check(?:ed|ers?|ing)?"
)
_HEARSAY = (
    r"claim(?:s|ed|ing)?|viral|alleg\w+|purport\w+|rumou?rs?|social media|facebook|whatsapp|posts?|posted|shared|"
    r"circulat\w+|tweet\w*|stor(?:y|ies)|website"
)
_QUALIFYING = (
    r"however|although|though|but|despite|partly|partially|half|exaggerat\w*|overstat\w*|context|mixed|disputed?|"
    r"depend\w*|unclear|nuanced?|except|instead|rather than|while|only|some|certain|most|may|might|could|would|also|"
    r"even|usually|often|generally"
)
_MEASURING = (
    r"data|figures?|statistics|survey|per ?cent(?:age)?|average|total|annual(?:ly)?|number of|estimated?|rates?|ratio|"
    r"per year|financial year|fiscal|population|million|billion|trillion"
)
_CAUSAL = (
    r"caus(?:e|es|ed|ing)|cur(?:e|es|ed|ing)|prevent\w*|kill\w*|treat\w*|because|due to|leads? to|results? in|"
    r"protect\w*"
)
_CHANGE = (
    r"increas\w+|ris(?:e|es|en|ing)|rose|grow\w*|grew|gain\w*|higher|soar\w*|jump\w*|doubl\w+|improv\w+|surg\w+|"
    r"decreas\w+|fall(?:s|en|ing)?|fell|declin\w+|drop\w*|lower|fewer|reduc\w+|cuts?|lost|plung\w+|shr[aiu]nk\w*"
)


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


NEGATION = _any(r"not|no|never|none|nobody|nothing|neither|nor|without|cannot|[a-z]+n['’]t")
REFUTING, HEARSAY, QUALIFYING, MEASURING = _any(_REFUTING), _any(_HEARSAY), _any(_QUALIFYING), _any(_MEASURING)
CAUSAL, CHANGE = _any(_CAUSAL), _any(_CHANGE)
QUOTATION = re.compile(r"[“”\"]|\b(?:said|says|stated|tweeted|claimed|claims)\b", re.IGNORECASE)


def found(cue: re.Pattern[str], text: str) -> str:
    """The first words of a text that match a cue, or the empty string.

    >>> found(REFUTING, "There is no credible evidence that it happened.")
    'no credible evidence'
    """
    match = cue.search(text)
    return match[0] if match else ""
