"""Draw figures as SVG files that stand alone; a page restyles them by their classes.

matplotlib cannot draw these: bars name their values, colors follow the reader's dark mode, and the page's security
policy forbids the inline styles that matplotlib writes.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import floor, log10

import numpy as np

from system.files.texts import repair
from system.graph.records import Label
from system.report.timings import TimeReport

INK, MUTED, RULE = "#1f2328", "#6a6f76", "#d9dce0"
LABEL_COLORS = {
    str(Label.SUPPORTED): "#2f7d5b",
    str(Label.REFUTED): "#b0413e",
    str(Label.NOT_ENOUGH_EVIDENCE): "#6b7688",
    str(Label.CONFLICTING): "#b3812a",
}
ACCENT = "#34607f"
FONT = "Helvetica Neue, Helvetica, Arial, sans-serif"


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """Return an element; ``content`` is markup, attribute values are text, ``class_`` and ``-`` are spelled with ``_``.

    >>> element("rect", x=1, stroke_width=2, class_="bar")
    '<rect x="1" stroke-width="2" class="bar"/>'
    """
    written = "".join(f' {_name(name)}="{escape(_value(value))}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def text(x: float, y: float, words: str, /, **attributes: object) -> str:
    """Return a line of text; its color is ink unless ``fill`` says otherwise."""
    return element("text", escape(repair(words)), **{"x": x, "y": y, "fill": INK, "class_": "ink", **attributes})


def titled(content: str, title: str) -> str:
    """Return a group that shows ``title`` when it is pointed at."""
    return element("g", element("title", escape(repair(title))) + content)


def figure(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Return a whole figure; ``title`` is what a screen reader says."""
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
    """Return round numbers from 0 that reach ``largest``, about as many as wanted.

    >>> ticks(37)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    rough = max(largest, 1e-9) / (wanted - 1)
    magnitude = 10.0 ** floor(log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    count = -int(-largest // step)
    return [round(step * number, 10) for number in range(max(count, 1) + 1)]


def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _value(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


WIDTH, HEIGHT = 560, 250
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 40, 40
QUIET: dict[str, object] = {"fill": MUTED, "class_": "muted", "font_size": 11}
"""Attributes of a text that stands back."""


class Frame:
    """Axes from 0, and where a value stands between them."""

    def __init__(self, across: Sequence[float], up: Sequence[float]) -> None:
        self._across, self._up = across, up

    def x(self, value: float) -> float:
        """Return the distance from the left edge of the figure."""
        return LEFT + (WIDTH - LEFT - RIGHT) * value / self._across[-1]

    def y(self, value: float) -> float:
        """Return the distance from the top edge of the figure."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self._up[-1]

    def bar(self, start: float, end: float, high: float) -> str:
        """Return a bar that stands between two values."""
        width = max(0.5, self.x(end) - self.x(start) - 0.8)
        place = {"x": self.x(start), "y": self.y(high), "height": self.y(0) - self.y(high), "width": width}
        return element("rect", **place, class_="bar", fill=ACCENT)

    def mark(self, value: float, words: str) -> str:
        """Return a vertical line with words beside it."""
        x, y, right = self.x(value), TOP - 19, value > 0.7 * self._across[-1]
        rule = element("line", x1=x, x2=x, y1=y - 8, y2=HEIGHT - BOTTOM, stroke=INK, class_="ink-line")
        return rule + text(x + (-5 if right else 5), y, words, text_anchor="end" if right else "start", font_size=11)

    def grid(self, across: str, up: str) -> list[str]:
        """Return axes with their numbers and names."""
        end = WIDTH - RIGHT
        parts = []
        for value in self._up:
            y = self.y(value)
            parts.append(element("line", x1=LEFT, x2=end, y1=y, y2=y, stroke=RULE, class_="rule"))
            parts.append(text(LEFT - 6, y + 4, f"{value:g}", text_anchor="end", **QUIET))
        for value in self._across:
            parts.append(text(self.x(value), HEIGHT - BOTTOM + 15, f"{value:g}", text_anchor="middle", **QUIET))
        parts.append(text(end, HEIGHT - BOTTOM + 30, across, text_anchor="end", **QUIET))
        parts.append(text(LEFT, TOP - 12, up, **QUIET))
        return parts


BINS = 30


def histogram(report: TimeReport) -> str:
    """Draw a histogram of seconds a claim, by the claims' own clocks."""
    seconds = [claim.seconds for claim in report.claims]
    axis = ticks(max(seconds), 9)
    counts, edges = np.histogram(seconds, bins=BINS, range=(0.0, axis[-1]))
    frame = Frame(axis, ticks(max(4.0, float(counts.max())), 5))
    bars = [
        titled(frame.bar(low, high, count), f"{low:.1f} to {high:.1f} s: {count} claims")
        for count, low, high in zip(counts.tolist(), edges.tolist(), edges[1:].tolist(), strict=False)
        if count
    ]
    mean = frame.mark(report.run.mean, f"mean {report.run.mean:.1f} s")
    title = f"Seconds per claim: mean {report.run.mean:.2f}, longest {report.run.max:.2f}"
    return figure(WIDTH, HEIGHT, title, [*frame.grid("seconds per claim", "claims"), *bars, mean])
