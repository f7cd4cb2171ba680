"""Statements as clauses and as questions."""

import re
from itertools import groupby

from system.text.quantities import NUMBER_WORDS
from system.text.words import STOP_WORDS

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
