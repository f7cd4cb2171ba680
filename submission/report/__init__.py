"""What a person reads of a run: the HTML report, the time report in words, the comparison of two runs."""
