"""RAG: an ordinary reply about the bridge, and the task with all that its prompt can show."""

from pathlib import Path

from knowledge_store.pages.page import Passage
from system.graph.records import Claim, Label, QuestionAnswer
from system.strategies.rag.tasks import CitedPair, Ratings, SourcesReply, WeighSources
from system.strategies.steps.tasks import Example, WebSource
from system.tasks.base import Reply, Task
from tests.helpers.scripted import Line

_ANNOTATED = Path(__file__).parents[3] / "system" / "examples" / "claims.json"
RUNS = {"options.examples": (str(_ANNOTATED), {"strategy": "rag"})}
ORDINARY = SourcesReply(
    pairs=(
        CitedPair(question="When did the bridge open?", answer="In 1932.", source=1),
        CitedPair(question="Who opened it?", answer="The mayor.", source=99),
    ),
    justification="A history says 1932.",
    ratings=Ratings(supported=5, refuted=1, not_enough_evidence=1, conflicting_evidence=1),
    label=Label.SUPPORTED,
)


def reply_to(task: Task) -> Line:
    """The ordinary reply to the task; None to one of another strategy."""
    return ORDINARY if isinstance(task, WeighSources) else None


def tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """The task by its names, in both forms that its prompt has."""
    bare = WebSource(passage=evidence[0], before="", after="", date="")
    whole = WebSource(passage=evidence[-1], before="It was built.", after="It stands.", date="2020-11-03")
    example = Example(claim=claim.text, pairs=((pair.question, pair.answer),), label=Label.REFUTED)
    return {
        "weigh sources": WeighSources(claim=claim, sources=(bare, whole), examples=(example,)),
        "weigh no sources": WeighSources(claim=claim, sources=(), examples=()),
    }
