"""The tasks of the shared steps, each with its prompt beside it."""
