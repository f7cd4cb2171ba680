"""Check a claim by reading, statement by statement: what FEVER's pipelines do (Thorne et al., 2018), on any machine.

Split the claim into its statements; for each, retrieve passages, let the verifier read the sentences nearest to it,
decide page by page, and combine: one refuted statement refutes the claim, all must be supported to support it, pages
that say opposite things conflict, and everything else stays open.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from knowledge_store.pages.page import Passage
from system.case import Case, Outcome
from system.deadline import DeadlineExpired
from system.graph.records import GUESS, Content, Label, QuestionAnswer, Verdict
from system.graph.thoughts import Evidence, Question, Thought
from system.strategies.base import strategy
from system.strategies.entailment.justification import justify, justify_all, justify_language
from system.strategies.entailment.records import ReadSentence
from system.strategies.entailment.statements import statements_of
from system.strategies.steps.evidence import as_pair, give, prepare, retrieve, telling
from system.strategies.steps.questions import question_of_statement
from system.strategies.steps.verdict import no_verdict
from system.text.language import other_language
from system.text.words import sentences

if TYPE_CHECKING:
    from system.verifier.reading import PageVerdict

SHOWN = 3  # sentences that the result lists for a statement
REPEATED = "What was found only repeats the claim, or adds nothing to it."
OPPOSED = 0.5  # probability from which a second page contradicts the first


@dataclass(frozen=True)
class StatementVerdict:
    """A statement with its verdict, and the question whose answer decides it."""

    statement: str
    verdict: Thought[Verdict]
    pair: Thought[QuestionAnswer]


@strategy(asks=lambda settings: (), searching=True, uses=("evidence",))
async def entailment(case: Case) -> Outcome:
    """Check a claim by the sentences that entail or contradict its statements."""
    try:
        code = await _foreign(case)
        statements = await case.stopwatch.within_deadline(
            "read",
            lambda: asyncio.to_thread(statements_of, case.claim.text),  # which takes long if words are odd
        )
    except DeadlineExpired:
        return Outcome(verdict=no_verdict(case).content, pairs=(), rounds=0, branches=0)
    if code:
        reason = justify_language("This claim is", {code})
        unread = Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=reason, confidence=GUESS)
        case.graph.add(unread, [case.graph.root], "judge")
        return Outcome(verdict=unread, pairs=(), rounds=0, branches=0)
    questions = [
        case.graph.add(Question(text=question_of_statement(one)), [case.graph.root], "split") for one in statements
    ]
    findings: list[StatementVerdict] = []
    try:
        retrieved = case.settings.debate.evidence == "retrieved"
        given = [] if retrieved else give(case)
        if retrieved:
            await prepare(case, statements)
        for statement, question in zip(statements, questions, strict=True):
            evidence = await retrieve(case, question, statement) if retrieved else given
            findings.append(await check_statement(case, statement, question, evidence))
    except DeadlineExpired:
        pass  # the statements that were read decide; the case is marked as timed out
    verdict = combine(case, findings, len(statements))
    pairs = sorted((one.pair.content for one in findings), key=lambda pair: not pair.answered)
    return Outcome(verdict=verdict.content, pairs=tuple(pairs), rounds=1, branches=len(statements))


async def _foreign(case: Case) -> str:
    """The language of a claim that the verifier does not read; else empty."""
    if not (language := case.reader.verifier.language):
        return ""
    told = partial(other_language, case.claim.text, language)  # in a thread: the first call loads a model
    return await case.stopwatch.within_deadline("read", lambda: asyncio.to_thread(told))


async def check_statement(
    case: Case, statement: str, question: Thought[Question], evidence: Sequence[Thought[Evidence]]
) -> StatementVerdict:
    """Read and decide for one statement; passages in a language that the verifier does not read are left out."""
    language = case.reader.verifier.language
    codes = {one.id: other_language(one.content.passage.text, language) if language else "" for one in evidence}
    evidence = [thought for thought in evidence if not codes[thought.id]]
    unread = set(codes.values()) - {""}
    found = evidence or [one for one in case.graph.holding(Evidence) if question.id in one.parents]
    pages = await read_pages(case, statement, [thought.content.passage for thought in evidence])
    parents: Sequence[Thought[Content]] = [*_keep(case, pages, evidence)] or [question]
    pair = case.graph.add(_pair(question.content.text, pages), parents, "read", under=question)
    label, confidence = label_of(pages)
    silent = not pages and unread
    if silent:
        reason = justify_language("What was found is", unread)
    else:
        reason = justify(label, statement, pages) if pages or not found else REPEATED
    verdict = Verdict(label=label, justification=reason, confidence=GUESS if silent else confidence)
    return StatementVerdict(statement, case.graph.add(verdict, [pair], "judge", under=question), pair)


async def read_pages(case: Case, statement: str, passages: Sequence[Passage]) -> list["PageVerdict"]:
    """Read each page for a statement; the most decided first.

    What only repeats the claim decides nothing, unless the user or the annotators chose the page as evidence.
    """
    chosen = case.settings.debate.evidence == "gold"

    def cut(passage: Passage) -> Sequence[str]:
        return sentences(passage.text) if chosen else telling(case, passage, statement)

    asked = f"[{case.claim.context}] {statement}" if case.claim.context else statement
    reading = partial(case.reader.pages, case.encoder, asked, passages, cut, lambda: not case.deadline.left())
    return await case.stopwatch.within_deadline("read", lambda: asyncio.to_thread(reading))


def label_of(pages: Sequence["PageVerdict"]) -> tuple[Label, float]:
    """The label of a statement and its probability: the most decided page's, unless another says the opposite."""
    if not pages:
        return Label.NOT_ENOUGH_EVIDENCE, 0.5
    first = pages[0]
    label, sure = first.label, first.confidence
    opposite = {Label.SUPPORTED: 1, Label.REFUTED: 0}.get(label)
    against = (
        max((float(page.probabilities[opposite]) for page in pages[1:]), default=0.0) if opposite is not None else 0
    )
    return (Label.CONFLICTING, min(sure, against)) if against > OPPOSED else (label, sure)


