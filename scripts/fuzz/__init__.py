"""Fuzzing of everything that reads what others wrote: ``python -m scripts.fuzz TARGET --seconds N``."""
