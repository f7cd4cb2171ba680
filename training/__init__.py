"""Data sets and training of what the system learns.

A command that cannot go on raises ``TrainingError``, or the exception of the part of the engine that fails;
``training.commands`` prints its message, which names what was wrong, what was expected and the remedy.
"""


class TrainingError(Exception):
    """A training command cannot continue."""
