"""The commands of ``factgraph``: a module each, with a ``parser`` of its options and the ``command`` itself."""
