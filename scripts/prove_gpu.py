"""The whole proof on a machine with a GPU, in one command and one file to send.

    scripts/setup.sh gpu test
    .venv/bin/python -m scripts.prove_gpu --claims dev.json --knowledge-store stores/dev --output proof.json

Four steps, each a process of its own, so that what fails in one is recorded and the next still runs:

    machine   hardware, versions, and what doctor finds
    bench     loads the engine; memory in use against the plan, tokens a second (scripts/benchmarks/engine.py)
    parity    adapters, AWQ and schemas against references of our own (the tests that are marked vllm)
    run       claims of a split, with the time report, as the shared task counts it

Exit status 0 if all of them did what they should, else 1; the file says of each what it found and how long it took.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TAIL = 4000  # characters of what a step printed
Step = Callable[[argparse.Namespace, Path], dict[str, Any]]


class StepFailed(Exception):
    """A step ended with an error; holds what it printed last."""


def machine(args: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """The machine of the run, and what doctor finds missing."""
    described = _python(
        "-c", "import json; from system.hardware.machine import describe_machine; print(json.dumps(describe_machine()))"
    )
    found = subprocess.run(
        [sys.executable, "-m", "system", "doctor", *_profile(args)], cwd=ROOT, capture_output=True, text=True
    )
    return {**json.loads(described), "doctor": found.stdout[-TAIL:], "complete": found.returncode == 0}


def bench(args: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Load, memory and speed of the engine, with random weights of the model's shape unless a model is named."""
    what = ["--model", args.model] if args.model else ["--shape", args.shape]
    limits = ["--gpu-memory", str(args.gpu_memory)]
    _python("-m", "scripts.benchmarks.engine", *what, *limits, "--output", str(scratch / "bench.json"))
    return json.loads((scratch / "bench.json").read_text())


def parity(args: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """How many of the engine's tests passed, and the names of those that did not."""
    report = scratch / "parity.xml"
    command = ["-m", "pytest", "-q", "-m", "vllm", "tests/system/models", f"--junitxml={report}"]
    done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True)
    if not report.exists():
        raise StepFailed((done.stdout + done.stderr)[-TAIL:])
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [case.get("name") for case in cases if case.find("skipped") is not None]
    if failed or len(skipped) == len(cases):
        raise StepFailed(f"failed: {failed}, skipped: {skipped}\n{done.stdout[-TAIL:]}")
    return {"passed": len(cases) - len(skipped), "skipped": skipped}


def run(args: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """The time report of a run over claims, and the settings it ran with."""
    data = ["--claims", args.claims, "--knowledge-store", args.knowledge_store] if args.claims else []
    _python("-m", "system", *_profile(args), *data, "--limit", str(args.limit), "--output", str(scratch / "run"))
    read = {name: json.loads((scratch / "run" / f"{name}.json").read_text()) for name in ("timings", "run")}
    return {"timings": read["timings"], "run": read["run"]}


STEPS: dict[str, Step] = {"machine": machine, "bench": bench, "parity": parity, "run": run}


def _python(*arguments: str) -> str:
    """Output of a Python process."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise StepFailed(f"status {done.returncode}: {(done.stdout + done.stderr)[-TAIL:]}")
    return done.stdout


def _profile(args: argparse.Namespace) -> list[str]:
    return ["--profile", args.profile, *(["--model", args.model] if args.model else [])]


def prove(args: argparse.Namespace) -> bool:
    """Take the steps, write the file after each, and say whether all did what they should."""
    proof: dict[str, Any] = {"arguments": vars(args) | {"output": str(args.output)}, "steps": {}}
    for name in args.steps:
        print(f"{name} …", flush=True)
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as scratch:
            try:
                found: dict[str, Any] = {"found": STEPS[name](args, Path(scratch))}
            except StepFailed as error:
                found = {"error": str(error)}
        proof["steps"][name] = {"seconds": round(time.perf_counter() - began, 1), **found}
        args.output.write_text(json.dumps(proof, indent=2), encoding="utf-8")
    failed = [name for name, step in proof["steps"].items() if "error" in step]
    print(f"{args.output}: {'failed: ' + ', '.join(failed) if failed else 'all steps did what they should'}")
    return not failed


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--profile", default="a10g", help="of the run (default: a10g)")
    made.add_argument("--model", default="", help="folder or name of a model for all steps (default: the profile's)")
    made.add_argument("--shape", default="qwen2.5-14b-awq", help="of the bench's random weights without --model")
    made.add_argument("--gpu-memory", type=float, default=22.0, help="GiB that the bench may use (default: 22)")
    made.add_argument("--claims", default="", help="AVeriTeC's dev.json (default: the bundled examples)")
    made.add_argument("--knowledge-store", default="", help="its stores")
    made.add_argument("--limit", type=int, default=50, help="claims of the run (default: 50)")
    made.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS), help="which steps (default: all)")
    made.add_argument("--output", type=Path, default=Path("proof.json"), help="file to write (default: proof.json)")
    return made


if __name__ == "__main__":
    sys.exit(0 if prove(parser().parse_args()) else 1)
