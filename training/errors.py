"""What stops a training command."""


class TrainingError(Exception):
    """A training command cannot go on; the message names what was wrong, what was expected and the remedy."""
