"""The engine: graph, strategies, models and runner. ``import factgraph`` is its public interface."""

__version__ = "0.1.0"
