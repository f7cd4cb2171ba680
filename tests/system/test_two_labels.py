"""With two labels a claim's graph ends in its verdict, whose confidence is no other label's."""

import asyncio
from dataclasses import replace

import pytest

from knowledge_store.pages.page import Page
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings
from system.check import check
from system.graph.records import TWO_LABELS, Label, Verdict
from system.strategies import STRATEGIES
from system.strategies.steps.tasks import JudgeClaim, VerdictReply
from tests.helpers.bridge import CLAIM, PAGES


def checked(make_engine, pages=PAGES, strategy="got", **changes):
    engine = make_engine(**changes)
    settings = engine.settings.model_copy(update={"strategy": strategy})
    ranked = rank([Page(n, url, (text,)) for n, (url, text) in enumerate(pages)], CLAIM.text, RetrievalSettings())
    return asyncio.run(check(replace(engine, settings=settings), CLAIM, ranked))


@pytest.mark.parametrize("label", [Label.NOT_ENOUGH_EVIDENCE, Label.CONFLICTING])
def test_a_verdict_that_is_folded_is_at_most_a_guess(make_engine, answers, label):
    answers.replace[JudgeClaim] = lambda _: VerdictReply(justification="So.", label=label)
    plain, before = checked(make_engine, graph__debate=False)
    folded, graph = checked(make_engine, graph__debate=False, graph__two_labels=True)
    assert (plain.verdict.label, plain.verdict.confidence) == (label, 1.0)
    assert (folded.verdict.label, folded.verdict.confidence) == (Label.REFUTED, 0.5)
    assert folded.verdict.justification.startswith("So.") and "counts as Refuted" in folded.verdict.justification
    last = graph.thoughts[-1]
    assert last.content == folded.verdict and last.operation == "two labels"
    assert graph[last.parents[0]].content.label is label and len(graph.thoughts) == len(before.thoughts) + 1


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("budget", [3600.0, 1e-9])
@pytest.mark.parametrize("pages", [PAGES, ()], ids=["pages", "none"])
def test_every_graph_ends_in_one_of_two_labels(make_engine, answers, strategy, budget, pages):
    answers.replace[JudgeClaim] = lambda _: VerdictReply(justification="So.", label=Label.NOT_ENOUGH_EVIDENCE)
    result, graph = checked(make_engine, pages, strategy, graph__two_labels=True, run__budget=budget)
    last = graph.holding(Verdict)[-1].content
    assert last.label is result.verdict.label and last.label in TWO_LABELS
