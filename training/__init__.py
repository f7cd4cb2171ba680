"""Data sets and training of what the system learns."""


class TrainingError(Exception):
    """A training command cannot continue; the message names what was wrong, what was expected and the remedy."""
