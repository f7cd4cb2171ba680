"""Statements as clauses and as questions, and all questions that are asked about a claim without a model."""

import re
from itertools import groupby

from system.graph.records import Claim
from system.text.quantities import NUMBER_WORDS
from system.text.words import STOP_WORDS, sentences, words

WHEN, WHERE = "When was the claim made?", "Where was the claim first published?"
QUOTES = "\"'“”‘’"

_OTHERS = "another every everyone fewer half less nearly nobody none nothing part since"
_NO_NAME = STOP_WORDS - {"i", "may", "will"} | NUMBER_WORDS | {*_OTHERS.split()}
_PIECE = re.compile(r"\w[\w’'&.,-]*\w|\S")
_NAME = re.compile(r"[A-Z][\w’'&-]*(?: [A-Z][\w’'&-]*)+|\b[A-Z]{2,}\b")


def clause_of(statement: str) -> str:
    """A statement as it stands behind *that*.

    >>> clause_of("The water is wet."), clause_of("Oslo is wet.")
    ('the water is wet', 'Oslo is wet')
    """
    text = statement.rstrip(".?!… ")
    first = text.split(" ")[0]
    return text[0].lower() + text[1:] if first.istitle() and first.lower() in _NO_NAME else text


def question_of_statement(statement: str) -> str:
    """A statement as the plainest question about it.

    >>> question_of_statement("The water is wet.")
    'Is it true that the water is wet?'
    """
    return f"Is it true that {clause_of(statement)}?"


def topics_of(statement: str) -> list[str]:
    """What a statement is about: its longest name, then other runs of content words as quotations, longest first.

    >>> topics_of("The mayor of Leeds sold New Mill House to a Swiss bank, for the second time.")
    ['New Mill House', '“second time”', '“Swiss bank”']
    """
    name = max(_NAME.findall(clause_of(statement)), key=len, default="")
    pieces = groupby(_PIECE.findall(statement), lambda one: one.lower() in STOP_WORDS or not one[0].isalnum())
    runs = {" ".join(run) for is_gap, run in pieces if not is_gap}
    others = [run for run in runs if " " in run and not (name and name in run)]
    others.sort(key=lambda run: (-len(run), run))
    return [name] * bool(name) + [f"“{run}”" for run in others]


def questions(claim: Claim) -> list[str]:
    """Return questions about a claim, the most telling first.

    >>> questions(Claim("The Aster Bridge has many loose rivets."))[:2]
    ['Is it true that the Aster Bridge has many loose rivets?', 'What is known about Aster Bridge and “loose rivets”?']
    """
    statement = core(claim.text)
    topics = topics_of(statement)
    both = " and ".join(topics[:2]) or "this"
    found = [question_of_statement(statement)]
    if claim.speaker:
        found.append(f"What did {claim.speaker.strip()} say about {both}?")
    found += [f"What is known about {topic}?" for topic in dict.fromkeys([both, *topics])]
    found += [f"What evidence is there that {clause_of(statement)}?", WHERE]
    return [*found, WHEN] if claim.date else found


def core(text: str) -> str:
    """Return the sentence that carries a claim, without quotation marks around it and whitespace within.

    >>> core('“Wow!  The [new] law passed in May.”')
    'The new law passed in May'
    """
    text = " ".join(text.replace("[", "").replace("]", "").split())
    if text[:1] in QUOTES and text.rstrip(".… ")[-1:] in QUOTES:
        text = text.strip(f"{QUOTES}.… ")
    return next((sentence for sentence in sentences(text) if len(words(sentence)) > 4), text).rstrip(" .!?…")
