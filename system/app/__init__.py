"""The application: the ``factgraph`` command, and the service."""
