"""Answer a question from one passage (section 3.2.3)."""

from knowledge_store.pages.page import Passage
from system.graph.records import AnswerType, Source
from system.tasks.base import Adapter, Reply, Task, Text


class AnswerReply(Reply):
    """Where the answer was found, of what type it is, and the answer."""

    source: Source
    type: AnswerType
    answer: Text


class AnswerQuestion(Task[AnswerReply]):
    """Answer a question from one passage or from the metadata (section 3.2.3)."""

    name = "answer_question"
    adapter = Adapter.QUESTION_ANSWERING
    reply_type = AnswerReply
    max_tokens = 256

    question: str
    passage: Passage
