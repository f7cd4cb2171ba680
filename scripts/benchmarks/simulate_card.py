"""A run on a card that is only simulated: real strategy, real prompts, a scripted model, on a clock that jumps.

    python -m scripts.benchmarks.simulate_card deadlines     # what the deadline cuts, by claim and by run
    python -m scripts.benchmarks.simulate_card costs         # what a claim costs by stage, and what lowers it

Only the card's work takes time (scripts/benchmarks/card.py). So the figures are arithmetic, no measurement.
"""

import argparse
import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil
from unittest.mock import patch
from zlib import crc32

import numpy as np

from knowledge_store.dense.encoder import Vectors
from knowledge_store.dense.search import Hit
from knowledge_store.pages.page import Flaws, Passage, ReadingReport
from knowledge_store.ranking import RankedStore
from scripts.benchmarks.card import CHARACTERS, Card
from system.check import Engine, check
from system.deadline import Allowance
from system.graph.records import AnswerType, Claim, ClaimResult, Label, Source
from system.models.base import Request
from system.models.prompting import render
from system.models.scripted import ScriptedModel
from system.settings import SEQUENCES, Settings, load
from system.strategies.debate.tasks import CONTINUE, Argue, CloseDebate, Moderate, RulingReply
from system.strategies.steps.tasks.answer_question import AnswerQuestion, AnswerReply
from system.strategies.steps.tasks.argument import ArgumentReply
from system.strategies.steps.tasks.ask_question import AskQuestion, QuestionReply
from system.strategies.steps.tasks.judge_claim import JudgeClaim, VerdictReply
from system.strategies.steps.tasks.merge_answers import MergeAnswers, MergeReply
from system.strategies.steps.tasks.verify_answer import VerificationReply, VerifyAnswer
from system.tasks.base import Adapter, Reply
from tests.helpers import fake_time

TRAINED = {Adapter.QUESTION_GENERATION, Adapter.QUESTION_ANSWERING, Adapter.VERDICT_PREDICTION}
ANSWERED = 0.5  # of the passages that are read, those that answer their question
SHARED = 0.25  # of the candidates, those that another question of the claim has too (docs/retrieval.md)
PAGES = 40  # of a claim: of the 25 passages that five questions find, a quarter is then found twice, as measured there
RANKING = 3.0  # seconds to read and rank a store, in another process
WORDS = [f"{first}{second}" for first in ("ba", "cor", "den", "fal", "gri") for second in ("ton", "ming", "vale", "s")]
# Chances that a branch finds not enough in a round, and how many of a hundred claims are so: the last kind mostly ends
# there, as 10 of the 500 claims of dev did for the paper's system (section 4).
UNDECIDED = {0.1: 70, 0.4: 27, 0.9: 3}


def words(chance: random.Random, number: int) -> str:
    """Words of six characters on average, as in news."""
    return " ".join(chance.choices(WORDS, k=number))


class Passages:
    """In place of a claim's index: passages of its own, of which its questions have as many in common as real ones do.

    Args:
        store: which claim's.
    """

    def __init__(self, card: Card, settings: Settings, store: int) -> None:
        self._card, self._settings, self._store = card, settings.retrieval, store
        self._asked: set[str] = set()
        self.flaws = Flaws()
        card.embed(self._settings.dense_candidates)  # the claim's own

    def prepare(self, questions: Sequence[str]) -> None:
        """See ``PassageIndex.prepare``."""
        candidates = self._settings.dense_candidates * len({*questions} - self._asked)
        self._card.embed(round((1 - SHARED) * candidates))
        self._asked.update(questions)

    def nearest(self, question: str, limit: int, found: Sequence[Passage] = ()) -> list[Hit]:
        """See ``PassageIndex.nearest``."""
        pages = random.Random(question).sample(range(PAGES), limit)
        texts = [f"{100 + page} {words(random.Random(f'{self._store} {page}'), 160)}"[:1000] for page in pages]
        return [
            Hit(Passage(text, f"https://page{page}.example/", page, 0), 0.5)
            for text, page in zip(texts, pages, strict=True)
        ]


class Directions:
    """An encoder for which every text has a direction of its own."""

    dimension = 64

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        vectors = np.array([np.random.default_rng(crc32(text.encode())).normal(size=64) for text in texts])
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    encode_queries = encode


