"""Options that strategies share, and annotated claims like the one that is checked (few-shot, as FEVER-8's winner).

factgraph --claims dev.json --knowledge-store stores/dev --options examples=train.json surroundings=yes
"""

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from knowledge_store.bm25.scoring import Bm25
from knowledge_store.settings import Name
from system.averitec.gold import read_gold
from system.case import Case
from system.graph.records import Record
from system.strategies.steps.tasks import Example

EXAMPLES = PAIRS = 10  # annotated claims that are shown, and pairs of each, at most


class ExampleOptions(Record):
    """The option of strategies whose prompts show annotated claims."""

    examples: Annotated[Name, AfterValidator(lambda file: _annotated(file) and file)] = Field(  # a wrong one is refused
        "", description="annotated claims (AVeriTeC's train.json), to show the ten most alike"
    )


class GotOptions(ExampleOptions):
    """What can be set for ``got`` alone."""

    hypothetical: int = Field(
        0, ge=0, le=100, description="passages to write on the claim and to average with each question's vector"
    )
    relevance: float = Field(1, ge=0, le=1, description="weight of a passage's nearness against its novelty")
    surroundings: bool = Field(False, description="show passages with address, date and the text around them")


def got_options(case: Case) -> GotOptions:
    """Return the options of ``got``, as they were given or by default; other strategies take its steps too."""
    given = case.settings.options
    return GotOptions.model_validate({name: given[name] for name in GotOptions.model_fields.keys() & given})


def examples_like(case: Case) -> tuple[Example, ...]:
    """Return the annotated claims that BM25 ranks highest for the claim, except itself; none without a file of them."""
    claim = case.claim.text
    examples, index = _annotated(got_options(case).examples)
    nearest = [examples[place] for place in index.rank(claim, EXAMPLES + 1).positions]
    return tuple(example for example in nearest if example.claim != claim)[:EXAMPLES]


@lru_cache(maxsize=1)
def _annotated(file: str) -> tuple[list[Example], Bm25]:
    examples = []
    for gold in read_gold(Path(file)) if file else ():
        pairs = tuple((answer.question, answer.full) for answer in gold.answers[:PAIRS])
        examples.append(Example(claim=gold.claim.text, pairs=pairs, label=gold.label))
    return examples, Bm25([example.claim for example in examples])
