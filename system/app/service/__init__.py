"""The service: claims over HTTP, one at a time, with the graph followed as it grows; ``python -m system serve``."""
