"""Consultancy, and debate in the same frame (Rahman et al., 2025)."""
