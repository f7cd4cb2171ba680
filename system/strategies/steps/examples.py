"""Annotated claims like the one that is checked, which prompts show (few-shot, as the winner of FEVER-8 has them).

factgraph --claims dev.json --knowledge-store stores/dev --options examples=train.json
"""

from functools import lru_cache
from pathlib import Path

from pydantic import Field

from knowledge_store.bm25.scoring import Bm25
from knowledge_store.settings import Name
from system.averitec.gold import read_gold
from system.case import Case
from system.graph.records import Record
from system.strategies.steps.tasks import Example

EXAMPLES = 10  # of annotated claims that are shown
PAIRS = 10  # of an example, at most


class ExampleOptions(Record):
    """The option of strategies whose prompts show annotated claims."""

    examples: Name = Field("", description="annotated claims (AVeriTeC's train.json), to show the ten most alike")


def examples_like(case: Case) -> tuple[Example, ...]:
    """Return the annotated claims that BM25 ranks highest for the claim, except itself; none without a file of them."""
    file, claim = str(case.settings.options.get("examples", "")), case.claim.text
    if not file:
        return ()
    examples, index = _annotated(file)
    nearest = [examples[place] for place in index.rank(claim, EXAMPLES + 1).positions]
    return tuple(example for example in nearest if example.claim != claim)[:EXAMPLES]


@lru_cache(maxsize=1)
def _annotated(file: str) -> tuple[list[Example], Bm25]:
    examples = []
    for gold in read_gold(Path(file)):
        pairs = tuple((answer.question, answer.full) for answer in gold.answers[:PAIRS])
        examples.append(Example(claim=gold.claim.text, pairs=pairs, label=gold.label))
    return examples, Bm25([example.claim for example in examples])
