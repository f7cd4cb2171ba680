"""A card that is only simulated: it serves requests as vLLM does, on the clock of the running event loop.

In each step every sequence that is decoding gets a token, and prompts fill what the step has room for; what the prefix
cache holds is not computed again, and what finds no room for its keys and values waits.

All figures come from card.toml: an A10G with Qwen2.5-14B (AWQ), in one of several scenarios.
"""

import asyncio
import tomllib
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any
from zlib import crc32

INPUTS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
CHARACTERS = INPUTS["model"]["characters_per_token"]
BLOCK = 16  # tokens that the prefix cache keeps or drops together


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
        work = 2 * encoder["parameters"] * encoder["tokens"]
        return float(work / (INPUTS["card"]["flops"] * self.efficiency))


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
    """Serves requests in steps; ``seconds`` and ``tokens`` count by stage what it did.

    Args:
        scenario: how fast it is.
        sequences: limit of requests decoded together.
        batched: limit of a step in tokens.
        cached: tokens of keys and values that the card holds, those of the prefix cache included; a request that
            finds no room for its prompt and reply waits.
    """

    def __init__(
        self,
        scenario: Scenario,
        sequences: int = 64,
        batched: int = 4096,
        cached: int = INPUTS["model"]["kv_tokens"],
    ) -> None:
        self._scenario, self._sequences, self._batched, self._room = scenario, sequences, batched, cached // BLOCK
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
        room = self._batched - len(decoding)
        for one in self._running:
            read = min(one.prompt, room)
            room, one.prompt = room - read, one.prompt - read
            if read:
                self.tokens[one.stage] += read
                await self._spend(one.stage, read / self._scenario.rate)
        if decoding:
            await self._decode(decoding, alone=len(decoding) == len(self._running) and not self._waiting)

    def _admit(self) -> None:
        for one in self._running:
            if not (one.prompt or one.reply or one.done.done()):
                one.done.set_result(None)
        self._running = [one for one in self._running if one.prompt or one.reply]
        while self._waiting and len(self._running) < self._sequences and self._fits(self._waiting[0]):
            one = self._waiting.popleft()
            if one.prompt:
                one.prompt -= min(self._hits(one.blocks) * BLOCK, one.prompt - 1)
                self._running.append(one)

    def _fits(self, one: Job) -> bool:
        held = sum(other.context + other.reply for other in self._running)
        return not self._running or held + one.context + one.reply <= self._room * BLOCK

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
        seconds = self._scenario.step + self._scenario.cached_token * sum(one.context for one in decoding)
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
