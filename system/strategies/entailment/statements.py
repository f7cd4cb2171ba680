"""The statements of a claim: its sentences, and the coordinated clauses in them."""

from collections.abc import Iterator, Sequence

from system.text.grammar import FINITE, Token, clause, tag
from system.text.words import content_stems, sentences

LONGEST = 60  # words of a sentence that is cut into clauses; tagging a longer one takes long
_REPORTING = frozenset(
    {
        "say",
        "state",
        "tell",
        "claim",
        "announce",
        "report",
        "argue",
        "suggest",
        "believe",
        "think",
        "warn",
        "deny",
        "write",
    }
)
_PRONOUNS = frozenset(["it", "he", "she", "they"])
_VERBS = FINITE | {"VVI", "VVN"}  # the tagger often takes a second verb for an infinitive or a participle
_NESTING = frozenset({"TO0", "PNQ", "DTQ", "CJT", "CJS"})  # behind these a second verb belongs to the nested clause
_NO_SUBJECT = frozenset({"PNQ", "DTQ", "CJT", "CJC"})
_CUT = frozenset({"and", "but", "while", "whereas", ";"})


def statements_of(claim: str) -> tuple[str, ...]:
    """Split a claim into statements that can stand alone; the claim itself where it cannot be divided.

    >>> statements_of("The bridge opened in 1931 and cost four million crowns.")
    ('The bridge opened in 1931.', 'The bridge cost four million crowns.')
    >>> statements_of("Anna and Paul won the race.")
    ('Anna and Paul won the race.',)
    """
    found = [part for sentence in sentences(claim) for part in _clauses(sentence) if len(content_stems(part)) > 1]
    return tuple(dict.fromkeys(found)) if len(found) > 1 else (claim,)


def _clauses(sentence: str) -> Iterator[str]:
    """The coordinated clauses of a sentence; one that has no subject of its own gets that of the first."""
    main = (
        clause(sentence) if len(sentence.split()) <= LONGEST and "“" not in sentence and '"' not in sentence else None
    )
    if main is None or main.verb in _REPORTING:
        yield sentence
        return
    tokens = tag(sentence)
    opening = f"{main.opening}, " if main.opening else ""
    verb = sentence.rfind(main.predicate)  # a conjunction before it joins words of the subject
    for place, token in enumerate(tokens):
        if token.text.lower() not in _CUT or token.start < verb:
            continue
        left, right = sentence[: token.start], sentence[token.end :].strip()
        if _has_verb(tag(left)) and (
            following := _standing_alone(right, main.subject, opening, tokens[:place], tokens[place + 1 :])
        ):
            yield _sentence(left)
            yield from _clauses(following)
            return
    yield sentence


def _standing_alone(right: str, subject: str, opening: str, before: Sequence[Token], tokens: Sequence[Token]) -> str:
    """The clause after a conjunction as a sentence; empty where it is no clause."""
    if len(tokens) < 3:
        return ""
    first = tokens[0]
    nested = first.tag not in FINITE and any(token.tag in _NESTING for token in before)
    if first.tag in _VERBS and first.text[0].islower() and not nested:
        return _sentence(f"{opening}{subject} {right}")
    if not _has_verb(tokens[1:]) or (own := clause(right)) is None or not own.subject:
        return ""
    if first.text.lower() in _PRONOUNS:
        return _sentence(f"{opening}{subject} {right[len(first.text) :].strip()}")
    # Of two objects, "saws and drills that sell well" or "bread and butter and works", the verb belongs to neither.
    return "" if any(token.tag in _NO_SUBJECT for token in tag(own.subject)) else _sentence(right)


def _has_verb(tokens: Sequence[Token]) -> bool:
    return any(token.tag in FINITE for token in tokens)


def _sentence(text: str) -> str:
    text = text.strip(" ,;")
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")
