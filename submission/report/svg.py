"""Figures as SVG that stands alone: attributes carry the colours of print, and by its classes a page restyles it."""

from collections.abc import Iterable
from html import escape

from submission.text import repair
from system.records import Label

INK, MUTED, RULE, PAPER = "#1f2328", "#6a6f76", "#d9dce0", "#ffffff"
LABEL_COLOURS = {
    str(Label.SUPPORTED): "#2f7d5b",
    str(Label.REFUTED): "#b0413e",
    str(Label.NOT_ENOUGH_EVIDENCE): "#6b7688",
    str(Label.CONFLICTING): "#b3812a",
}
ACCENT = "#34607f"
STAGE_COLOURS = ("#34607f", "#7fa6bf", "#b9cdd8", "#c9a45c", "#e3cf9f", "#8c6d8a", "#c4afc3", "#7b8f6a", "#b7c4a9")
FONT = "Helvetica Neue, Helvetica, Arial, sans-serif"


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """An element; ``content`` is markup already, attribute values are text, ``class_`` and ``-`` spelt with ``_``.

    >>> element("rect", x=1, stroke_width=2, class_="bar")
    '<rect x="1" stroke-width="2" class="bar"/>'
    """
    written = "".join(f' {_name(name)}="{escape(_value(value))}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def text(x: float, y: float, words: str, /, **attributes: object) -> str:
    """A line of text, ink-coloured unless told otherwise."""
    return element("text", escape(repair(words)), **{"x": x, "y": y, "fill": INK, "class_": "ink", **attributes})


def titled(content: str, title: str) -> str:
    """A group that shows ``title`` when it is pointed at."""
    return element("g", element("title", escape(repair(title))) + content)


def figure(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """A whole figure; ``title`` is what a screen reader says."""
    return element(
        "svg",
        element("title", escape(repair(title))) + "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        width=width,
        height=height,
        role="img",
        font_family=FONT,
        font_size=12,
        class_="figure",
    )


def ticks(largest: float, wanted: int = 6) -> list[float]:
    """Round numbers from 0 that reach ``largest``, about as many as wanted.

    >>> ticks(37)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    rough = max(largest, 1e-9) / (wanted - 1)
    magnitude = 10.0 ** _exponent(rough)
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    count = -int(-largest // step)
    return [round(step * number, 10) for number in range(max(count, 1) + 1)]


def _exponent(number: float) -> int:
    return int(f"{number:e}".split("e")[1])


def _name(name: str) -> str:
    return name if name == "viewBox" else name.rstrip("_").replace("_", "-")


def _value(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
