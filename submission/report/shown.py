"""Text as a person should see it: nothing in it may reorder or hide what stands around it."""

import re

from submission.text import repair
from system.records import Label

# Controls that change the direction of the text around them; marks of single letters (U+200E, U+200F) are left.
DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
SLUGS = {
    str(Label.SUPPORTED): "supported",
    str(Label.REFUTED): "refuted",
    str(Label.NOT_ENOUGH_EVIDENCE): "not-enough",
    str(Label.CONFLICTING): "conflicting",
}


def visible(text: str) -> str:
    """Text with its direction controls spelt out, and what no document may hold replaced.

    >>> visible("safe\\u202egpj.exe\\x07")
    'safe‹U+202E›gpj.exe\\ufffd'
    """
    spelt = DIRECTION.sub(lambda match: f"‹U+{ord(match[0]):04X}›", repair(text))
    return CONTROL.sub("\ufffd", spelt)


def slug(label: str) -> str:
    """The class that colours a label; of any other text, that of no label.

    >>> slug("Refuted"), slug("refuted")
    ('refuted', 'other')
    """
    return SLUGS.get(label, "other")


def seconds(value: float) -> str:
    """Seconds as they are written in the report.

    >>> seconds(3.14159), seconds(1234.5)
    ('3.1 s', '1,234.5 s')
    """
    return f"{value:,.1f} s"
