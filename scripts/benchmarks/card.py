"""A run on a card that is only simulated: real strategies, real prompts, a scripted model, on a clock that jumps.

    python -m scripts.benchmarks.card [--claims 100] [--systems got rag paper]

Only the card's work takes time, and all inputs stand in card.toml: an A10G with Qwen2.5-14B (AWQ), in one of several
scenarios. So the figures are arithmetic, no measurement. The table gives the card's seconds a claim by
stage, and the seconds of the run a claim.

The card serves requests as vLLM does. In each step every sequence that is decoding gets a token, and prompts fill the
room that is left. What the prefix cache holds is not computed again, and a request without room for its keys and values
waits.
"""

import argparse
import asyncio
import random
import tomllib
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import ceil
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import numpy as np

from knowledge_store.dense.encoder import Vectors
from knowledge_store.dense.search import Hit
from knowledge_store.pages.page import Flaws, Passage, ReadingReport
from knowledge_store.ranking import RankedStore
from knowledge_store.settings import BM25_TOP_K
from system.check import Engine, check
from system.deadline import Allowance
from system.graph.records import AnswerType, Claim, ClaimResult, Label, Source
from system.models.base import Request
from system.models.prompting import render
from system.settings import BATCHED_TOKENS, CLAIM_LIMIT, SEQUENCES, Settings, load
from system.strategies.debate.tasks import CONTINUE, Argue, CloseDebate, Moderate, RulingReply
from system.strategies.rag.tasks import CitedPair, Ratings, SourcesReply, WeighSources
from system.strategies.steps.tasks import (
    AnswerQuestion,
    AnswerReply,
    ArgumentReply,
    AskQuestion,
    JudgeClaim,
    MergeAnswers,
    MergeReply,
    QuestionReply,
    VerdictReply,
    VerificationReply,
    VerifyAnswer,
)
from system.tasks.base import Adapter, Reply
from tests.helpers import fake_time
from tests.helpers.scripted import ScriptedModel

INPUTS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
CLAIMS, CHARACTERS = INPUTS["claims"], INPUTS["model"]["characters_per_token"]
BLOCK = 16  # tokens that the prefix cache keeps or drops together
KV_BLOCKS: int = INPUTS["model"]["kv_tokens"] // BLOCK  # of keys and values, those of the prefix cache included


@dataclass(frozen=True)
class Scenario:
    """How fast the card is, and how its claims turn out; see card.toml.

    Attributes:
        efficiency: share of the card's operations a second that prefill and encoder reach.
        step: seconds of a decoding step, without keys and values.
        new_candidates: share of a question's candidates that are embedded for it.
        undecided: chances that a branch finds not enough in a round, each with its number of claims in a hundred.
    """

    efficiency: float
    step: float
    new_candidates: float
    undecided: tuple[tuple[float, int], ...]

    @property
    def rate(self) -> float:
        """Prompt tokens a second."""
        return float(INPUTS["card"]["flops"] * self.efficiency / (2 * INPUTS["model"]["parameters"]))

    @property
    def cached_token(self) -> float:
        """Seconds to read the keys and values of one token."""
        return float(INPUTS["model"]["kv_per_token"] / INPUTS["card"]["bandwidth"])

    @property
    def embedded(self) -> float:
        """Seconds to embed a passage."""
        encoder = INPUTS["encoder"]
        products = 2 * encoder["parameters"] / (INPUTS["card"]["flops"] * self.efficiency)
        return float(encoder["tokens"] * (products + encoder["bytes"] / INPUTS["card"]["bandwidth"]))


SCENARIOS = {
    name: Scenario(**{**given, "undecided": tuple(map(tuple, given["undecided"]))})
    for name, given in INPUTS["scenarios"].items()
}


