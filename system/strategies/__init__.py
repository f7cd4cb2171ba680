"""Strategies: short functions over operations that read like the figures of their papers."""
