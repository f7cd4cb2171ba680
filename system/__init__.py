"""The engine: graph, operations, strategies, models and runner; ``factgraph`` is its public face."""

__version__ = "0.1.0"
