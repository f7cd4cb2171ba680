"""Clauses and phrases left out, moved, turned from active to passive, or with their roles exchanged."""

import re
from random import Random

_NEGATIVE = re.compile(
    (
        r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|only|few|less|fewer|least|unless|if|fail\w*"
        r"|den\w+|refus\w+|lack\w*|except|rather|hardly)\b|n't|n’t"
    ),
    re.I,
)


def monotone(text: str) -> bool:
    """Whether a text has no word under which leaving something out may turn the meaning."""
    return not _NEGATIVE.search(text)


def shorten(text: str, rng: Random) -> str | None:
    """The sentence without a detail: a bracket, an aside, a phrase at its start or end, or all but its first clause."""
    if not monotone(text):
        return None
    options = []
    for pattern in (
        r"\s?\([^()]{3,80}\)",
        r", (?:which|who|where|whose) [^,;]{5,90}(?:,(?= )|(?=\.$))",
        (
            r", (?:a|an|the|then|formerly|including|such as|along with|together with|according to"
            r"|as well as) [^,;]{4,70}(?:,(?= )|(?=\.$))"
        ),
        (
            r"(?<=\w)(?:,? (?:in|on|at|during|for|with|by|since|after|before|near|from|under|between|while|when"
            r"|because|through)(?: \S+){1,7})(?=\.$)"
        ),
        r"(?<=\w)[,;] (?:and|but|while|although|where|with|after which|before) [^,;]{8,160}(?=\.$)",
        r"(?<=\w) and (?:later |then |also )?(?:has|had|was|is|were|are|[a-z]+ed) [^,;]{8,120}(?=\.$)",
        (
            r"\b(?:also|later|very|quite|officially|mainly|originally|recently|currently|finally|approximately"
            r"|eventually) "
        ),
    ):
        options += [match.span() for match in re.finditer(pattern, text)]
    lead = re.match(
        (
            r"(?:In|On|During|After|At|For|Since|By|From|Before|When|While|As"
            r"|According to)\b[^,;]{3,60}(?:, \d{4})?, (?=[A-Za-z])"
        ),
        text,
    )
    if lead:
        options.append(lead.span())
    options = [(start, end) for start, end in options if len(text) - (end - start) >= 25]
    if not options:
        return None
    start, end = rng.choice(options)
    shorter = text[:start] + text[end:]
    return shorter[0].upper() + shorter[1:]


def reorder(text: str, rng: Random) -> str | None:
    """A phrase of time or place moved from the start to the end or back, or passive and active exchanged."""
    lead = re.match(
        r"(In|On|During|At|By|Since|From|After|Before|Until) ([^,;]{3,40}(?:, \d{4})?), ([^\d\s].{15,}[^.])\.$", text
    )
    if lead:
        rest = lead[3]
        name = re.match(r"[A-Z]", rest)
        return f"{rest if name else rest[0].upper() + rest[1:]} {lead[1].lower()} {lead[2]}."
    passive = _voice(text)
    if passive and (rng.random() < 0.7):
        return passive
    tail = re.match(
        (
            r"((?:[A-Z]\S*|The|He|She|It|They)\s[^,;]{12,}?) (in|on|during|since|until|after) ((?:the )?(?:early "
            r"|late )?(?:[A-Z]\w+ )?(?:\d{1,2}, )?\d{4}s?)\.$"
        ),
        text,
    )
    if tail:
        first = tail[1]
        low = (
            first[0].lower() + first[1:]
            if re.match(r"(?:The|He|She|It|They|A|An|His|Her|Its|Their|This)\b", first)
            else first
        )
        return f"{tail[2].capitalize()} {tail[3]}, {low}."
    return None


_ACTIVE = (
    "directed founded written produced built designed discovered invented defeated created composed led developed "
    "published recorded owned released performed acquired replaced succeeded killed won beaten conquered attacked "
    "commissioned introduced established influenced inspired organised organized operated hosted coached elected "
    "appointed nominated"
)
_PASTS = {"written": "wrote", "beaten": "beat"}
_NAME = (
    r"(?!He |She |It |They |We |I |This |That |His |Her |Its )(?:the |The )?[A-Z][\w.'-]*(?: (?:of |the |de "
    r"|van )?[A-Z][\w.'-]*){0,4}"
)
_REST = r"(?: (?:in|on|at|for|with|from|during|after|before|as|to|until|through|over)\b[^,;]*)?"
_PASSIVE = re.compile(
    rf"^(?P<x>(?:The )?[^,;()]{{3,50}}?) (?P<be>was"
    rf"|were) (?P<verb>{_ACTIVE.replace(' ', '|')}) by (?P<y>{_NAME})(?P<rest>{_REST})\.$"
)
_DOES = re.compile(
    rf"^(?P<x>{_NAME}) (?P<verb>{'|'.join(_PASTS.get(verb, verb) for verb in _ACTIVE.split())}) "
    rf"(?P<y>{_NAME})(?P<rest>{_REST})\.$"
)


def _voice(text: str) -> str | None:
    match = _PASSIVE.match(text)
    if match:
        subject = match["x"]
        subject = subject[0].lower() + subject[1:] if subject.startswith(("The ", "His ", "Its ")) else subject
        agent = match["y"][0].upper() + match["y"][1:]
        return f"{agent} {_PASTS.get(match['verb'], match['verb'])} {subject}{match['rest']}."
    match = _DOES.match(text)
    if match:
        back = {past: participle for participle, past in _PASTS.items()}
        object_ = match["y"][0].upper() + match["y"][1:]
        return f"{object_} was {back.get(match['verb'], match['verb'])} by {match['x']}{match['rest']}."
    return None


def swap_roles(text: str) -> str | None:
    """Who did it and to whom, exchanged."""
    for pattern, by in ((_PASSIVE, " by"), (_DOES, "")):
        match = pattern.match(text)
        if match and match["x"] != match["y"]:
            first = match["y"][0].upper() + match["y"][1:]
            be = f"{match['be']} " if by else ""
            second = re.sub(r"^The ", "the ", match["x"])
            return f"{first} {be}{match['verb']}{by} {second}{match['rest']}."
    pair = re.match(
        (
            r"^(?P<x>[A-Z][\w' ]{2,30}?) (?P<v>is|was|are|were) (?P<c>[a-z]+er|more \w+"
            r"|less \w+) than (?P<y>[^,;.]{3,40})\.$"
        ),
        text,
    )
    return f"{pair['y'][0].upper()}{pair['y'][1:]} {pair['v']} {pair['c']} than {pair['x']}." if pair else None
