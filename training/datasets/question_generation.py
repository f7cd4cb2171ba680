"""Question generation: each gold question, given the pairs before it (section 3.2.1)."""

from collections.abc import Iterator, Sequence

from system.gold import GoldClaim
from system.tasks.ask_question import AskQuestion, QuestionReply
from system.tasks.base import Adapter
from training.datasets.pairs import gold_pairs
from training.datasets.samples import DataSet, Drops, Sample


def question_generation(claims: Sequence[GoldClaim]) -> DataSet:
    """A sample for each question: the first without context, question i + 1 with the i pairs before it."""
    samples = [sample for annotated in claims for sample in _samples(annotated)]
    return DataSet(Adapter.QUESTION_GENERATION, samples, Drops(), {})


def _samples(annotated: GoldClaim) -> Iterator[Sample]:
    pairs = gold_pairs(annotated)
    for place, pair in enumerate(pairs):
        yield Sample(
            id=f"question-{annotated.claim.id}-{place + 1}",
            label=annotated.label,
            task=AskQuestion(claim=annotated.claim, context=pairs[:place], index=0, seed_passages=()),
            reply=QuestionReply(question=pair.question),
            kind="next question" if place else "first question",
        )
