"""Hostile inputs for everything that reads what others wrote; ``tests/test_fuzz_targets.py`` runs them."""
