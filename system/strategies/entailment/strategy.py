"""Check a claim by reading, sentence by sentence: what FEVER's pipelines do (Thorne et al., 2018), on any machine.

For each sentence of the claim, retrieve passages, let the reader judge the windows nearest to it, decide, and combine:
one refuted statement refutes the claim, all must be supported to support it, pages that say opposite things conflict,
and everything else stays open.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from knowledge_store.pages.page import Passage
from system.case import Case, Outcome
from system.deadline import DeadlineExpired
from system.graph.records import GUESS, Claim, Content, Label, QuestionAnswer, Verdict
from system.graph.thoughts import Evidence, Question, Thought
from system.strategies.base import strategy
from system.strategies.entailment.justification import justify, justify_all, justify_language
from system.strategies.entailment.records import ReadSentence
from system.strategies.steps.evidence import as_pair, give, prepare, retrieve, telling
from system.strategies.steps.verdict import no_verdict
from system.text.context import depends
from system.text.language import other_language
from system.text.questions import question_of_statement
from system.text.words import content_stems, sentences

if TYPE_CHECKING:
    from system.reader.reading import PageVerdict

SHOWN = 3  # sentences that the result lists for a statement
REPEATED = "What was found only repeats the claim, or adds nothing to it."


class StatementVerdict(NamedTuple):
    """A statement with its verdict, and the question whose answer decides it."""

    statement: str
    verdict: Thought[Verdict]
    pair: Thought[QuestionAnswer]


@strategy(asks=lambda settings: (), searching=True, uses=("evidence",))
async def entailment(case: Case) -> Outcome:
    """Check a claim by the sentences that entail or contradict its statements."""
    try:
        code = await _foreign(case)
    except DeadlineExpired:
        return Outcome(verdict=no_verdict(case).content, pairs=(), rounds=0, branches=0)
    if code:
        reason = justify_language("This claim is", {code})
        unread = Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=reason, confidence=GUESS)
        case.graph.add(unread, [case.graph.root], "judge")
        return Outcome(verdict=unread, pairs=(), rounds=0, branches=0)
    statements = statements_of(case.claim)
    questions = [
        case.graph.add(Question(text=question_of_statement(one.text)), [case.graph.root], "split") for one in statements
    ]
    findings: list[StatementVerdict] = []
    try:
        retrieved = case.settings.debate.evidence == "retrieved"
        given = [] if retrieved else give(case)
        if retrieved:
            await prepare(case, [one.query for one in statements])
        for statement, question in zip(statements, questions, strict=True):
            evidence = await retrieve(case, question, statement.query) if retrieved else given
            findings.append(await check_statement(case, statement, question, evidence))
    except DeadlineExpired:
        pass  # the statements that were read decide; the case is marked as timed out
    verdict = combine(case, findings, len(statements))
    pairs = sorted((one.pair.content for one in findings), key=lambda pair: not pair.answered)
    return Outcome(verdict=verdict.content, pairs=tuple(pairs), rounds=1, branches=len(statements))


def statements_of(claim: Claim) -> list[Claim]:
    """Return the sentences of a claim, each with the sentence before it as its context.

    >>> [one.query for one in statements_of(Claim("The bridge opened in 1931. It cost four crowns."))]
    ['The bridge opened in 1931.', 'The bridge opened in 1931. It cost four crowns.']
    """
    found = [one for one in sentences(claim.text) if content_stems(one)]
    if len(found) < 2:
        return [claim]
    contexts = [claim.context, *found]
    return [
        claim.model_copy(update={"text": one, "context": before}) for one, before in zip(found, contexts, strict=False)
    ]


async def _foreign(case: Case) -> str:
    """The language of a claim that the reader does not read; else empty."""
    if not (language := case.reader.language):
        return ""
    told = partial(other_language, case.claim.text, language)  # in a thread: the first call loads a model
    return await case.stopwatch.within_deadline("read", lambda: asyncio.to_thread(told))


async def check_statement(
    case: Case, statement: Claim, question: Thought[Question], evidence: Sequence[Thought[Evidence]]
) -> StatementVerdict:
    """Read and decide for one statement; passages in a language that the reader does not read are left out.

    What only repeats the claim decides nothing, unless the user or the annotators chose the page as evidence.
    """
    from system.reader.reading import decide, read_pages  # compiled code, which no help of a command should load

    def cut(passage: Passage) -> Sequence[str]:
        gold = case.settings.debate.evidence == "gold"
        return sentences(passage.text) if gold else telling(case, passage, statement.text)

    language = case.reader.language
    codes = {one.id: other_language(one.content.passage.text, language) if language else "" for one in evidence}
    evidence = [thought for thought in evidence if not codes[thought.id]]
    unread = set(codes.values()) - {""}
    found = evidence or [one for one in case.graph.holding(Evidence) if question.id in one.parents]
    passages = [thought.content.passage for thought in evidence]
    referring = statement.context and depends(statement.text)
    said = f"[{statement.context}] {statement.text}" if referring else statement.text
    reading = partial(read_pages, case.reader, case.encoder, said, passages, cut)
    pages = await case.stopwatch.within_deadline("read", lambda: asyncio.to_thread(reading))
    label, confidence = decide(pages, case.reader.thresholds)
    parents: Sequence[Thought[Content]] = [*_keep(case, statement.text, label, pages, evidence)] or [question]
    pair = case.graph.add(_pair(question.content.text, label, pages), parents, "read", under=question)
    silent = not pages and unread
    if silent:
        reason = justify_language("What was found is", unread)
    else:
        reason = justify(label, pages) if pages or not found else REPEATED
    verdict = Verdict(label=label, justification=reason, confidence=GUESS if silent else confidence)
    return StatementVerdict(statement.text, case.graph.add(verdict, [pair], "judge", under=question), pair)


def combine(case: Case, findings: Sequence[StatementVerdict], statements: int) -> Thought[Verdict]:
    """The verdict of a claim by those of its statements; statements that were not read stay open."""
    if not findings:
        return no_verdict(case)
    if len(findings) == statements == 1:
        return findings[0].verdict
    verdicts = [one.verdict.content for one in findings]
    labels = {verdict.label for verdict in verdicts}
    against = next((one for one in (Label.REFUTED, Label.CONFLICTING) if one in labels), None)
    supported = labels == {Label.SUPPORTED} and len(findings) == statements
    label = against or (Label.SUPPORTED if supported else Label.NOT_ENOUGH_EVIDENCE)
    mine = [verdict.confidence for verdict in verdicts if verdict.label is label]
    # One sure statement refutes, the least sure one carries the rest; none, if the time ran out after a supported one.
    confidence = max(mine) if against else min(mine, default=GUESS)
    reason = justify_all(label, [(one.statement, one.verdict.content) for one in findings])
    merged = Verdict(label=label, justification=reason, confidence=confidence)
    return case.graph.add(merged, [one.verdict for one in findings], "combine", under=case.graph.root)


def _keep(
    case: Case, statement: str, label: Label, pages: Sequence["PageVerdict"], evidence: Sequence[Thought[Evidence]]
) -> list[Thought[ReadSentence]]:
    """Add the windows that decide, each under the passage that it stands in."""
    found = {thought.content.passage.key: thought for thought in evidence}
    deciding = [page.deciding(label) for page in _ordered(label, pages)[:SHOWN]]
    return [case.graph.add(ReadSentence.of(statement, one), [found[one.passage.key]], "read") for one in deciding]


def _ordered(label: Label, pages: Sequence["PageVerdict"]) -> list["PageVerdict"]:
    """Pages by how much they carry a label."""
    carried: dict[Label, Callable[[PageVerdict], float]] = {
        Label.SUPPORTED: lambda page: page.supporting.supported,
        Label.REFUTED: lambda page: page.refuting.refuted,
        Label.CONFLICTING: lambda page: page.decided,
        Label.NOT_ENOUGH_EVIDENCE: lambda page: page.nearest.nearness,
    }
    return sorted(pages, key=carried[label], reverse=True)


def _pair(question: str, label: Label, pages: Sequence["PageVerdict"]) -> QuestionAnswer:
    """The sentence that decides as the answer; those of further pages on its side follow as answers of it."""
    if not pages:
        return QuestionAnswer.unanswered(question)
    first, *others = _ordered(label, pages)[:SHOWN]
    agreeing = [page for page in others if label in (Label.SUPPORTED, Label.REFUTED) and _leans(page) is label]
    chosen = [page.deciding(label) for page in (first, *agreeing)]
    pairs = [as_pair(question, one.passage, one.sentence) for one in chosen]
    return QuestionAnswer(
        question=question, answer=pairs[0].answer, answers=tuple(answer for pair in pairs for answer in pair.answers)
    )


def _leans(page: "PageVerdict") -> Label:
    window = page.supporting if page.supporting.supported >= page.refuting.refuted else page.refuting
    if 1 - window.supported - window.refuted > page.decided:
        return Label.NOT_ENOUGH_EVIDENCE
    return Label.SUPPORTED if window is page.supporting else Label.REFUTED
