"""Draw a run's seconds as an SVG file that stands alone; a page restyles it by its classes.

matplotlib cannot draw it: bars name their values, colors follow the reader's dark mode, and the page's security policy
forbids the inline styles that matplotlib writes.
"""

from math import floor, log10

import numpy as np

from system.report.page import environment
from system.report.timings import TimeReport

LEFT, RIGHT, TOP, BOTTOM = 44, 546, 40, 210  # of the axes in templates/seconds.svg
BINS = 30


def histogram(report: TimeReport) -> str:
    """Draw a histogram of seconds a claim, by the claims' own clocks."""
    seconds = [claim.seconds for claim in report.claims]
    across = ticks(max(seconds), 9)
    counts, edges = np.histogram(seconds, bins=BINS, range=(0.0, across[-1]))
    up = ticks(max(4.0, float(counts.max())), 5)

    def x(value: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * value / across[-1], 2)

    def y(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * value / up[-1], 2)

    bars = [
        (x(low), y(count), max(0.5, x(high) - x(low) - 0.8), f"{low:.1f} to {high:.1f} s: {count} claims")
        for count, low, high in zip(counts.tolist(), edges.tolist(), edges[1:].tolist(), strict=False)
        if count
    ]
    template = environment().get_template("seconds.svg")
    return template.render(
        across=[(x(value), f"{value:g}") for value in across],
        up=[(y(value), f"{value:g}") for value in up],
        bars=bars,
        mean=x(report.run.mean),
        run=report.run,
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
