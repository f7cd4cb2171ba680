"""The backend without a language model. A reply depends on its request only.

Questions are made from the claim's own words, answers are sentences of a passage, and the reader's second head gives
the label.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache
from time import perf_counter

import numpy as np

from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.page import document
from knowledge_store.pages.sentences import ENDING
from system.graph.records import NO_ANSWER, Answer, AnswerType, Claim, Cost, Label, Source
from system.models.base import Completion, ErrorKind, ModelError, Request, Result
from system.reader.base import ANSWER, VERDICTS, Probabilities, Relation, claim_text, evidence_text
from system.reader.loading import BUNDLED, load_reader
from system.reader.reading import nearest, windows_of
from system.strategies.steps import tasks
from system.tasks.base import Reply, Task
from system.text.copies import without_claim, without_copies
from system.text.language import other_language
from system.text.questions import WHEN, WHERE, core, questions
from system.text.words import content_stems, coverage, quotation, sentences

TASKS = (tasks.AskQuestion, tasks.AnswerQuestion, tasks.MergeAnswers, tasks.JudgeClaim)
"""Tasks that need no language model. Answers are cut from their passages, so there is nothing to verify."""

ABOUT = 0.3  # nearness (cosine plus share of words) from which a sentence is about a question
MERGED = 5  # answers that a merged one joins, at most
DECIDING = (1, 2, 3)  # answers that a claim is judged by, those that decide most; the mean of the labels counts
WEIGHTS = np.array([1, 1, 1.4, 1.8])  # of the labels; without, the rare ones are given too seldom
CARRIES = 0.5  # probability from which an answer is quoted for a label
READ = 4096  # answers, and their labels, that are kept


class ExtractiveModel:
    """A backend whose encoder compares questions with sentences and whose reader, given by its name, judges."""

    def __init__(self, encoder: Encoder, reader: str = BUNDLED) -> None:
        self._encoder, self._reader = encoder, reader
        # Several branches judge by the same answer, and the claim is judged by the answers of all.
        self._alone = lru_cache(READ)(lambda *pair: load_reader(reader).probabilities([pair])[0])
        self._labelled = lru_cache(READ)(lambda *pair: load_reader(reader).labels([pair])[0])

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``. Off the event loop, where a long text would hold up every other claim."""
        return await asyncio.to_thread(lambda: [self._complete(request.task) for request in requests])

    async def close(self) -> None:
        """Nothing is held outside the process's memory."""

    def _complete(self, task: Task[Reply]) -> Result:
        started, confidence = perf_counter(), 1.0
        reply: Reply
        match task:
            case tasks.AskQuestion():
                reply = tasks.QuestionReply(question=ask(task))
            case tasks.AnswerQuestion():
                reply = self._answer(task)
            case tasks.MergeAnswers():
                reply = self._merge(task)
            case tasks.JudgeClaim():
                reply, confidence = self._judge(task)
            case _:
                message = f"the extractive reader cannot do {task.name!r}; choose a backend with a language model"
                return ModelError(ErrorKind.BACKEND, message)
        cost = Cost(seconds=perf_counter() - started, calls=1)
        return Completion(reply, cost, raw=reply.model_dump_json(), confidence=confidence)

    def _answer(self, task: tasks.AnswerQuestion) -> tasks.AnswerReply:
        """Return the sentence nearest to the question that does not repeat the claim, or the claim's metadata."""
        if known := {WHEN: task.claim.date, WHERE: task.claim.reporting_source}.get(task.question):
            return tasks.AnswerReply(source=Source.METADATA, type=AnswerType.EXTRACTIVE, answer=known)
        language = load_reader(self._reader).language
        if not (language and other_language(task.passage.text, language)):
            lines = sentences(task.passage.text)
            said = without_claim(lines, task.claim.text)
            windows = windows_of([task.passage], lambda _: said)
            for window in nearest(self._encoder, task.question, windows)[:1]:
                heading = window.sentence != lines[-1] and not ENDING.search(window.sentence)
                if window.nearness >= ABOUT and not heading:
                    return tasks.AnswerReply(source=Source.EVIDENCE, type=AnswerType.EXTRACTIVE, answer=window.sentence)
        return tasks.AnswerReply(source=Source.EVIDENCE, type=AnswerType.UNANSWERABLE, answer=NO_ANSWER)

    def _merge(self, task: tasks.MergeAnswers) -> tasks.MergeReply:
        """Join the answers nearest to the question that do not repeat each other."""
        texts = {given.text: number for number, given in reversed([*enumerate(task.answers, start=1)])}
        vectors = self._encoder.encode([task.question, *texts])
        cosines = dict(zip(texts, (vectors[1:] @ vectors[0]).round(4).tolist(), strict=True))
        chosen = without_copies(sorted(texts, key=lambda text: (-cosines[text], texts[text])))[:MERGED]
        return tasks.MergeReply(answer=" ".join(chosen), sources=[texts[text] for text in chosen])

    def _judge(self, task: tasks.JudgeClaim) -> tuple[tasks.VerdictReply, float]:
        """Judge by the answers that decide most, each in its context: the first alone, then the first few together."""
        statement, claim = core(task.claim.text), claim_text(task.claim)
        answers = [one for pair in task.pairs for one in pair.answers if one.source is Source.EVIDENCE]
        texts = {one: " ".join(in_context(one, task.claim)) for one in answers}
        found = {one: self._alone(texts[one], statement) for one in answers}
        deciding = sorted(found, key=lambda one: found[one][Relation.NOT_ENOUGH])
        read = [*dict.fromkeys(texts[one] for one in deciding)]
        readings = [evidence_text(("", text) for text in read[:number]) or NO_ANSWER for number in DECIDING]
        likely = np.mean([self._labelled(one, claim) for one in readings], axis=0) * WEIGHTS
        likely, best = likely / likely.sum(), int(likely.argmax())

        def says_most(one: Answer, side: Relation) -> str:
            """Return the sentence of the context with the greatest probability, plus half the share of common words."""
            asked, lines = content_stems(statement), in_context(one, task.claim)
            shared = {line: coverage(asked, content_stems(line)) / 2 for line in lines}
            return max(lines, key=lambda line: float(self._alone(line, statement)[side]) + shared[line])

        scores = np.array([*found.values()], np.float32).reshape(-1, 3)
        reasons = justify(VERDICTS[best], [*found], scores, says_most)
        return tasks.VerdictReply(justification=reasons, label=VERDICTS[best]), float(likely[best])


