"""Evidence: everything between a question and its merged answer, and the body of evidence that agents share.

Retrieve passages (section 3.2.2), answer from each alone (3.2.3), verify (figure 1, optional), merge (table 1).
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from knowledge_store.pages.filters import dates_in, is_prompt_injection
from knowledge_store.pages.page import Passage, source_name
from knowledge_store.settings import MultiHopSettings
from system.case import Case, Step, Unusable
from system.deadline import DeadlineExpired
from system.graph.records import Answer, AnswerType, Claim, Content, Cost, QuestionAnswer, Source
from system.graph.thoughts import Evidence, Question, Thought, Verification
from system.models.base import Completion, ErrorKind, ModelError
from system.strategies.steps.options import got_options
from system.strategies.steps.questions import first_questions
from system.strategies.steps.tasks import AnswerQuestion, AnswerReply, MergeAnswers, MergeReply, VerifyAnswer, WebSource
from system.text.copies import without_claim
from system.text.details import adds_nothing
from system.text.words import sentences

if TYPE_CHECKING:
    from knowledge_store.dense.search import Hit

SPARE = 2  # times as many passages are found as are read, and again, while too few of them are to be read
SHARED = 10  # passages that debaters and teams read, at most
PASSED_OVER = 3  # of so many places for passages one is kept for those that the reader passed over
Pairs = Sequence[Thought[QuestionAnswer]]


async def prepare(case: Case, queries: Sequence[str]) -> None:
    """Embed what several searches need, in one batch for all of them."""
    await case.stopwatch.within_deadline("retrieve", lambda: asyncio.to_thread(case.index.prepare, queries))


async def retrieve(
    case: Case,
    question: Thought[Question] | Thought[Claim],
    query: str = "",
    *,
    by_hops: bool = False,
    places: int = 0,
    relevance: float = 1,
) -> list[Thought[Evidence]]:
    """Find the passages that may answer a question, or bear on the claim itself, best first.

    Passages that are never read (``why_unread``) stay in the graph. Those that only repeat the claim come last. The
    query stands in for the question, and ``by_hops`` searches along chains of passages (CARP, section 3.4). At most
    ``places`` (``retrieval.top_k``) are read; below a ``relevance`` of 1 they are chosen so that they differ.
    """
    from knowledge_store.dense.search import diverse, search  # compiled code, which no help of a command should load

    text, hops = query or question.content.text, MultiHopSettings() if by_hops else None
    places = places or case.settings.retrieval.top_k

    def find() -> tuple[list["Hit"], list["Hit"]]:
        limit = places if relevance == 1 else SPARE * places
        while True:
            limit *= SPARE
            nearest = search(case.index, text, limit, hops)
            unread = [hit for hit in nearest if why_unread(case, hit.passage)]
            readable = [hit for hit in nearest if hit not in unread]
            if len(readable) >= places or len(nearest) < limit:
                readable = readable if relevance == 1 else diverse(case.index, readable, places, relevance)
                readable.sort(key=lambda hit: not telling(case, hit.passage))
                return readable[:places], [hit for hit in unread if hit in nearest[:places]]

    started = case.deadline.spent
    readable, unread = await case.stopwatch.within_deadline("retrieve", lambda: asyncio.to_thread(find))
    cost, found = Cost(seconds=case.deadline.spent - started), []
    for hit in readable + unread:
        found.append(case.graph.add(Evidence(passage=hit.passage, score=hit.score), [question], "retrieve", cost))
        cost = Cost()
    return found[: len(readable)]


def telling(case: Case, passage: Passage, *statements: str) -> Sequence[str]:
    """The sentences of a passage that do not only repeat the claim or statements of it; own documents may."""
    said, own = sentences(passage.text), case.own and not passage.found
    return said if own else without_claim(said, case.claim.text, *statements)


def why_unread(case: Case, passage: Passage) -> str:
    """Why a passage that was found is never read, or an empty string. Own documents may add nothing to a claim."""
    chosen = case.settings.debate.evidence != "retrieved" or (case.own and not passage.found)
    return _why_unread(passage.text, "" if chosen else case.claim.text)


@lru_cache(maxsize=4_096)  # a passage is found for several questions
def _why_unread(text: str, claim: str) -> str:
    if is_prompt_injection(text):
        return "passage that looks like instructions"
    return "passage that adds nothing to the claim" if claim and adds_nothing(sentences(text), claim) else ""


async def answer_from_passages(
    case: Case, question: Thought[Question], evidence: Sequence[Thought[Evidence]]
) -> list[Thought[Answer]]:
    """Answer a question from each passage alone; passages that do not answer it are kept as such."""

    def step(thought: Thought[Evidence]) -> Step[AnswerReply, Answer]:
        passage = thought.content.passage
        source = web_source(case, passage) if got_options(case).surroundings else None
        task = AnswerQuestion(claim=case.claim, question=question.content.text, passage=passage, source=source)

        def answer(result: Completion[AnswerReply]) -> Answer:
            reply = result.reply
            return Answer(text=reply.answer.strip(), type=reply.type, source=reply.source, passage=passage)

        return Step(task, answer, [thought])

    return [found for found in await case.think("answer", [step(thought) for thought in evidence]) if found]


def web_source(case: Case, passage: Passage) -> WebSource:
    """Return a passage with what its page has around it, unless that may be a prompt, and the date in its address."""
    before, after = ("" if is_prompt_injection(text) else text for text in (passage.before, passage.after))
    return WebSource(passage=passage, before=before, after=after, date=str(next(dates_in(passage.url), "")))


async def verify(case: Case, question: Thought[Question], answers: Sequence[Thought[Answer]]) -> list[Thought[Answer]]:
    """Keep the answers that their passage entails, those without a passage, and those whose check failed."""
    steps = [
        Step(
            VerifyAnswer(claim=case.claim, question=question.content.text, answer=thought.content),
            lambda result: Verification(**dict(result.reply)),
            [thought],
        )
        for thought in answers
        if thought.content.answered and thought.content.source is Source.EVIDENCE
    ]
    checks = await case.think("verify", steps)
    rejected = {check.parents[0] for check in checks if check and not check.content.entailed}
    return [thought for thought in answers if thought.id not in rejected]


async def merge(case: Case, question: Thought[Question], answers: Sequence[Thought[Answer]]) -> Thought[QuestionAnswer]:
    """Merge the answers to one question; without the model if there are fewer than two.

    If merging fails, the answer of the best passage stands.
    """
    found = tuple(thought.content for thought in answers if thought.content.answered)
    task = MergeAnswers(claim=case.claim, question=question.content.text, answers=found)

    def merged(result: Completion[MergeReply]) -> QuestionAnswer:
        numbers = list(dict.fromkeys(result.reply.sources))
        if not all(1 <= number <= len(found) for number in numbers):
            raise Unusable(f"expected source numbers from 1 to {len(found)}, got {numbers}")
        sources = tuple(found[number - 1] for number in numbers)
        return QuestionAnswer(question=task.question, answer=result.reply.answer.strip(), answers=sources)

    if len(found) > 1:
        (pair,) = await case.think("merge", [Step(task, merged, [*answers], under=question)])
        if pair:
            return pair
    return take_best(case, question, answers)


def take_best(case: Case, question: Thought[Question], answers: Sequence[Thought[Answer]]) -> Thought[QuestionAnswer]:
    """Take the answer of the best passage, or note that there is none."""
    pair = QuestionAnswer.unanswered(question.content.text)
    if best := next((thought.content for thought in answers if thought.content.answered), None):
        pair = QuestionAnswer(question=pair.question, answer=best.text, answers=(best,))
    return case.graph.add(pair, [*answers] or [question], "merge", under=question)


async def answer_question(
    case: Case, question: Thought[Question], query: str = "", *, by_hops: bool = False
) -> Thought[QuestionAnswer]:
    """Retrieve, answer, verify and merge for one question; see ``retrieve`` for the arguments."""
    answers: list[Thought[Answer]] = []
    try:
        evidence = await retrieve(case, question, query, by_hops=by_hops, relevance=got_options(case).relevance)
        answers = await answer_from_passages(case, question, evidence)
        if case.settings.graph.verification and case.stopwatch.has_time_for("verify", "merge", "judge"):
            answers = await verify(case, question, answers)
        return await merge(case, question, answers)
    except BaseException:  # whatever ends the work, what was answered until then is kept
        if any(thought.content.answered for thought in answers):
            take_best(case, question, answers)
        raise


async def answer_questions(
    case: Case, *questions: tuple[Thought[Question], str], by_hops: bool = False
) -> list[Thought[QuestionAnswer]]:
    """Look up several questions at once, each with its query; those cut off by the deadline return what was learned."""

    async def found(question: Thought[Question], query: str) -> None:
        with suppress(DeadlineExpired):  # what it has learned until then is in the graph
            await answer_question(case, question, query, by_hops=by_hops)

    with suppress(DeadlineExpired):  # the searches below say the same
        await prepare(case, [query or question.content.text for question, query in questions])
    async with asyncio.TaskGroup() as group:  # a fault in one stops the others
        for question, query in questions:
            group.create_task(found(question, query))
    return answered_so_far(case, [question for question, _ in questions])


def answered_so_far(case: Case, questions: Sequence[Thought[Question]]) -> list[Thought[QuestionAnswer]]:
    """The merged answers to questions, in their order."""
    merged = {pair.above: pair for pair in case.graph.holding(QuestionAnswer)}
    return [merged[question.id] for question in questions if question.id in merged]


def all_answered_so_far(case: Case) -> list[Thought[QuestionAnswer]]:
    """The merged answers to all questions of a case, after evidence that was given without one."""
    answered = answered_so_far(case, case.graph.holding(Question))
    return [*(pair for pair in case.graph.holding(QuestionAnswer) if pair not in answered), *answered]


GATHERING = ("branches", "verification", "evidence")  # settings of evidence that is gathered once


async def gather(case: Case) -> list[Thought[QuestionAnswer]]:
    """The evidence of the setting ``debate.evidence`` (DebateCV, section 5.1), for strategies that collect it once.

    It is retrieved as in the first round of the graph of thoughts, or the whole of a store of annotated answers.
    """
    if case.settings.debate.evidence == "retrieved":
        return await answer_questions(case, *((question, "") for question in await first_questions(case)))
    found = []
    for evidence in give(case):
        passage = evidence.content.passage
        pair = as_pair(f"What does {source_name(passage.url)} say?", passage)
        found.append(case.graph.add(pair, [evidence], "gather"))
    return found


def give(case: Case) -> list[Thought[Evidence]]:
    """The evidence that is there without a search: the annotators' where the settings want it, otherwise none."""
    passages = case.gold_passages if case.settings.debate.evidence == "gold" else ()
    return [case.graph.add(Evidence(passage=each, score=1.0), [case.graph.root], "gather") for each in passages]


