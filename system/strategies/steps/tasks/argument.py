"""Turns of agents in a conversation over a body of evidence."""

from system.graph.thoughts import Argument, Speaker
from system.tasks.base import EvidenceTask, Reply, Text


class ArgumentReply(Reply):
    """An argument and the numbers (from 1) of the passages that it cites; none where none is on its side."""

    argument: Text
    citations: list[int]


class Speech(EvidenceTask[ArgumentReply]):
    """Base of the tasks of speakers.

    Attributes:
        side: that is argued for.
        transcript: what was said so far; empty for the opening.
    """

    reply_type = ArgumentReply
    max_tokens = 512

    side: Speaker
    transcript: tuple[Argument, ...]
