"""Everything that leaves the system: predictions, the leaderboard's CSV, its validation, scores and the time report.

Knows the record types of ``system.graph.records`` and nothing else of the engine, except ``ev2r.judge``, which makes
judges of the engine's models. All functions that read or write files, or are given too little to score, raise
``SubmissionError`` (for claims ``ClaimsError``, for journals ``JournalError``); it names file, place and remedy.
"""
