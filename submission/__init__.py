"""Everything that leaves the system: predictions, the leaderboard's CSV, its validation, scores and the time report.

Knows the record types of ``system.graph.records`` and nothing else of the engine, but for ``ev2r.models``, which makes
judges of the engine's models.
"""
