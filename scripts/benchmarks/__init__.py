"""Measurements of speed and quality, each run as ``python -m scripts.benchmarks.NAME --help``."""