@lru_cache(READ)
def in_context(answer: Answer, claim: Claim) -> tuple[str, ...]:
    """Return an answer with the sentence before it and two behind; those that repeat the claim do not count."""
    lines = without_claim(sentences(answer.passage.text), claim.text)
    if answer.text not in lines:
        return (answer.text,)
    place = lines.index(answer.text)
    before = place > 0 and len(lines[place - 1] + answer.text) < ANSWER
    return tuple(lines[place - before : place + 3])


def justify(
    label: Label, answers: Sequence[Answer], scores: Probabilities, says_most: Callable[[Answer, Relation], str]
) -> str:
    """Say what the evidence says, and quote what ``says_most`` of it in the answer with the greatest score: (n, 3)."""
    if not answers:
        return "No page was found that answers the questions about the claim."

    def most(side: Relation) -> str:
        best = answers[int(scores[:, side].argmax())]
        return _quoted(says_most(best, side), best)

    sides = {Label.SUPPORTED: (Relation.SUPPORTED, "agrees with"), Label.REFUTED: (Relation.REFUTED, "contradicts")}
    if label in sides:
        side, says = sides[label]
        if scores[:, side].max() < CARRIES:
            return f"The evidence as a whole {says} the claim; no answer alone decides it."
        return f"The evidence {says} the claim; most of all: {most(side)}."
    if label is Label.CONFLICTING:
        supporting, refuting = most(Relation.SUPPORTED), most(Relation.REFUTED)
        if supporting != refuting:
            return f"The evidence points both ways: {supporting}, but also {refuting}."
    part = "supports the claim only in part" if label is Label.CONFLICTING else "does not settle the claim"
    closest = answers[int(scores[:, Relation.NOT_ENOUGH].argmin())]
    return f"The evidence {part}; nearest to it: {_quoted(closest.text, closest)}."


def _quoted(text: str, answer: Answer) -> str:
    return f"{quotation(text)} ({document(answer.passage.url)})"


def ask(task: tasks.AskQuestion) -> str:
    """Return the question of the wanted index that was not asked yet; past the last, start again from the first.

    Branches that began with different questions go on with different ones: each starts behind its own first.
    """
    every = questions(task.claim)
    asked = [content_stems(question) for question in (*(pair.question for pair in task.context), *task.asked)]
    first = task.context[0].question if task.context else ""
    own = every.index(first) + 1 if first in every else 0
    turned = every[own:] + every[:own]
    fresh = [question for question in turned if content_stems(question) not in asked] or turned
    return fresh[task.index % len(fresh)]
