"""The least time that a claim can take on a device, whatever the engine: arithmetic of prefill, traffic of decoding."""

from collections.abc import Sequence
from dataclasses import dataclass

from scripts.benchmarks.card import INPUTS
from system.hardware.memory import MemoryPlan
from system.settings import GraphSettings
from system.tasks.base import Adapter


@dataclass(frozen=True)
class Device:
    """Peak figures of the data sheet: dense half-precision FLOP/s and bytes/s of memory."""

    flops: float
    bandwidth: float


DEVICES = {
    "a10g": Device(INPUTS["card"]["flops"], INPUTS["card"]["bandwidth"]),
    "l4": Device(121e12, 300e9),
    "a100-40gb": Device(312e12, 1555e9),
    "h200": Device(989e12, 4800e9),
}


@dataclass(frozen=True)
class Stage:
    """Requests of a claim that can run together.

    Attributes:
        shared: tokens of a prompt that all claims have in common: the system message.
        of_claim: tokens after them that all requests of the claim to this adapter have in common.
        own: tokens that only this request has.
        reply: tokens of its reply.
    """

    adapter: Adapter
    requests: int
    shared: int
    of_claim: int
    own: int
    reply: int


def stages(graph: GraphSettings, passages: int, adapters: bool) -> list[Stage]:
    """A claim of the ``got`` strategy whose branches all go to the last round.

    Prompt and reply lengths are those of the prompts in ``system/tasks`` with average AVeriTeC dev claims, questions
    and answers, and passages of 1,000 characters, at 4.2 characters a token.
    """
    system = 55 if adapters else 290
    claim = 115

    def stage(adapter: Adapter, requests: int, own: int, reply: int, shared: int = system) -> Stage:
        return Stage(adapter if adapters else Adapter.NONE, requests, shared, claim, own, reply)

    line = [stage(Adapter.QUESTION_GENERATION, graph.questions, 10, 25)]
    for turn in range(1, graph.depth + 1):
        if turn > 1:
            line.append(stage(Adapter.QUESTION_GENERATION, graph.branches, 10 + 65 * (turn - 1), 25))
        line.append(stage(Adapter.QUESTION_ANSWERING, graph.branches * passages, 275, 65))
        line.append(stage(Adapter.NONE, graph.branches, 30 + 55 * passages, 90, shared=200))
        line.append(stage(Adapter.VERDICT_PREDICTION, graph.branches, 10 + 65 * turn, 60))
    return line


def prefill_tokens(line: Sequence[Stage], prefix_cache: bool) -> int:
    """Prompt tokens of a claim that have to be computed.

    With the cache, what all claims share is there already, and a claim's own prefix is computed once by adapter.
    """
    if not prefix_cache:
        return sum(s.requests * (s.shared + s.of_claim + s.own) for s in line)
    return sum(s.requests * s.own for s in line) + sum({(s.adapter, s.shared): s.of_claim for s in line}.values())


def floor_seconds(
    line: Sequence[Stage], parameters: int, plan: MemoryPlan, device: Device, concurrent_claims: int, prefix_cache: bool
) -> float:
    """Seconds a claim, when ``concurrent_claims`` claims share every step of decoding.

    Prefill: two operations a parameter and token. Decoding: a step reads the weights once for all its sequences, and
    each sequence's own keys and values.

    Args:
        parameters: of the transformer blocks; the embedding is looked up, and the output layer serves one position.
    """
    prefill = 2 * parameters * prefill_tokens(line, prefix_cache) / device.flops
    steps = sum(stage.reply for stage in line)
    cached = sum(s.requests * s.reply * (s.shared + s.of_claim + s.own + s.reply / 2) for s in line)
    traffic = steps * (plan.weights + plan.adapters) / concurrent_claims + cached * plan.kv_per_token
    return prefill + traffic / device.bandwidth
