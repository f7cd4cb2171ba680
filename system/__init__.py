"""The engine: graph, operations, strategies, models, runner and command line."""

__version__ = "0.1.0"