def combine(case: Case, findings: Sequence[StatementVerdict], statements: int) -> Thought[Verdict]:
    """The verdict of a claim by those of its statements; statements that were not read stay open."""
    if not findings:
        return no_verdict(case)
    if len(findings) == statements == 1:
        return findings[0].verdict
    verdicts = [one.verdict.content for one in findings]
    labels = {verdict.label for verdict in verdicts}
    if Label.REFUTED in labels:
        label = Label.REFUTED
    elif Label.CONFLICTING in labels:
        label = Label.CONFLICTING
    elif labels == {Label.SUPPORTED} and len(findings) == statements:
        label = Label.SUPPORTED
    else:
        label = Label.NOT_ENOUGH_EVIDENCE
    confidence = _together(label, verdicts)
    reason = justify_all(label, [(one.statement, one.verdict.content) for one in findings])
    merged = Verdict(label=label, justification=reason, confidence=confidence)
    return case.graph.add(merged, [one.verdict for one in findings], "combine", under=case.graph.root)


def _together(label: Label, verdicts: Sequence[Verdict]) -> float:
    """The confidence of a combination: the surest statement refutes, the least sure one carries everything else."""
    mine = [verdict.confidence for verdict in verdicts if verdict.label is label]
    return max(mine) if label in (Label.REFUTED, Label.CONFLICTING) else min(mine)


def _keep(
    case: Case, pages: Sequence["PageVerdict"], evidence: Sequence[Thought[Evidence]]
) -> list[Thought[ReadSentence]]:
    """Add the sentences that decide, each under the passage that it stands in."""
    found = {thought.content.passage.key: thought for thought in evidence}
    deciding = [page.deciding for page in pages[:SHOWN]]
    return [case.graph.add(ReadSentence.of(one), [found[one.unit.passage.key]], "read") for one in deciding]


def _pair(question: str, pages: Sequence["PageVerdict"]) -> QuestionAnswer:
    """The sentence that decides as the answer; the sentences of further pages that decide follow as answers of it."""
    if not pages:
        return QuestionAnswer.unanswered(question)
    decided = [page.deciding for page in pages[:SHOWN] if page.label is not Label.NOT_ENOUGH_EVIDENCE]
    chosen = decided or [pages[0].deciding]
    pairs = [as_pair(question, one.unit.passage, one.unit.sentence) for one in chosen]
    return QuestionAnswer(
        question=question, answer=pairs[0].answer, answers=tuple(answer for pair in pairs for answer in pair.answers)
    )
