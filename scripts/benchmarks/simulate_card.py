"""A run on a card that is only simulated: real strategies, real prompts, a scripted model, on a clock that jumps.

    python -m scripts.benchmarks.simulate_card [--claims 100] [--strategies got rag paper]

Only the card's work takes time (card.py), and all inputs stand in card.toml. So the figures are arithmetic, no
measurement. The table gives the card's seconds a claim by stage, and the seconds of the run a claim.
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
from knowledge_store.settings import BM25_TOP_K
from scripts.benchmarks.card import CHARACTERS, INPUTS, SCENARIOS, Card, Scenario
from system.check import Engine, check
from system.deadline import Allowance
from system.graph.records import AnswerType, Claim, ClaimResult, Label, Source
from system.models.base import Request
from system.models.prompting import render
from system.models.scripted import ScriptedModel
from system.settings import BATCHED_TOKENS, CLAIM_LIMIT, SEQUENCES, Settings, load
from system.strategies.debate.tasks import CONTINUE, Argue, CloseDebate, Moderate, RulingReply
from system.strategies.rag.tasks import CitedPair, Ratings, SourcesReply, WeighSources
from system.strategies.steps.tasks.answer_question import AnswerQuestion, AnswerReply
from system.strategies.steps.tasks.argument import ArgumentReply
from system.strategies.steps.tasks.ask_question import AskQuestion, QuestionReply
from system.strategies.steps.tasks.judge_claim import JudgeClaim, VerdictReply
from system.strategies.steps.tasks.merge_answers import MergeAnswers, MergeReply
from system.strategies.steps.tasks.verify_answer import VerificationReply, VerifyAnswer
from system.tasks.base import Adapter, Reply
from tests.helpers import fake_time

TRAINED = {Adapter.QUESTION_GENERATION, Adapter.QUESTION_ANSWERING, Adapter.VERDICT_PREDICTION}
ANSWERED: float = INPUTS["claims"]["answered"]
PAGES: int = INPUTS["claims"]["pages"]
RANKING: float = INPUTS["claims"]["ranking"]
WORDS = [f"{first}{second}" for first in ("ba", "cor", "den", "fal", "gri") for second in ("ton", "ming", "vale", "s")]


def words(chance: random.Random, number: int) -> str:
    """Words of six characters on average, as in news."""
    return " ".join(chance.choices(WORDS, k=number))


class Passages:
    """In place of a claim's index: passages of its own, of which its questions have as many in common as real ones do.

    Args:
        store: which claim's.
    """

    def __init__(self, card: Card, scenario: Scenario, settings: Settings, store: int) -> None:
        self._card, self._scenario, self._settings, self._store = card, scenario, settings.retrieval, store
        self._asked: set[str] = set()
        self.flaws = Flaws()
        self._left = BM25_TOP_K
        self._embed(self._settings.dense_candidates)  # the claim's own

    def prepare(self, questions: Sequence[str]) -> None:
        """See ``PassageIndex.prepare``."""
        candidates = self._settings.dense_candidates * len({*questions} - self._asked)
        self._embed(round(self._scenario.new_candidates * candidates))
        self._asked.update(questions)

    def _embed(self, passages: int) -> None:
        """Embed passages, each at most once."""
        self._card.embed(min(passages, self._left))
        self._left -= min(passages, self._left)

    def vectors(self, passages: Sequence[Passage]) -> Vectors:
        """See ``PassageIndex.vectors``."""
        return Directions().encode([passage.text for passage in passages])

    def around(self, passage: Passage) -> tuple[str, str]:
        """See ``PassageIndex.around``: what a neighbor has beyond the passage."""
        chance = random.Random(f"{self._store} {passage.text}")
        return words(chance, 110), words(chance, 110)

    def nearest(self, question: str, limit: int, found: Sequence[Passage] = ()) -> list[Hit]:
        """See ``PassageIndex.nearest``."""
        pages = random.Random(question).sample(range(PAGES), min(limit, PAGES))
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


def reply_to(request: Request, scenario: Scenario, answered: float) -> Reply:
    """A reply as long as real ones are; it depends on the request alone: the claim's kind, its label, and chance.

    Args:
        answered: of the passages that are read, those that answer the question.
    """
    task = request.task
    chance = random.Random(f"{request.seed} {task!r}")
    of_claim = random.Random(task.claim.id)
    gold = of_claim.choice((Label.REFUTED, Label.REFUTED, Label.SUPPORTED))
    chances, weights = zip(*scenario.undecided, strict=True)
    (undecided,) = of_claim.choices(chances, weights)
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
        case WeighSources():
            pairs = [CitedPair(question=words(chance, 13), answer=words(chance, 35), source=n) for n in range(1, 9)]
            rated = Ratings(supported=1, refuted=5, not_enough_evidence=2, conflicting_evidence=1)
            return SourcesReply(pairs=tuple(pairs), justification=words(chance, 60), ratings=rated, label=gold)
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


def simulate(
    settings: Settings, number: int, scenario: Scenario, *, shared: bool = True, answered: float = ANSWERED
) -> Run:
    """Check claims on a card.

    Args:
        answered: see ``reply_to``.
        shared: whether the claims share the run's time; otherwise each has its own budget, as before.
    """

    async def run() -> Run:
        card = Card(scenario, SEQUENCES, BATCHED_TOKENS)
        clock = asyncio.get_running_loop().time
        places = settings.run.max_concurrent_claims
        allowance = Allowance(settings.run.budget, places, clock, CLAIM_LIMIT)
        working = asyncio.Semaphore(places)

        async def answer(request: Request) -> Reply:
            reply = reply_to(request, scenario, answered)
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
        with patch("system.check.PassageIndex", lambda *_: Passages(card, scenario, settings, next(stores))):
            results = await asyncio.gather(*map(one, claims(number)))
        return Run(results, clock(), card)

    return fake_time.run(run())


def settings_with(**changes: object) -> Settings:
    """The profile of the card, changed."""
    return load("a10g", changes)


STAGES = {
    "embedding": ("embed",),
    "asking": ("ask_question",),
    "answering": ("answer_question", "verify_answer"),
    "merging": ("merge_answers",),
    "judging": ("judge_claim",),
    "debating": ("argue", "moderate", "close_debate"),
    "weighing": ("weigh_sources",),
}


SYSTEMS: dict[str, tuple[str, dict[str, object]]] = {
    "got": ("a10g", {}),
    "got --no-debate": ("a10g", {"debate": False}),
    "rag": ("a10g", {"strategy": "rag"}),
    "paper": ("paper", {}),
}
"""What is compared: a profile, and what differs from it."""


def cost_row(run: Run) -> str:
    """The card's seconds a claim by stage, those of the run in all, and the prompt tokens that were computed."""
    number = len(run.results)
    busy = [sum(run.card.seconds[task] for task in tasks) / number for tasks in STAGES.values()]
    tokens = sum(count for task, count in run.card.tokens.items() if task != "embed") / number
    return " | ".join(f"{value:.2f}" for value in (*busy, run.each)) + f" | {tokens:,.0f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=100)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=[*SYSTEMS])
    parser.add_argument("--scenarios", nargs="+", choices=SCENARIOS, default=[*SCENARIOS])
    args = parser.parse_args()
    print(f"| system | scenario | {' | '.join(STAGES)} | s a claim | prompt tokens |")
    print("|---|---|" + "---:|" * (len(STAGES) + 2))
    for name in args.systems:
        profile, changes = SYSTEMS[name]
        for scenario in args.scenarios:
            run = simulate(load(profile, {**changes, "max_concurrent_claims": 8}), args.claims, SCENARIOS[scenario])
            print(f"| {name} | {scenario} | {cost_row(run)} |", flush=True)


if __name__ == "__main__":
    main()
