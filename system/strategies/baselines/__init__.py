"""Baselines: single agents, votes, cooperation, the shared task's own."""
