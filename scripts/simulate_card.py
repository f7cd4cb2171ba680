"""A run on a card that is only simulated: real strategy, real prompts, a scripted model, on a clock that jumps.

    python -m scripts.simulate_card deadlines     # what the deadline cuts, by claim and by run
    python -m scripts.simulate_card costs         # what a claim costs by stage, and what lowers it

The card is an A10G with Qwen2.5-14B (AWQ) and three adapters, modelled as vLLM works: in each step every sequence that
is decoding gets a token, and prompts fill what the step has room for; what a prefix cache holds is not computed again.
Only the card's work takes time. So the figures are arithmetic, no measurement.
"""

import argparse
import asyncio
import random
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from unittest.mock import patch
from zlib import crc32

import numpy as np

from knowledge_store.dense.encoder import Vectors
from knowledge_store.dense.search import Hit
from knowledge_store.pages.page import Passage, ReadingReport
from knowledge_store.ranking import RankedStore
from system.check import Engine, check
from system.deadline import Allowance
from system.models.base import Request
from system.models.prompting import render
from system.models.scripted import ScriptedModel
from system.records import AnswerType, Claim, ClaimResult, Label, Source
from system.settings import Settings, load
from system.tasks.answer_question import AnswerQuestion, AnswerReply
from system.tasks.ask_question import AskQuestion, QuestionReply
from system.tasks.base import Adapter, Reply
from system.tasks.debate import GO_ON, Argue, ArgumentReply, CloseDebate, Moderate, RulingReply
from system.tasks.judge_claim import JudgeClaim, VerdictReply
from system.tasks.merge_answers import MergeAnswers, MergeReply
from tests import fake_time

TRAINED = {Adapter.QUESTION_GENERATION, Adapter.QUESTION_ANSWERING, Adapter.VERDICT_PREDICTION}
CHARACTERS = 4.2  # of a token
BLOCK = 16  # tokens that the prefix cache keeps or drops together
STEP = 0.017  # seconds to read 10 GB of weights at 600 GB/s
CACHED_TOKEN = 196_608 / 600e9  # seconds to read the keys and values of one token
EMBEDDED = 250 * 2 * 0.44e9 / 50e12  # seconds a passage: Qwen3-Embedding-0.6B at 40 % of 125 TFLOP/s
RANKING = 3.0  # seconds to read and rank a store, in another process


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
    """Serves requests in steps; ``seconds`` and ``tokens`` count by stage what it did.

    Args:
        rate: prompt tokens a second.
        sequences: requests that are decoded together, at most.
        batched: tokens of a step, at most.
        cached: tokens that the prefix cache holds.
    """

    def __init__(self, rate: float, sequences: int = 64, batched: int = 4096, cached: int = 40_000) -> None:
        self._rate, self._sequences, self._batched, self._room = rate, sequences, batched, cached // BLOCK
        self._waiting: deque[Job] = deque()
        self._running: list[Job] = []
        self._cache: OrderedDict[int, None] = OrderedDict()
        self._arrived = asyncio.Event()
        self._passages = 0
        self.seconds: Counter[str] = Counter()
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
            await self._spend("embed", passages * EMBEDDED)
        self._admit()
        decoding = [one for one in self._running if not one.prompt]
        room = self._batched - len(decoding)
        for one in self._running:
            read = min(one.prompt, room)
            room, one.prompt = room - read, one.prompt - read
            if read:
                self.tokens[one.stage] += read
                await self._spend(one.stage, read / self._rate)
        if decoding:
            await self._decode(decoding, alone=len(decoding) == len(self._running) and not self._waiting)

    def _admit(self) -> None:
        for one in self._running:
            if not (one.prompt or one.reply or one.done.done()):
                one.done.set_result(None)
        self._running = [one for one in self._running if one.prompt or one.reply]
        while self._waiting and len(self._running) < self._sequences:
            one = self._waiting.popleft()
            if one.prompt:
                one.prompt -= min(self._hits(one.blocks) * BLOCK, one.prompt - 1)
                self._running.append(one)

    def _hits(self, blocks: Sequence[int]) -> int:
        """Blocks at the beginning that the cache holds; the others are in it from now on."""
        hits = next((place for place, block in enumerate(blocks) if block not in self._cache), len(blocks))
        for block in reversed(blocks):  # as vLLM frees them: what prompts begin with goes last
            self._cache[block] = None
            self._cache.move_to_end(block)
        while len(self._cache) > self._room:
            self._cache.popitem(last=False)
        return hits

    async def _decode(self, decoding: list[Job], *, alone: bool) -> None:
        """A step of decoding, or with nothing to prefill as many as end a reply or until a request arrives."""
        seconds = STEP + CACHED_TOKEN * sum(one.context for one in decoding)
        steps = min(one.reply for one in decoding) if alone else 1
        began = asyncio.get_running_loop().time()
        if steps > 1:
            self._arrived.clear()
            try:
                async with asyncio.timeout(steps * seconds):
                    await self._arrived.wait()
                steps = min(steps, ceil((asyncio.get_running_loop().time() - began) / seconds))
            except TimeoutError:
                pass
        await asyncio.sleep(began + steps * seconds - asyncio.get_running_loop().time())
        for one in decoding:
            one.reply, one.context = max(0, one.reply - steps), one.context + steps
            self.seconds[one.stage] += steps * seconds / len(decoding)

    async def _spend(self, stage: str, seconds: float) -> None:
        self.seconds[stage] += seconds
        await asyncio.sleep(seconds)


def _blocks(adapter: str, prompt: str) -> Iterator[int]:
    """The blocks of a prompt, each by all that stands before it."""
    size, chain = int(BLOCK * CHARACTERS), crc32(adapter.encode())
    for start in range(0, len(prompt) - size, size):
        chain = crc32(prompt[start : start + size].encode(), chain)
        yield chain


