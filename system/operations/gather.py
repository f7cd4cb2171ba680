"""Gather: the evidence for strategies that collect it once, before they judge it."""

from knowledge_store.pages.page import Passage
from system.case import Case
from system.operations.ask import ask_first
from system.operations.deduplicate import deduplicate
from system.operations.look_up import look_up_all
from system.records import Answer, AnswerType, QuestionAnswer, Source
from system.thoughts import Evidence, Thought


async def gather(case: Case) -> list[Thought[QuestionAnswer]]:
    """The evidence of the setting ``debate.evidence`` (DebateCV, section 5.1).

    Retrieved evidence comes from the same questions and the same retrieval as the first round of the graph of
    thoughts; golden evidence is the whole of a store made of annotated answers.
    """
    match case.settings.debate.evidence:
        case "none":
            return []
        case "gold":
            return [_given(case, passage) for passage in case.leads]
    questions = await deduplicate(case, await ask_first(case))
    return await look_up_all(case, *((question, "") for question in questions))


def _given(case: Case, passage: Passage) -> Thought[QuestionAnswer]:
    evidence = case.graph.add(Evidence(passage=passage, score=1.0), [case.graph.root], "gather")
    answer = Answer(text=passage.text, type=AnswerType.EXTRACTIVE, source=Source.EVIDENCE, passage=passage)
    pair = QuestionAnswer(question=f"What does {passage.url} say?", answer=passage.text, answers=(answer,))
    return case.graph.add(pair, [evidence], "gather")