def reply_to(request: Request, answered: float) -> Reply:
    """A reply as long as real ones are; it depends on the request alone: the claim's kind, its label, and chance.

    Args:
        answered: of the passages that are read, those that answer the question.
    """
    task = request.task
    chance = random.Random(f"{request.seed} {task!r}")
    of_claim = random.Random(task.claim.id)
    gold = of_claim.choice((Label.REFUTED, Label.REFUTED, Label.SUPPORTED))
    (undecided,) = of_claim.choices([*UNDECIDED], [*UNDECIDED.values()])
    found = gold if chance.random() < 0.9 else (Label.SUPPORTED if gold is Label.REFUTED else Label.REFUTED)
    match task:
        case AskQuestion():
            return QuestionReply(question=f"{words(chance, 13)}?")
        case AnswerQuestion():
            type_, length = (AnswerType.EXTRACTIVE, 35) if chance.random() < answered else (AnswerType.UNANSWERABLE, 6)
            return AnswerReply(source=Source.EVIDENCE, type=type_, answer=words(chance, length))
        case MergeAnswers():
            return MergeReply(answer=words(chance, 50), sources=[1])
        case VerifyAnswer():
            return VerificationReply(reason=words(chance, 25), entailed=True)
        case JudgeClaim():
            label = Label.NOT_ENOUGH_EVIDENCE if chance.random() < undecided else found
            return VerdictReply(justification=words(chance, 40), label=label)
        case Argue():
            return ArgumentReply(argument=words(chance, 120), citations=[1, 2])
        case Moderate():
            reasons = {name: words(chance, 25) for name in ("insight", "gaps", "reason")}
            return RulingReply(**reasons, decision=CONTINUE if chance.random() < undecided else gold)
        case CloseDebate():
            return VerdictReply(justification=words(chance, 70), label=gold)
    raise ValueError(f"no reply to {task.name}")


def claims(number: int) -> list[Claim]:
    """Claims as long as AVeriTeC's."""
    chance = random.Random(1)
    return [
        Claim(id=i, text=words(chance, 17), date="25-8-2020", speaker="Mara Quill", reporting_source="Facebook")
        for i in range(number)
    ]


@dataclass(frozen=True)
class Run:
    """Outcome of a run: its results, its seconds on the wall, and the card's work."""

    results: list[ClaimResult]
    wall: float
    card: Card

    @property
    def each(self) -> float:
        """Seconds of the run a claim, which is what the rule counts."""
        return self.wall / len(self.results)

    @property
    def cut(self) -> int:
        """Claims that the deadline cut short."""
        return sum(result.timing.cut_short for result in self.results)


def simulate(settings: Settings, number: int, rate: float, *, shared: bool = True, answered: float = ANSWERED) -> Run:
    """Check claims on a card of so many prompt tokens a second.

    Args:
        answered: see ``reply_to``.
        shared: whether the claims share the run's time; otherwise each has its own budget, as before.
    """

    async def run() -> Run:
        card = Card(rate, SEQUENCES, settings.engine.batched_tokens)
        clock = asyncio.get_running_loop().time
        places = settings.run.max_concurrent_claims
        allowance = Allowance(settings.run.budget, places, clock, settings.run.claim_limit)
        working = asyncio.Semaphore(places)

        async def answer(request: Request) -> Reply:
            reply = reply_to(request, answered)
            adapter = request.task.adapter if request.task.adapter in TRAINED else Adapter.NONE
            prompt = "".join(m["content"] for m in render(request.task, adapter is not Adapter.NONE))
            length = ceil(len(reply.model_dump_json()) / CHARACTERS)
            await card.serve(request.task.name, adapter, prompt, length)
            return reply

        engine = Engine(ScriptedModel(answer), Directions(), settings)
        store = RankedStore((), (), ReadingReport("simulated", 0, 0, {}), RANKING)

        async def one(claim: Claim) -> ClaimResult:
            async with working:
                allowance.begin()
                return (await check(engine, claim, store, allowance=allowance if shared else None))[0]

        stores = count()
        with patch("system.check.PassageIndex", lambda *_: Passages(card, settings, next(stores))):
            results = await asyncio.gather(*map(one, claims(number)))
        return Run(results, clock(), card)

    return fake_time.run(run())


