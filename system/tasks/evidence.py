"""The base of the tasks over a body of evidence: what all agents of a debate, a team or a vote read first."""

from typing import Generic

from knowledge_store.pages.page import Passage
from system.records import QuestionAnswer
from system.tasks.base import R, Task


class EvidenceTask(Task[R], Generic[R]):
    """Base of the tasks over a body of evidence.

    Claim, questions and passages stand first in the prompt and alike for all of them, so that a prefix cache reads
    them once for a whole debate; what only one speaker is told comes last.

    Attributes:
        pairs: the questions that were asked, with their answers.
        evidence: the passages that may be cited, by their number from 1.
    """

    pairs: tuple[QuestionAnswer, ...]
    evidence: tuple[Passage, ...]
