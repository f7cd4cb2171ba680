"""Figures: well-formed, complete, and true to the numbers."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from system.graph.records import Claim
from system.report.charts import histogram, ticks
from system.report.timings import time_report
from tests.helpers.report_factories import FACTS, TEXT, graph_of, result_of

SVG = "{http://www.w3.org/2000/svg}"
RESULT = result_of(Claim(id=0, text=TEXT), graph_of(Claim(id=0, text=TEXT)))


def report(*seconds):
    results = [
        RESULT.model_copy(update={"timing": RESULT.timing.model_copy(update={"seconds": one})}) for one in seconds
    ]
    return time_report(results, FACTS)


def titles(svg):
    return [title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]


@given(st.lists(st.floats(0.01, 500), min_size=1, max_size=30))
def test_the_bars_of_the_histogram_hold_every_claim(seconds):
    bars = [title for title in titles(histogram(report(*seconds))) if title.endswith("claims")]
    assert sum(int(bar.split(": ")[1].split()[0]) for bar in bars) == len(seconds)


@given(st.floats(1e-6, 1e7))
def test_ticks_start_at_zero_and_reach_the_largest(largest):
    marks = ticks(largest)
    assert marks[0] == 0.0
    assert marks[-1] >= largest * (1 - 1e-9)
    assert 2 <= len(marks) <= 7
