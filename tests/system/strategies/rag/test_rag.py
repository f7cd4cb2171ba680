"""RAG with a scripted model: what it reads, what its graph holds, and what a claim gets when the model fails."""

import pytest

from system.graph.records import Label, QuestionAnswer
from system.graph.thoughts import Evidence
from system.models.prompting import render
from system.strategies.rag.tasks import WeighSources
from tests.helpers.bridge import BROKEN, PAGES, asked, ran
from tests.helpers.by_strategy.rag import ORDINARY

FAR = [("https://news.example/2021/03/04/aster", f"The Aster bridge was painted in {year}.") for year in range(60)]


def test_one_prompt_gives_pairs_and_a_verdict(make_case):
    case, outcome = ran(make_case(strategy="rag"))
    assert (outcome.verdict.label, outcome.verdict.justification) == (Label.SUPPORTED, "A history says 1932.")
    (task,) = asked(case, WeighSources)
    first = task.sources[0].passage
    assert [(pair.question, pair.answer, pair.urls) for pair in outcome.pairs] == [
        ("When did the bridge open?", "In 1932.", (first.url,))  # the pair without a source is left out
    ]
    (merged,) = case.graph.holding(QuestionAnswer)
    assert case.graph.holding(type(outcome.verdict))[0].parents == (merged.id,)


def test_reads_ten_sources_with_address_date_and_surroundings(make_case):
    case, _ = ran(make_case([*PAGES, *FAR], strategy="rag", retrieval__chunk_size=60))
    (task,) = asked(case, WeighSources)
    assert len(task.sources) == 10 <= len(case.graph.holding(Evidence))
    text = render(task, adapter=False)[1]["content"]
    assert '(from "https://news.example/2021/03/04/aster", dated "2021-03-04"):' in text
    assert 'text: "The Aster bridge was painted in' in text


@pytest.mark.parametrize("reply", [BROKEN, ORDINARY.model_copy(update={"pairs": ORDINARY.pairs[1:]})])
def test_without_a_cited_source_a_claim_gets_no_conclusive_verdict(make_case, answers, reply):
    answers.replace[WeighSources] = lambda _: reply
    case, outcome = ran(make_case(strategy="rag"))
    assert outcome.verdict.label is Label.NOT_ENOUGH_EVIDENCE and case.failures
