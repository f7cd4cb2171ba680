"""Statements as clauses and as questions.

question_of_statement("The water is wet.")
"""

import re
from itertools import groupby

from system.text.words import STOP_WORDS

_NO_NAME = re.compile(
    r"(?:An?|The|These|This|That|Those|It|S?[Hh]e|They|We|You|There|My|Our|Your|His|Her|Its|Their|[IO]n|At|Of|For|From"
    r"|With|By|To|As|If|When|While|During|Since|After|Before|Between|Under|Over|No|Not|None|Nobody|Nothing|All|Every\w*"
    r"|Each|Both|Some|Most|Many|More|Few|Fewer|Less|Only|Nearly|About|Half|Part|Another|One|Two|Three|Four|Five|Six"
    r"|Seven|Eight|Nine|Ten)\b"
)
_PIECE = re.compile(r"\w[\w’'&.,-]*\w|\S")
_NAME = re.compile(r"[A-Z][\w’'&-]*(?: [A-Z][\w’'&-]*)+|\b[A-Z]{2,}\b")


def clause_of(statement: str) -> str:
    """A statement as it stands behind *that*.

    >>> clause_of("The water is wet."), clause_of("Oslo is wet.")
    ('the water is wet', 'Oslo is wet')
    """
    text = statement.rstrip(".?!… ")
    return text[0].lower() + text[1:] if _NO_NAME.match(text) else text


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
    others = sorted(
        (run for run in runs if " " in run and not (name and name in run)), key=lambda run: (-len(run), run)
    )
    return [name] * bool(name) + [f"“{run}”" for run in others]
