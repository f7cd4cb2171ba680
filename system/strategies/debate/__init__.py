"""Debate (DebateCV; He et al., 2026): two sides and a moderator."""
