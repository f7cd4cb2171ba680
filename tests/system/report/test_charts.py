"""The figure of a run's seconds: well-formed, and true to the numbers."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from system.report.charts import histogram
from system.report.timings import time_report
from tests.helpers.report_factories import FACTS
from tests.helpers.submission_factories import result


@given(st.lists(st.floats(1e-6, 1e7), min_size=1, max_size=30))
def test_the_bars_of_the_histogram_hold_every_claim(seconds):
    drawn = ElementTree.fromstring(histogram(time_report([result(seconds=one) for one in seconds], FACTS)))
    titles = [title.text for title in drawn.iter("{http://www.w3.org/2000/svg}title")]
    bars = [title for title in titles if title.endswith("claims")]
    assert sum(int(bar.split(": ")[1].split()[0]) for bar in bars) == len(seconds)
