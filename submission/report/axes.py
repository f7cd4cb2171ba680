"""The axes of the report's figures."""

from collections.abc import Sequence

from submission.report.svg import MUTED, RULE, element, text

WIDTH, HEIGHT = 560, 250
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 40, 40
QUIET: dict[str, object] = {"fill": MUTED, "class_": "muted", "font_size": 11}
"""Attributes of a text that stands back."""


class Frame:
    """Axes from 0, and where a value stands between them."""

    def __init__(self, across: Sequence[float], up: Sequence[float]) -> None:
        self._across, self._up = across, up

    def x(self, value: float) -> float:
        """Distance from the left edge of the figure."""
        return LEFT + (WIDTH - LEFT - RIGHT) * value / self._across[-1]

    def y(self, value: float) -> float:
        """Distance from the top edge of the figure."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self._up[-1]

    def bar(self, start: float, end: float, low: float, high: float, **attributes: object) -> str:
        """A bar between two values on each axis."""
        place = {"x": self.x(start), "y": self.y(high), "height": self.y(low) - self.y(high)}
        return element("rect", **place, width=max(0.5, self.x(end) - self.x(start) - 0.8), **attributes)

    def mark(self, value: float, words: str, colour: str, class_: str, line: int) -> str:
        """A vertical line with words beside it."""
        x, y, right = self.x(value), TOP - 6 - 13 * (1 - line), value > 0.7 * self._across[-1]
        ends = {"x1": x, "x2": x, "y1": y - 8, "y2": HEIGHT - BOTTOM}
        rule = element("line", **ends, stroke=colour, class_=f"{class_}-line")
        place = {"text_anchor": "end" if right else "start", "fill": colour, "class_": class_, "font_size": 11}
        return rule + text(x + (-5 if right else 5), y, words, **place)

    def grid(self, across: str, up: str, numbers: bool = True) -> list[str]:
        """Axes with their numbers and names."""
        end = WIDTH - RIGHT
        parts = []
        for value in self._up:
            y = self.y(value)
            parts.append(element("line", x1=LEFT, x2=end, y1=y, y2=y, stroke=RULE, class_="rule"))
            parts.append(text(LEFT - 6, y + 4, f"{value:g}", text_anchor="end", **QUIET))
        for value in self._across if numbers else ():
            parts.append(text(self.x(value), HEIGHT - BOTTOM + 15, f"{value:g}", text_anchor="middle", **QUIET))
        parts.append(text(end, HEIGHT - BOTTOM + (30 if numbers else 15), across, text_anchor="end", **QUIET))
        parts.append(text(LEFT, TOP - 12, up, **QUIET))
        return parts