def as_pair(
    question: str, passage: Passage, said: str = "", kind: AnswerType = AnswerType.EXTRACTIVE
) -> QuestionAnswer:
    """A question whose answer was read from a passage: the passage as it stands, unless something else is said."""
    answer = Answer(text=said or passage.text, type=kind, source=Source.EVIDENCE, passage=passage)
    return QuestionAnswer(question=question, answer=answer.text, answers=(answer,))


@dataclass(frozen=True)
class SharedEvidence:
    """The evidence that agents share: what it comes from, passages to cite, and the fields of tasks that show it."""

    thoughts: tuple[Thought[Content], ...]
    passages: tuple[Passage, ...]
    read: dict[str, Any]

    def cited(
        self, case: Case, operation: str, numbers: Sequence[int], parents: Sequence[Thought[Content]]
    ) -> tuple[Passage, ...]:
        """The passages that an agent cites; numbers that stand for none are left out and named as a failure."""
        known = len(self.passages)
        unknown = [number for number in numbers if not 1 <= number <= known]
        if unknown:
            message = f"expected citations from 1 to {known}, got {unknown}"
            case.fail(operation, ModelError(ErrorKind.MALFORMED_REPLY, message), parents)
        return tuple(self.passages[number - 1] for number in dict.fromkeys(numbers) if number not in unknown)


