"""Strategy ``rag``: one long prompt over diverse sources, after the system that won FEVER-8 (AIC CTU, 2025).

Search the store for the claim itself, keep ten passages that differ (maximal marginal relevance), and show each with
its address, its date and the text around it. One reply holds up to ten questions with their answers, a rating of each
label and the verdict. If the option ``examples`` names annotated claims, those most like the claim are shown first.
"""

from collections.abc import Sequence

from system.case import Case, Outcome, Step
from system.graph.records import AnswerType, Content, Verdict
from system.graph.thoughts import Evidence, Question, Thought
from system.models.base import Completion
from system.strategies.base import strategy
from system.strategies.rag.tasks import SourcesReply, WeighSources
from system.strategies.steps.evidence import all_answered_so_far, as_pair, give, retrieve, web_source
from system.strategies.steps.options import ExampleOptions, examples_like
from system.strategies.steps.tasks import JudgeClaim
from system.strategies.steps.verdict import as_verdict, conclude

SOURCES, RELEVANCE = 10, 0.7  # passages that are read, of four times as many, and the weight of nearness in the choice


@strategy(asks=lambda settings: (WeighSources, JudgeClaim), uses=("evidence",), options=ExampleOptions)
async def rag(case: Case) -> Outcome:
    """Check a claim with one prompt over the sources that a single search finds."""
    return await conclude(case, _weigh(case))


async def _weigh(case: Case) -> Thought[Verdict] | None:
    sources = await find_sources(case)
    shown = tuple(web_source(case, source.content.passage) for source in sources)
    task = WeighSources(claim=case.claim, sources=shown, examples=examples_like(case))
    (result,) = await case.generate("weigh", [task])
    if isinstance(result, Completion):
        note_pairs(case, result, sources)
    parents: Sequence[Thought[Content]] = [*all_answered_so_far(case)] or [*sources] or [case.graph.root]
    (verdict,) = case.keep("weigh", [Step(task, as_verdict, parents, under=case.graph.root)], [result])
    return verdict


async def find_sources(case: Case) -> list[Thought[Evidence]]:
    """Return the passages for the claim: near to it, and each unlike the others."""
    if case.settings.debate.evidence != "retrieved":
        return give(case)[:SOURCES]
    return await retrieve(case, case.graph.root, places=SOURCES, relevance=RELEVANCE)


def note_pairs(case: Case, result: Completion[SourcesReply], sources: Sequence[Thought[Evidence]]) -> None:
    """Add questions and answers to the graph; those without a source that exists are left out."""
    for said in result.reply.pairs:
        if 1 <= said.source <= len(sources):
            source = sources[said.source - 1]
            passage = source.content.passage
            pair = as_pair(said.question.strip(), passage, said.answer.strip(), AnswerType.ABSTRACTIVE)
            question = case.graph.add(Question(text=pair.question), [case.graph.root], "weigh")
            answered = case.graph.add(pair.answers[0], [question, source], "weigh")
            case.graph.add(pair, [answered], "weigh", under=question)
