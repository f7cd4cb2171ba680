"""Benchmarks, simulations and measurements, each run from the root: ``python -m scripts.NAME``."""
