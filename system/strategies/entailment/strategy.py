"""Check a claim by reading, sentence by sentence: what FEVER's pipelines do (Thorne et al., 2018), on any machine.

For each sentence of the claim, retrieve passages, let the reader judge the windows nearest to it, decide, and combine:
one refuted statement refutes the claim, all must be supported to support it, pages that say opposite things conflict,
and everything else stays open.
"""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from knowledge_store.pages.page import Passage, document
from system.case import Case, Outcome
from system.deadline import DeadlineExpired
from system.graph.records import GUESS, NOTHING_FOUND, Claim, Content, Label, QuestionAnswer, Verdict
from system.graph.thoughts import Evidence, Question, Thought
from system.strategies.base import strategy
from system.strategies.entailment.records import ReadSentence
from system.strategies.steps.evidence import as_pair, give, prepare, retrieve, telling
from system.strategies.steps.verdict import no_verdict, outcome
from system.text.context import depends
from system.text.language import other_language
from system.text.questions import question_of_statement
from system.text.words import content_stems, quotation, sentences

if TYPE_CHECKING:
    from system.reader.reading import PageVerdict

Finding = tuple[str, Thought[Verdict]]  # a statement with its verdict
SHOWN = 3  # sentences that the result lists for a statement
PASSAGES = 2  # times as many as answer a question: a row of a table is near, its passage is not
SPEAKS = 0.7  # nearness (cosine plus share of words) from which a passage is about the statement
REPEATED = "What was found only repeats the claim, or adds nothing to it."
_LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "es": "Spanish", "fr": "French", "it": "Italian",
    "ja": "Japanese", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip


@strategy(asks=lambda settings: (), searching=True, uses=("evidence",))
async def entailment(case: Case) -> Outcome:
    """Check a claim by the sentences that entail or contradict its statements."""
    statements = statements_of(case.claim)
    findings: list[Finding] = []
    with suppress(DeadlineExpired):  # the statements that were read decide; the case is marked as timed out
        foreign = partial(_languages, case, [case.claim.text])  # in a thread: the first call loads a model
        if codes := {*await case.stopwatch.within_deadline("read", lambda: asyncio.to_thread(foreign))} - {""}:
            reason = justify_language("This claim is", codes)
            unread = Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=reason, confidence=GUESS)
            return outcome(case, case.graph.add(unread, [case.graph.root], "judge"))
        asked = [Question(text=question_of_statement(one.text)) for one in statements]
        questions = [case.graph.add(question, [case.graph.root], "split") for question in asked]
        retrieved = case.settings.debate.evidence == "retrieved"
        given = [] if retrieved else give(case)
        if retrieved:
            await prepare(case, [one.query for one in statements])
        places = PASSAGES * case.settings.retrieval.top_k
        for statement, question in zip(statements, questions, strict=True):
            evidence = await retrieve(case, question, statement.query, places=places) if retrieved else given
            findings.append(await check_statement(case, statement, question, evidence))
    return outcome(case, combine(case, findings, len(statements)))


def statements_of(claim: Claim) -> list[Claim]:
    """Return the sentences of a claim, each with the sentence before it as its context.

    >>> [one.query for one in statements_of(Claim("It opened in 1931. It cost 4 crowns.", context="Here is a bridge."))]
    ['Here is a bridge. It opened in 1931.', 'It opened in 1931. It cost 4 crowns.']
    """
    found = [one for one in sentences(claim.text) if content_stems(one)]
    if len(found) < 2:
        return [claim]
    with_context = zip(found, [claim.context, *found], strict=False)
    return [claim.model_copy(update={"text": one, "context": before}) for one, before in with_context]


def _languages(case: Case, texts: Sequence[str]) -> list[str]:
    """The language of each text, if it is one that the reader does not read; else empty."""
    language = case.reader.language
    return [other_language(text, language) if language else "" for text in texts]