def share_evidence(case: Case, pairs: Pairs) -> SharedEvidence:
    """The evidence of several questions as one body, the best passage of each question first.

    What was retrieved and answers nothing by itself, such as the passage between two hops, follows the passages of the
    answers, and a third of the places is kept for it (CARP, section 3.6: the teams read what was retrieved).
    """
    answered = _by_rank([pair.content.passages for pair in pairs])
    evidence = case.graph.holding(Evidence)
    retrieved = _by_rank([[one.content.passage for one in evidence if one.parents[0] == pair.above] for pair in pairs])
    silent = [passage for key, passage in retrieved.items() if key not in answered]
    chosen = [*answered.values()][: SHARED - min(len(silent), SHARED // PASSED_OVER)]
    passages = (*chosen, *silent[: SHARED - len(chosen)])
    read = {"claim": case.claim, "pairs": tuple(pair.content for pair in pairs), "evidence": passages}
    return SharedEvidence(tuple(pairs) or (case.graph.root,), passages, read)


def _by_rank(of_questions: Sequence[Sequence[Passage]]) -> dict[tuple[int, int], Passage]:
    """Distinct passages by their keys: the first of each question, then the second of each, and so on."""
    return {passage.key: passage for passage in chain.from_iterable(zip_longest(*of_questions)) if passage}


def cited_beside(case: Case, pairs: Sequence[QuestionAnswer]) -> list[QuestionAnswer]:
    """Passages that agents cite and no answer rests on, as answers to the questions they were retrieved for."""
    wanted = {passage.key for thought in case.graph for passage in getattr(thought.content, "passages", ())}
    wanted -= {passage.key for pair in pairs for passage in pair.passages}
    beside: dict[tuple[int, int], QuestionAnswer] = {}
    for evidence in case.graph.holding(Evidence):
        asked, passage = case.graph[evidence.parents[0]].content, evidence.content.passage
        if passage.key in wanted and isinstance(asked, Question | Claim):
            beside.setdefault(passage.key, as_pair(asked.text, passage))
    return [*beside.values()]
