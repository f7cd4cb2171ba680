"""Text that survives the submission formats."""

import re

SEPARATOR_RUN = re.compile(r"\t{2,}\n+")


def repair(text: str) -> str:
    """Text that UTF-8 can carry: surrogate pairs joined, lone surrogates become U+FFFD, NULs go.

    >>> repair("a\\ud83d\\ude00 b\\ud800 c\\0")
    'a😀 b\ufffd c'
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")


def clean(text: str) -> str:
    """Text that may stand as a question or an answer: repaired, stripped, with no separator inside.

    The official scorer splits evidence at two tabs followed by one or two newlines, so such a run becomes a single
    newline. Carriage returns become newlines first, lest a separator hide behind one.

    >>> clean(" first\\t\\t\\r\\n\\r\\nsecond\\n")
    'first\\nsecond'
    """
    text = repair(text).replace("\r\n", "\n").replace("\r", "\n")
    return SEPARATOR_RUN.sub("\n", text).strip()


def same_text(one: str, other: str) -> bool:
    """Whether two texts differ in nothing but white space and what ``repair`` changes."""
    return repair(one).split() == repair(other).split()