WORDS = [f"{first}{second}" for first in ("ba", "cor", "den", "fal", "gri") for second in ("ton", "ming", "vale", "s")]
# Chances that a branch finds not enough in a round, and how many of a hundred claims are so: the last kind mostly ends
# there, as 10 of the 500 claims of dev did for the paper's system (section 4).
UNDECIDED = {0.1: 70, 0.4: 27, 0.9: 3}


def words(chance: random.Random, number: int) -> str:
    """Words of six characters on average, as in news."""
    return " ".join(chance.choices(WORDS, k=number))


class Passages:
    """In place of a claim's index: any passages, each question's candidates embedded once."""

    def __init__(self, card: Card, settings: Settings) -> None:
        self._card, self._settings = card, settings.retrieval
        self._asked: set[str] = {""}
        card.embed(self._settings.dense_candidates)  # the claim's own

    def prepare(self, questions: Sequence[str]) -> None:
        """See ``PassageIndex.prepare``; no candidate serves two questions, so this is the most that it can cost."""
        self._card.embed(self._settings.dense_candidates * len({*questions} - self._asked))
        self._asked.update(questions)

    def nearest(self, question: str, limit: int, found: Sequence[Passage] = ()) -> list[Hit]:
        """See ``PassageIndex.nearest``."""
        chance = random.Random(question)
        pages = chance.sample(range(10_000), limit)
        return [Hit(Passage(words(chance, 160)[:1000], f"https://page{page}.example/", page, 0), 0.5) for page in pages]


class Directions:
    """An encoder for which every text has a direction of its own."""

    dimension = 64

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        vectors = np.array([np.random.default_rng(crc32(text.encode())).normal(size=64) for text in texts])
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    encode_queries = encode


def reply_to(request: Request) -> Reply:
    """A reply as long as real ones are; it depends on the request alone: the claim's kind, its label, and chance."""
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
            type_ = chance.choice((AnswerType.EXTRACTIVE, AnswerType.ABSTRACTIVE, AnswerType.UNANSWERABLE))
            return AnswerReply(source=Source.EVIDENCE, type=type_, answer=words(chance, 35))
        case MergeAnswers():
            return MergeReply(answer=words(chance, 50), sources=[1])
        case JudgeClaim():
            label = Label.NOT_ENOUGH_EVIDENCE if chance.random() < undecided else found
            return VerdictReply(justification=words(chance, 40), label=label)
        case Argue():
            return ArgumentReply(argument=words(chance, 120), citations=[1, 2])
        case Moderate():
            reasons = {name: words(chance, 25) for name in ("insight", "gaps", "reason")}
            return RulingReply(**reasons, decision=GO_ON if chance.random() < undecided else gold)
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
    """What a run came to: its results, its seconds on the wall, and what the card did."""

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


def simulate(settings: Settings, number: int, rate: float, *, shared: bool = True) -> Run:
    """Check claims on a card of so many prompt tokens a second.

    Args:
        shared: whether the claims share the run's time; otherwise each has its own budget, as before.
    """

    async def run() -> Run:
        card = Card(rate, settings.engine.sequences, settings.engine.batched_tokens)
        clock = asyncio.get_running_loop().time
        places = settings.run.max_concurrent_claims
        allowance = Allowance(settings.run.budget, places, clock)
        working = asyncio.Semaphore(places)

        async def answer(request: Request) -> Reply:
            reply = reply_to(request)
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

        with patch("system.check.PassageIndex", lambda *_: Passages(card, settings)):
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
        for in_flight in places:
            settings = settings_with(max_concurrent_claims=in_flight)
            shared = simulate(settings, number, rate)
            whole = shared
            if shared.cut:
                whole = simulate(settings_with(max_concurrent_claims=in_flight, budget=1e9), number, rate)
            own = simulate(settings, number, rate, shared=False)
            for name, run in (("each claim's", own), ("the mean", shared)):
                longest = max(result.timing.seconds for result in run.results)
                counts = f"{run.each:.1f} | {longest:.0f} s | {run.cut} | {lost(run, whole)}"
                print(f"| {rate:,.0f} | {in_flight} | {name} | {counts} |", flush=True)


STAGES = {
    "embedding": ("embed",),
    "asking": ("ask_question",),
    "answering": ("answer_question",),
    "merging": ("merge_answers",),
    "judging": ("judge_claim",),
    "debating": ("argue", "moderate", "close_debate"),
}


# Changes whose cost is compared; the first is the profile as it is.
CHANGES: dict[str, dict[str, object]] = {
    "the profile": {},
    "64 candidates": {"dense_candidates": 64},
    "4 passages": {"top_k": 4},
    "no debate": {"debate": False},
}


def costs(number: int, rates: Sequence[float], places: Sequence[int]) -> None:
    """Print what a claim costs by stage: with more claims in flight, and with each change where the first number is."""
    print(f"| tokens/s | in flight | | {' | '.join(STAGES)} | s a claim | prompt tokens |")
    print("|---:|---:|---|" + "---:|" * (len(STAGES) + 2))
    for rate in rates:
        for in_flight, name in [*((n, "the profile") for n in places), *((places[0], n) for n in [*CHANGES][1:])]:
            run = simulate(settings_with(max_concurrent_claims=in_flight, **CHANGES[name]), number, rate)
            print(f"| {rate:,.0f} | {in_flight} | {name} | {cost_row(run)} |", flush=True)


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
    parser.add_argument("--in-flight", type=int, nargs="+", default=[4, 1, 8, 16], help="claims at the same time")
    args = parser.parse_args()
    table = deadlines if args.table == "deadlines" else costs
    table(args.claims, args.rates, args.in_flight)


if __name__ == "__main__":
    main()