@dataclass
class Job:
    """A request on the card: tokens of its prompt and of its reply that are still to come."""

    stage: str
    prompt: int
    context: int
    reply: int
    blocks: list[int]
    done: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Card:
    """Serves requests in steps, as fast as the scenario says; ``seconds`` and ``tokens`` count by stage what it did."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._waiting: deque[Job] = deque()
        self._running: list[Job] = []
        self._cache: OrderedDict[int, None] = OrderedDict()
        self._arrived = asyncio.Event()
        self._passages = 0
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.tokens: Counter[str] = Counter()
        self._task = asyncio.create_task(self._work())

    def embed(self, passages: int) -> None:
        """Embed passages before the next step."""
        self._passages += passages

    async def serve(self, stage: str, adapter: str, prompt: str, reply: int) -> None:
        """Return when the reply would be there."""
        blocks = list(_blocks(adapter, prompt))
        length = ceil(len(prompt) / CHARACTERS)
        one = Job(stage, length, length, reply, blocks)
        self._waiting.append(one)
        self._arrived.set()
        try:
            await one.done
        finally:  # a request that is given up leaves the card
            one.prompt = one.reply = 0

    async def _work(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._waiting or self._running:
                await self._step()

    async def _step(self) -> None:
        if self._passages:
            passages, self._passages = self._passages, 0
            self.tokens["embed"] += passages
            await self._spend("embed", passages * self._scenario.embedded)
        self._admit()
        decoding = [one for one in self._running if not one.prompt]
        room = BATCHED_TOKENS - len(decoding)
        for one in self._running:
            read = min(one.prompt, room)
            room, one.prompt = room - read, one.prompt - read
            if read:
                self.tokens[one.stage] += read
                await self._spend(one.stage, read / self._scenario.rate)
        if decoding:
            await self._decode(decoding)

    def _admit(self) -> None:
        for one in self._running:
            if not (one.prompt or one.reply or one.done.done()):
                one.done.set_result(None)
        self._running = [one for one in self._running if one.prompt or one.reply]
        while self._waiting and len(self._running) < SEQUENCES and self._fits(self._waiting[0]):
            one = self._waiting.popleft()
            if one.prompt:
                one.prompt -= min(self._hits(one.blocks) * BLOCK, one.prompt - 1)
                self._running.append(one)

    def _fits(self, one: Job) -> bool:
        held = sum(other.context + other.reply for other in self._running)
        return not self._running or held + one.context + one.reply <= KV_BLOCKS * BLOCK

    def _hits(self, blocks: Sequence[int]) -> int:
        """Return the blocks at the beginning that the cache holds; the others are in it from now on."""
        hits = next((place for place, block in enumerate(blocks) if block not in self._cache), len(blocks))
        for block in reversed(blocks):  # as vLLM frees them: what prompts begin with goes last
            self._cache[block] = None
            self._cache.move_to_end(block)
        while len(self._cache) > KV_BLOCKS:
            self._cache.popitem(last=False)
        return hits

    async def _decode(self, decoding: list[Job]) -> None:
        """Decode one token of each sequence."""
        seconds = self._scenario.step + self._scenario.cached_token * sum(one.context for one in decoding)
        await asyncio.sleep(seconds)
        for one in decoding:
            one.reply, one.context = max(0, one.reply - 1), one.context + 1
            self.seconds[one.stage] += seconds / len(decoding)

    async def _spend(self, stage: str, seconds: float) -> None:
        self.seconds[stage] += seconds
        await asyncio.sleep(seconds)


def _blocks(adapter: str, prompt: str) -> Iterator[int]:
    """Yield the blocks of a prompt, each by all that stands before it."""
    size, chain = int(BLOCK * CHARACTERS), crc32(adapter.encode())
    for start in range(0, len(prompt) - size, size):
        chain = crc32(prompt[start : start + size].encode(), chain)
        yield chain


TRAINED = {*Adapter} - {Adapter.NONE}
WORDS = [f"{first}{second}" for first in ("ba", "cor", "den", "fal", "gri") for second in ("ton", "ming", "vale", "s")]


def words(chance: random.Random, number: int) -> str:
    """Return words of six characters on average, as in news."""
    return " ".join(chance.choices(WORDS, k=number))


class Passages:
    """In place of a claim's index: passages of its own, of which its questions share as many as real ones do."""

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

    def nearest(self, question: str, limit: int, found: Sequence[Passage] = ()) -> list[Hit]:
        """See ``PassageIndex.nearest``."""
        pages = random.Random(question).sample(range(CLAIMS["pages"]), limit)
        texts = [f"{100 + page} {words(random.Random(f'{self._store} {page}'), 160)}"[:1000] for page in pages]
        chance = random.Random(f"{self._store} {question}")  # of the text around each passage
        return [
            Hit(Passage(text, f"https://page{page}.example/", page, 0, words(chance, 110), words(chance, 110)), 0.5)
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


def reply_to(request: Request, scenario: Scenario) -> Reply:
    """Return a reply as long as real ones; it depends only on the request: the claim's kind, its label, and chance."""
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
            type_, length = (
                (AnswerType.EXTRACTIVE, 35) if chance.random() < CLAIMS["answered"] else (AnswerType.UNANSWERABLE, 6)
            )
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
    """Return claims as long as AVeriTeC's."""
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


def simulate(settings: Settings, number: int, scenario: Scenario) -> Run:
    """Check claims on a card; they share the run's time."""

    async def run() -> Run:
        card = Card(scenario)
        clock = asyncio.get_running_loop().time
        places = settings.run.max_concurrent_claims
        allowance = Allowance(settings.run.budget, places, clock, CLAIM_LIMIT)
        working = asyncio.Semaphore(places)

        async def answer(request: Request) -> Reply:
            reply = reply_to(request, scenario)
            adapter = request.task.adapter if request.task.adapter in TRAINED else Adapter.NONE
            prompt = "".join(m["content"] for m in render(request.task, adapter is not Adapter.NONE))
            length = ceil(len(reply.model_dump_json()) / CHARACTERS)
            await card.serve(request.task.name, adapter, prompt, length)
            return reply

        engine = Engine(ScriptedModel(answer), Directions(), settings)
        store = RankedStore((), ReadingReport("simulated", 0, 0, {}), CLAIMS["ranking"])

        async def one(claim: Claim) -> ClaimResult:
            async with working:
                allowance.begin()
                return (await check(engine, claim, store, allowance=allowance))[0]

        stores = count()
        with patch("system.check.PassageIndex", lambda *_: Passages(card, scenario, settings, next(stores))):
            results = await asyncio.gather(*map(one, claims(number)))
        return Run(results, clock(), card)

    return fake_time.run(run())


STAGES = {
    "embedding": ("embed",),
    "asking": ("ask_question",),
    "answering": ("answer_question", "verify_answer"),
    "merging": ("merge_answers",),
    "judging": ("judge_claim",),
    "debating": ("argue", "moderate", "close_debate"),
    "weighing": ("weigh_sources",),
}


SYSTEMS: dict[str, tuple[str, dict[str, object]]] = {  # a profile, and what differs from it
    "got": ("a10g", {}),
    "got --no-debate": ("a10g", {"debate": False}),
    "rag": ("a10g", {"strategy": "rag"}),
    "paper": ("paper", {}),
}


def cost_row(run: Run) -> str:
    """Format the card's seconds a claim by stage, those of the run in all, and the prompt tokens computed."""
    number = len(run.results)
    busy = [sum(run.card.seconds[task] for task in tasks) / number for tasks in STAGES.values()]
    tokens = sum(count for task, count in run.card.tokens.items() if task != "embed") / number
    return " | ".join(f"{value:.2f}" for value in (*busy, run.each)) + f" | {tokens:,.0f}"


def main() -> None:
    """Print times."""
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
