"""Ask the next question about a claim (section 3.2.1)."""

from system.graph.records import QuestionAnswer
from system.tasks.base import Adapter, Reply, Task, Text


class QuestionReply(Reply):
    """One question."""

    question: Text


class AskQuestion(Task[QuestionReply]):
    """Ask the next question about a claim (section 3.2.1).

    Attributes:
        context: questions and answers of the branch so far, oldest first; empty for a first question.
        index: which of several alternatives is wanted, from 0; a language model samples it with a seed of its own.
        asked: questions that must not be asked again; named only where one was.
    """

    name = "ask_question"
    adapter = Adapter.QUESTION_GENERATION
    reply_type = QuestionReply
    max_tokens = 128

    context: tuple[QuestionAnswer, ...]
    index: int
    asked: tuple[str, ...] = ()

    def variant(self, models: int) -> int:
        """See ``Task.variant``."""
        return self.index
