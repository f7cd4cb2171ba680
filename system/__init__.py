"""The engine: graph, operations, strategies, models, runner and command line."""