def settings_with(**changes: object) -> Settings:
    """The profile of the card, changed."""
    return load("a10g", changes)


def lost(run: Run, whole: Run) -> int:
    """Verdicts that differ from those of a run without a deadline."""
    return sum(a.verdict.label is not b.verdict.label for a, b in zip(run.results, whole.results, strict=True))


def deadlines(number: int, rates: Sequence[float], places: Sequence[int]) -> None:
    """Print what the deadline costs, where each claim has a minute by itself and where the run's claims share it."""
    print(
        "| prompt tokens/s | in flight | the minute is | s of the run a claim | longest claim | cut | verdicts lost |"
    )
    print("|---:|---:|---|---:|---:|---:|---:|")
    for rate in rates:
        for concurrent in places:
            settings = settings_with(max_concurrent_claims=concurrent)
            shared = simulate(settings, number, rate)
            whole = shared
            if shared.cut:
                whole = simulate(settings_with(max_concurrent_claims=concurrent, budget=1e9), number, rate)
            own = simulate(settings, number, rate, shared=False)
            for name, run in (("each claim's", own), ("the mean", shared)):
                longest = max(result.timing.seconds for result in run.results)
                counts = f"{run.each:.1f} | {longest:.0f} s | {run.cut} | {lost(run, whole)}"
                print(f"| {rate:,.0f} | {concurrent} | {name} | {counts} |", flush=True)


STAGES = {
    "embedding": ("embed",),
    "asking": ("ask_question",),
    "answering": ("answer_question", "verify_answer"),
    "merging": ("merge_answers",),
    "judging": ("judge_claim",),
    "debating": ("argue", "moderate", "close_debate"),
}


# Changes whose cost is compared; the first is the profile as it is.
CHANGES: dict[str, dict[str, object]] = {
    "the profile": {},
    "64 candidates": {"dense_candidates": 64},
    "512 candidates": {"dense_candidates": 512},
    "5 passages": {"top_k": 5},
    "12 passages": {"top_k": 12},
    "64 candidates, 5 passages": {"dense_candidates": 64, "top_k": 5},
    "7 branches": {"branches": 7, "questions": 8},
    "verification": {"verification": True},
    "no early stop": {"stop_early": False},
    "no debate": {"debate": False},
}


def costs(number: int, rates: Sequence[float], places: Sequence[int], answered: float) -> None:
    """Print what a claim costs by stage: with more claims in flight, and with each change where the first number is."""
    print(f"| tokens/s | in flight | | {' | '.join(STAGES)} | s a claim | prompt tokens |")
    print("|---:|---:|---|" + "---:|" * (len(STAGES) + 2))
    for rate in rates:
        for concurrent, name in [*((n, "the profile") for n in places), *((places[0], n) for n in [*CHANGES][1:])]:
            settings = settings_with(**{"max_concurrent_claims": concurrent, **CHANGES[name]})
            row = cost_row(simulate(settings, number, rate, answered=answered))
            print(f"| {rate:,.0f} | {settings.run.max_concurrent_claims} | {name} | {row} |", flush=True)


def cost_row(run: Run) -> str:
    """The card's seconds a claim by stage, those of the run in all, and the prompt tokens that were computed."""
    number = len(run.results)
    busy = [sum(run.card.seconds[task] for task in tasks) / number for tasks in STAGES.values()]
    tokens = sum(count for task, count in run.card.tokens.items() if task != "embed") / number
    return " | ".join(f"{value:.2f}" for value in (*busy, run.each)) + f" | {tokens:,.0f}"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("deadlines", "costs"))
    parser.add_argument("--claims", type=int, default=500)
    parser.add_argument("--rates", type=float, nargs="+", default=[2000, 4000], help="prompt tokens a second")
    parser.add_argument(
        "--max-concurrent-claims", type=int, nargs="+", default=[8, 1, 4, 16], help="claims at the same time"
    )
    parser.add_argument("--answered", type=float, default=ANSWERED, help="share of the passages that answer (costs)")
    args = parser.parse_args()
    if args.table == "deadlines":
        deadlines(args.claims, args.rates, args.max_concurrent_claims)
    else:
        costs(args.claims, args.rates, args.max_concurrent_claims, args.answered)


if __name__ == "__main__":
    main()
