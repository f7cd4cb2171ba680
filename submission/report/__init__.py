"""The parts of a run that people read: the HTML report, the time report in words, the comparison of two runs."""
