"""Replies of an agent that takes a turn in a conversation."""

from system.tasks.base import Reply, Text


class ArgumentReply(Reply):
    """An argument and the numbers (from 1) of the passages that it cites; none where none is on its side."""

    argument: Text
    citations: list[int]