async def check_statement(
    case: Case, statement: Claim, question: Thought[Question], evidence: Sequence[Thought[Evidence]]
) -> Finding:
    """Read and decide for one statement; passages in a language that the reader does not read are left out.

    What only repeats the claim decides nothing, unless the user or the annotators chose the page as evidence.
    """
    from system.reader.reading import decide, read_pages  # compiled code, which no help of a command should load

    def cut(passage: Passage) -> Sequence[str]:
        gold = case.settings.debate.evidence == "gold"
        return sentences(passage.text) if gold else telling(case, passage, statement.text)

    codes = _languages(case, [thought.content.passage.text for thought in evidence])
    passages = {one.content.passage.key: one for one, code in zip(evidence, codes, strict=True) if not code}
    referring = statement.context and depends(statement.text)
    said = f"[{statement.context}] {statement.text}" if referring else statement.text
    readable = [thought.content.passage for thought in passages.values()]
    reading = partial(read_pages, case.reader, case.encoder, said, readable, cut)
    pages = await case.stopwatch.within_deadline("read", lambda: asyncio.to_thread(reading))
    label, confidence = decide(pages, case.reader.thresholds)
    deciding = [page.deciding(label) for page in by_strength(label, pages)[:SHOWN]]
    read = [
        ReadSentence(
            statement=statement.text,
            sentence=window.sentence,
            window=window.text,
            passage=window.passage,
            supported=round(window.supported, 4),
            refuted=round(window.refuted, 4),
        )
        for window in deciding
    ]
    kept: Sequence[Thought[Content]] = [case.graph.add(one, [passages[one.passage.key]], "read") for one in read]
    pair = case.graph.add(_pair(question.content.text, label, read), kept or [question], "read", under=question)
    found = evidence or [one for one in case.graph.holding(Evidence) if question.id in one.parents]
    reason = REPEATED if found and not pages else justify(label, pages)
    if label is Label.NOT_ENOUGH_EVIDENCE and any(codes):
        unread = justify_language("More was found" if pages else "What was found is", {*codes} - {""})
        reason, confidence = (f"{reason} {unread}", confidence) if pages else (unread, GUESS)
    verdict = Verdict(label=label, justification=reason, confidence=confidence)
    return statement.text, case.graph.add(verdict, [pair], "judge", under=question)


def _pair(question: str, label: Label, read: Sequence[ReadSentence]) -> QuestionAnswer:
    """The sentence that decides as the answer; those of further pages on its side follow as answers of it."""
    if not read:
        return QuestionAnswer.unanswered(question)
    chosen = [read[0], *(one for one in read[1:] if one.summary.leaning is label)]
    answers = tuple(answer for one in chosen for answer in as_pair(question, one.passage, one.sentence).answers)
    return QuestionAnswer(question=question, answer=answers[0].text, answers=answers)


def combine(case: Case, findings: Sequence[Finding], statements: int) -> Thought[Verdict]:
    """The verdict of a claim by those of its statements; statements that were not read stay open."""
    if not findings:
        return no_verdict(case)
    if len(findings) == statements == 1:
        return findings[0][1]
    verdicts = [verdict.content for _, verdict in findings]
    labels = {verdict.label for verdict in verdicts}
    against = next((one for one in (Label.REFUTED, Label.CONFLICTING) if one in labels), None)
    supported = labels == {Label.SUPPORTED} and len(findings) == statements
    label = against or (Label.SUPPORTED if supported else Label.NOT_ENOUGH_EVIDENCE)
    mine = [verdict.confidence for verdict in verdicts if verdict.label is label]
    # One sure statement refutes, the least sure one carries the rest; none, if the time ran out after a supported one.
    confidence = max(mine) if against else min(mine, default=GUESS)
    reason = " ".join(
        f"{number}. {quotation(statement)} {verdict.content.label}: {verdict.content.justification}"
        for number, (statement, verdict) in enumerate(findings, start=1)
    )
    merged = Verdict(label=label, justification=reason, confidence=confidence)
    return case.graph.add(merged, [verdict for _, verdict in findings], "combine", under=case.graph.root)


def by_strength(label: Label, pages: Sequence["PageVerdict"]) -> list["PageVerdict"]:
    """Return pages by how much they carry a label, the strongest first."""

    def carried(page: "PageVerdict") -> float:
        sides = {Label.SUPPORTED: page.supporting.supported, Label.REFUTED: page.refuting.refuted}
        return sides.get(label, page.decided if label is Label.CONFLICTING else page.nearest.nearness)

    return sorted(pages, key=carried, reverse=True)


def justify(label: Label, pages: Sequence["PageVerdict"]) -> str:
    """Return why a statement has a label: decided, found but not decided, or nothing found."""

    def said(side: Label, words: str = "") -> str:
        window = by_strength(side, pages)[0].deciding(side)
        quoted = quotation(window.sentence)
        return f"{document(window.passage.url)}{words}: {quoted}{'' if quoted.endswith(('.”', '!”', '?”')) else '.'}"

    if not pages:
        return f"{NOTHING_FOUND}."
    match label:
        case Label.SUPPORTED:
            return said(label, " says so")
        case Label.REFUTED:
            return said(label, " contradicts it")
        case Label.CONFLICTING:
            return f"The sources disagree. {said(Label.SUPPORTED)} {said(Label.REFUTED)}"
    on_it = max(page.nearest.nearness for page in pages) >= SPEAKS
    return f"{'Could not decide' if on_it else NOTHING_FOUND}; nearest is {said(label)}"


def justify_language(subject: str, codes: Collection[str]) -> str:
    """Return why nothing was read: it is in languages that the reader does not read."""
    names = " and ".join(sorted(_LANGUAGES.get(code, f"the language {code!r}") for code in codes))
    return (
        f"{subject} in {names}, which the reader does not read. "
        "Choose one that does (--verifier), or a profile with a language model."
    )
