"""Evidence: everything between a question and its merged answer, and the body of evidence that agents share.

Retrieve passages (section 3.2.2), answer from each alone (3.2.3), verify (figure 1, optional), merge (table 1).
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from typing import cast

from knowledge_store.dense.search import search
from knowledge_store.pages.page import Passage
from system.case import Case, Step, Unusable
from system.deadline import DeadlineExpired
from system.models.base import Completion, ErrorKind, ModelError
from system.operations.questions import first_questions
from system.records import Answer, AnswerType, Claim, Content, Cost, QuestionAnswer, Source
from system.tasks.answer_question import AnswerQuestion, AnswerReply
from system.tasks.merge_answers import MergeAnswers, MergeReply
from system.tasks.verify_answer import VerificationReply, VerifyAnswer
from system.thoughts import Evidence, Question, Thought, Verification


async def prepare(case: Case, queries: Sequence[str]) -> None:
    """Embed what several searches need, in one batch for all of them."""
    await case.within_deadline("retrieve", lambda: asyncio.to_thread(case.index.prepare, queries))


async def retrieve(
    case: Case, question: Thought[Question] | Thought[Claim], query: str = ""
) -> list[Thought[Evidence]]:
    """Find the passages that may answer a question, or bear on the claim itself, best first.

    By several hops where the settings want them (CARP, section 3.4).

    Args:
        query: what to search for; the question itself where it is empty.
    """
    started = case.deadline.spent
    settings = case.settings
    text, hops = query or question.content.text, settings.multi_hop if settings.by_hops else None
    hits = await case.within_deadline(
        "retrieve", lambda: asyncio.to_thread(search, case.index, text, settings.retrieval.top_k, hops)
    )
    costs = [Cost(seconds=case.deadline.spent - started)] + [Cost()] * len(hits)
    return [
        case.graph.add(Evidence(passage=hit.passage, score=hit.score), [question], "retrieve", cost)
        for hit, cost in zip(hits, costs, strict=False)
    ]


async def answer(
    case: Case, question: Thought[Question], evidence: Sequence[Thought[Evidence]]
) -> list[Thought[Answer]]:
    """Answer a question from each passage alone; passages that do not answer it are kept as such."""

    def step(thought: Thought[Evidence]) -> Step[AnswerReply, Answer]:
        passage = thought.content.passage
        task = AnswerQuestion(claim=case.claim, question=question.content.text, passage=passage)
        return Step(task, partial(_answer, passage=passage), [thought])

    return [found for found in await case.think("answer", [step(thought) for thought in evidence]) if found]


def _answer(result: Completion[AnswerReply], passage: Passage) -> Answer:
    reply = result.reply
    return Answer(text=reply.answer.strip(), type=reply.type, source=reply.source, passage=passage)


async def verify(case: Case, question: Thought[Question], answers: Sequence[Thought[Answer]]) -> list[Thought[Answer]]:
    """Keep the answers that their passage entails.

    Answers from the metadata and refusals to answer have nothing to be checked against and pass. An answer whose
    check failed for technical reasons passes too: a broken check is no reason to lose evidence.
    """

    def step(thought: Thought[Answer]) -> Step[VerificationReply, Verification]:
        task = VerifyAnswer(claim=case.claim, question=question.content.text, answer=thought.content)
        return Step(task, _verification, [thought])

    checkable = [a for a in answers if a.content.answered and a.content.source is Source.EVIDENCE]
    checks = await case.think("verify", [step(thought) for thought in checkable])
    rejected = {check.parents[0] for check in checks if check and not check.content.entailed}
    return [thought for thought in answers if thought.id not in rejected]


def _verification(result: Completion[VerificationReply]) -> Verification:
    return Verification(entailed=result.reply.entailed, reason=result.reply.reason)


async def merge(case: Case, question: Thought[Question], answers: Sequence[Thought[Answer]]) -> Thought[QuestionAnswer]:
    """Merge the answers to one question.

    Passages that do not answer are left out. With nothing left the question stays unanswered, and a single answer
    stands as it is: neither needs the model. When merging fails, the answer of the best passage stands.
    """
    found = tuple(thought.content for thought in answers if thought.content.answered)
    if len(found) > 1:
        task = MergeAnswers(claim=case.claim, question=question.content.text, answers=found)
        step = Step(task, partial(_merged, task=task), [*answers], under=question)
        (merged,) = await case.think("merge", [step])
        if merged:
            return merged
    return _best(case, question, answers)


def _merged(result: Completion[MergeReply], task: MergeAnswers) -> QuestionAnswer:
    numbers = dict.fromkeys(result.reply.sources)
    known = len(task.answers)
    if not all(1 <= number <= known for number in numbers):
        raise Unusable(f"expected source numbers from 1 to {known}, got {list(numbers)}")
    sources = tuple(task.answers[number - 1] for number in numbers)
    return QuestionAnswer(question=task.question, answer=result.reply.answer.strip(), answers=sources)


def _best(case: Case, question: Thought[Question], answers: Sequence[Thought[Answer]]) -> Thought[QuestionAnswer]:
    """The answer of the best passage, or that there is none."""
    text = question.content.text
    found = [thought.content for thought in answers if thought.content.answered][:1]
    pair = QuestionAnswer.unanswered(text)
    if found:
        pair = QuestionAnswer(question=text, answer=found[0].text, answers=tuple(found))
    return case.graph.add(pair, [*answers] or [question], "merge", under=question)


async def look_up(case: Case, question: Thought[Question], query: str = "") -> Thought[QuestionAnswer]:
    """Retrieve, answer, verify and merge for one question.

    Args:
        query: what to search for; the question itself where it is empty.
    """
    evidence = await retrieve(case, question, query)
    answers = await answer(case, question, evidence)
    if case.settings.graph.verification and case.affords("verify", "merge", "judge"):
        answers = await verify(case, question, answers)
    return await merge(case, question, answers)


async def look_up_all(case: Case, *questions: tuple[Thought[Question], str]) -> list[Thought[QuestionAnswer]]:
    """Look up several questions at once, each with its query; those cut off by the deadline return what was learned."""

    async def found(question: Thought[Question], query: str) -> None:
        try:
            await look_up(case, question, query)
        except DeadlineExpired:
            return  # what it has learned until then is in the graph

    with suppress(DeadlineExpired):  # the searches below say the same
        await prepare(case, [query or question.content.text for question, query in questions])
    async with asyncio.TaskGroup() as group:  # a fault in one stops the others
        for question, query in questions:
            group.create_task(found(question, query))
    return learned(case, [question for question, _ in questions])


def learned(case: Case, questions: Sequence[Thought[Question]]) -> list[Thought[QuestionAnswer]]:
    """What is known of questions, in their order.

    A question that was cut off after some of its answers had come stands with the best of them.
    """
    merged = {origin.id: pair for pair in case.graph.holding(QuestionAnswer) if (origin := question_of(case, pair))}
    pairs = (merged.get(question.id) or _cut_off(case, question) for question in questions)
    return [pair for pair in pairs if pair]


def all_learned(case: Case) -> list[Thought[QuestionAnswer]]:
    """What is known of all questions of a case, and evidence that was given without one."""
    given = [pair for pair in case.graph.holding(QuestionAnswer) if not question_of(case, pair)]
    return [*given, *learned(case, case.graph.holding(Question))]


def question_of(case: Case, thought: Thought[Content]) -> Thought[Question] | None:
    """The question that a thought goes back to; None where there is none."""
    while thought.parents:
        if isinstance(thought.content, Question):
            return cast("Thought[Question]", thought)
        thought = case.graph[thought.parents[0]]
    return None


def _cut_off(case: Case, question: Thought[Question]) -> Thought[QuestionAnswer] | None:
    checks = case.graph.holding(Verification)
    rejected = {check.parents[0] for check in checks if not check.content.entailed}
    answers = [a for a in case.graph.holding(Answer) if a.id not in rejected and question_of(case, a) == question]
    answered = any(thought.content.answered for thought in answers)
    return _best(case, question, answers) if answered else None


async def gather(case: Case) -> list[Thought[QuestionAnswer]]:
    """The evidence of the setting ``debate.evidence`` (DebateCV, section 5.1), for strategies that collect it once.

    Retrieved evidence comes from the same questions and the same retrieval as the first round of the graph of
    thoughts; gold evidence is the whole of a store made of annotated answers.
    """
    match case.settings.debate.evidence:
        case "none":
            return []
        case "gold":
            return [_given(case, passage) for passage in case.gold_passages]
    return await look_up_all(case, *((question, "") for question in await first_questions(case)))


def _given(case: Case, passage: Passage) -> Thought[QuestionAnswer]:
    evidence = case.graph.add(Evidence(passage=passage, score=1.0), [case.graph.root], "gather")
    return case.graph.add(as_pair(f"What does {passage.url} say?", passage), [evidence], "gather")


def as_pair(question: str, passage: Passage, sentence: str = "") -> QuestionAnswer:
    """A passage, or a sentence of it, that is the answer to a question as it stands."""
    text = sentence or passage.text
    answer = Answer(text=text, type=AnswerType.EXTRACTIVE, source=Source.EVIDENCE, passage=passage)
    return QuestionAnswer(question=question, answer=text, answers=(answer,))


@dataclass(frozen=True)
class Exhibits:
    """The body of evidence that all agents share.

    Attributes:
        thoughts: the merged answers that it comes from; the claim itself where there are none.
        passages: distinct passages of the answers; agents cite them by their number from 1.
    """

    thoughts: tuple[Thought[Content], ...]
    pairs: tuple[QuestionAnswer, ...]
    passages: tuple[Passage, ...]


def exhibit(case: Case, pairs: Sequence[Thought[QuestionAnswer]]) -> Exhibits:
    """The evidence of several questions as one body, the best passage of each question first."""
    found = [thought.content for thought in pairs]
    by_rank = zip_longest(*(pair.passages for pair in found))
    distinct = {passage.key: passage for passage in chain.from_iterable(by_rank) if passage}
    return Exhibits(
        thoughts=tuple(pairs) or (case.graph.root,),
        pairs=tuple(found),
        passages=tuple(distinct.values())[: case.settings.debate.exhibits],
    )


def cited(
    case: Case, operation: str, numbers: Sequence[int], exhibits: Exhibits, parents: Sequence[Thought[Content]]
) -> tuple[Passage, ...]:
    """The passages that an agent cites; numbers that stand for none are left out and named as a failure."""
    known = len(exhibits.passages)
    unknown = [number for number in numbers if not 1 <= number <= known]
    if unknown:
        message = f"expected citations from 1 to {known}, got {unknown}"
        case.fail(operation, ModelError(ErrorKind.MALFORMED_REPLY, message), parents)
    return tuple(exhibits.passages[number - 1] for number in dict.fromkeys(numbers) if number not in unknown)
