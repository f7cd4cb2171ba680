"""Draw the report's figures as SVG files that stand alone; a page restyles them by their classes.

matplotlib cannot draw these: cells of the confusion table link to their claims, bars name their values, colors follow
the reader's dark mode, and the page's security policy forbids the inline styles that matplotlib writes.
"""

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

import numpy as np

from system.files.texts import repair
from system.graph.records import Label
from system.report.scores import INVALID, SHORT, LabelScores
from system.report.timings import ClaimTiming, TimeReport

INK, MUTED, RULE = "#1f2328", "#6a6f76", "#d9dce0"
LABEL_COLORS = {
    str(Label.SUPPORTED): "#2f7d5b",
    str(Label.REFUTED): "#b0413e",
    str(Label.NOT_ENOUGH_EVIDENCE): "#6b7688",
    str(Label.CONFLICTING): "#b3812a",
}
ACCENT = "#34607f"
STAGE_COLORS = ("#34607f", "#7fa6bf", "#b9cdd8", "#c9a45c", "#e3cf9f", "#8c6d8a", "#c4afc3", "#7b8f6a", "#b7c4a9")
FONT = "Helvetica Neue, Helvetica, Arial, sans-serif"


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """An element; ``content`` is markup already, attribute values are text, ``class_`` and ``-`` spelled with ``_``.

    >>> element("rect", x=1, stroke_width=2, class_="bar")
    '<rect x="1" stroke-width="2" class="bar"/>'
    """
    written = "".join(f' {_name(name)}="{escape(_value(value))}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def text(x: float, y: float, words: str, /, **attributes: object) -> str:
    """A line of text; its color is ink unless ``fill`` says otherwise."""
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
        """Distance from the left edge of the figure."""
        return LEFT + (WIDTH - LEFT - RIGHT) * value / self._across[-1]

    def y(self, value: float) -> float:
        """Distance from the top edge of the figure."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self._up[-1]

    def bar(self, start: float, end: float, low: float, high: float, **attributes: object) -> str:
        """A bar between two values on each axis."""
        place = {"x": self.x(start), "y": self.y(high), "height": self.y(low) - self.y(high)}
        return element("rect", **place, width=max(0.5, self.x(end) - self.x(start) - 0.8), **attributes)

    def mark(self, value: float, words: str, color: str, class_: str, line: int) -> str:
        """A vertical line with words beside it."""
        x, y, right = self.x(value), TOP - 6 - 13 * (1 - line), value > 0.7 * self._across[-1]
        ends = {"x1": x, "x2": x, "y1": y - 8, "y2": HEIGHT - BOTTOM}
        rule = element("line", **ends, stroke=color, class_=f"{class_}-line")
        place = {"text_anchor": "end" if right else "start", "fill": color, "class_": class_, "font_size": 11}
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


BINS = 30
BARS = 80
"""Bars of the stages' figure; of more claims, neighbors in time share one."""


def histogram(report: TimeReport) -> str:
    """Draw a histogram of seconds a claim, by the claims' own clocks."""
    seconds = [claim.seconds for claim in report.claims]
    axis = ticks(max(seconds), 9)
    counts, edges = np.histogram(seconds, bins=BINS, range=(0.0, axis[-1]))
    frame = Frame(axis, ticks(max(4.0, float(counts.max())), 5))
    bars = [
        titled(frame.bar(low, high, 0, count, class_="bar", fill=ACCENT), f"{low:.1f} to {high:.1f} s: {count} claims")
        for count, low, high in zip(counts.tolist(), edges.tolist(), edges[1:].tolist(), strict=False)
        if count
    ]
    marks = [frame.mark(report.run.mean, f"mean {report.run.mean:.1f} s", INK, "ink", 0)]
    title = f"Seconds per claim: mean {report.run.mean:.2f}, longest {report.run.max:.2f}"
    return figure(WIDTH, HEIGHT, title, [*frame.grid("seconds per claim", "claims"), *bars, *marks])


def stages(report: TimeReport) -> str:
    """Seconds by stage, a bar for each claim or for neighbors in time, fastest first; the line is wall time."""
    names = list(report.run.stages)
    order = sorted(report.claims, key=lambda claim: claim.seconds)
    groups = [[order[i] for i in part] for part in np.array_split(np.arange(len(order)), min(BARS, len(order)))]
    heights = [[_mean(group, name) for name in names] for group in groups]
    top = max(max(map(sum, heights)), report.run.max)
    frame = Frame([0.0, float(len(groups))], ticks(top, 5))
    bars = [bar for number, parts in enumerate(heights) for bar in _stack(frame, number, names, parts)]
    wall = [float(np.mean([claim.seconds for claim in group])) for group in groups]
    line = " ".join(f"{frame.x(number + 0.5):.1f},{frame.y(value):.1f}" for number, value in enumerate(wall))
    path = element("polyline", points=line, fill="none", stroke=INK, stroke_width=1.5, class_="ink-line")
    what = "claims, fastest first" if len(groups) == len(order) else f"{len(order)} claims, fastest first, in groups"
    parts = [*frame.grid(what, "seconds", numbers=False), *bars, path, *_legend(names)]
    legend_rows = -(-(len(names) + 1) // 6)
    return figure(WIDTH, HEIGHT + 20 * legend_rows, "Seconds by stage", parts)


def _mean(group: Sequence[ClaimTiming], stage: str) -> float:
    return float(np.mean([claim.stages.get(stage, 0.0) for claim in group]))


def _stack(frame: Frame, number: int, names: Sequence[str], parts: Sequence[float]) -> list[str]:
    bars, base = [], 0.0
    for place, (name, value) in enumerate(zip(names, parts, strict=True)):
        if value:
            bar = frame.bar(number + 0.08, number + 0.92, base, base + value, **_stage_style(place))
            bars.append(titled(bar, f"{name}: {value:.2f} s"))
            base += value
    return bars


def _stage_style(place: int) -> dict[str, object]:
    number = place % len(STAGE_COLORS)
    return {"class_": f"stage-{number}", "fill": STAGE_COLORS[number]}


def _legend(names: Sequence[str]) -> list[str]:
    parts = []
    for place, name in enumerate([*names, "wall time"]):
        x, y = LEFT + 84 * (place % 6), HEIGHT + 20 * (place // 6) + 4
        if place < len(names):
            parts.append(element("rect", x=x, y=y - 9, width=10, height=10, **_stage_style(place)))
        else:
            parts.append(element("rect", x=x, y=y - 5, width=10, height=1.5, class_="ink", fill=INK))
        parts.append(text(x + 15, y, name, font_size=11))
    return parts


def confusion(scores: LabelScores) -> str:
    """Gold labels down, predicted labels across; each cell links to its claims in the report."""
    columns = [*scores.labels, *([INVALID] if scores.invalid else [])]
    left, top, width, height = 190, 46, 78, 40
    parts = [
        text(left + width * (place + 0.5), top - 10, SHORT.get(name, name), text_anchor="middle")
        for place, name in enumerate(columns)
    ]
    parts.append(text(left + width * len(columns) / 2, 14, "predicted", text_anchor="middle", **QUIET))
    for line, (gold, row) in enumerate(scores.confusion.items()):
        y = top + height * line
        parts.append(text(left - 12, y + height / 2 + 4, gold.replace(" Evidence/", " / "), text_anchor="end"))
        total = sum(row.values())
        for place, name in enumerate(columns):
            parts.append(_cell(left + width * place, y, width, height, gold, name, row[name], total))
    size = left + width * len(columns) + 6, top + height * len(scores.confusion) + 6
    return figure(*size, f"Confusion of labels over {scores.claims} claims", parts)


def _cell(x: float, y: float, width: float, height: float, gold: str, name: str, count: int, total: int) -> str:
    share = count / total if total else 0.0
    color = LABEL_COLORS["Supported"] if gold == name else LABEL_COLORS["Refuted"]
    rect = element(
        "rect",
        **{"x": x + 1, "y": y + 1, "width": width - 2, "height": height - 2, "rx": 2, "fill": color},
        fill_opacity=0.06 + 0.74 * share,
        class_="hit" if gold == name else "miss",
    )
    dark = share > 0.5
    label = text(
        x + width / 2, y + height / 2 + 5, str(count), text_anchor="middle", font_size=14, fill="#fff" if dark else INK,
        class_="on-color" if dark else "ink",
    )  # fmt: skip
    title = f"{gold}, predicted {name}: {count} of {total}"
    link = f"#claims?gold={quote(gold, safe='')}&label={quote(name, safe='')}"
    return element("a", titled(rect + label, title), href=link, aria_label=title) if count else titled(rect, title)
