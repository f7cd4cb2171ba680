"""The whole proof on a machine with a GPU, in one command and one file to send.

    scripts/setup.sh gpu test
    .venv/bin/python -m scripts.prove_gpu --claims dev.json --knowledge-store stores/dev --output proof.json

Four steps, each a process of its own, so that a failure in one is recorded and the next still runs:

    machine   hardware, versions, and what doctor finds
    first     one bundled claim with the whole profile: its verdict within three minutes, or what stopped it
    run       claims of a split, with the time report, as the shared task counts it
    parity    adapters, AWQ and schemas against references of our own (the tests that are marked vllm)

All of it ends within ``--minutes``: a step that is running then is stopped. Exit status 0 if all steps succeeded, else
1; the file says of each what it found and how long it took.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from signal import SIGKILL
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TAIL = 4000  # characters of what a step printed
WRITTEN = ("submission", "timings", "run")
FIRST = 180.0  # seconds that the first verdict may take
DESCRIBE = "import json; from system.hardware.machine import describe_machine; print(json.dumps(describe_machine()))"


class StepFailed(Exception):
    """A step ended with an error; holds what it printed last."""


@dataclass(frozen=True)
class Proof:
    """What a step works with: the options, a folder of its own, and the time at which all has to end."""

    args: argparse.Namespace
    scratch: Path
    until: float

    def run(self, *arguments: str, seconds: float = inf, check: bool = True) -> str:
        """Run a Python process and return its output; raise ``StepFailed`` if it fails or does not end in time."""
        left = max(1.0, min(seconds, self.until - time.monotonic()))
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        with subprocess.Popen([sys.executable, *arguments], cwd=ROOT, start_new_session=True, **streams) as process:
            try:
                printed, _ = process.communicate(timeout=left)
            except subprocess.TimeoutExpired as error:
                said = (error.stdout or b"").decode(errors="replace")  # bytes, even of a process of text
                raise StepFailed(f"stopped after {left:.0f} s: {said[-TAIL:]}") from error
            finally:
                with suppress(ProcessLookupError):  # what it started goes with it, and leaves the card
                    os.killpg(process.pid, SIGKILL)
        if check and process.returncode:
            raise StepFailed(f"status {process.returncode}: {printed[-TAIL:]}")
        return str(printed)

    def check_claims(self, *options: str, seconds: float = inf) -> dict[str, Any]:
        """Check claims with the profile and return what the run wrote."""
        output = ["--output", str(self.scratch)]
        self.run("-m", "system", *self.profile, *options, *output, seconds=seconds)
        return {name: json.loads((self.scratch / f"{name}.json").read_text()) for name in WRITTEN}

    @property
    def profile(self) -> list[str]:
        """The options that name profile and model."""
        return ["--profile", self.args.profile, *(["--model", self.args.model] if self.args.model else [])]


def machine(proof: Proof) -> dict[str, Any]:
    """Describe the machine, and what doctor finds missing."""
    doctor = proof.run("-m", "system", "doctor", *proof.profile, check=False)
    return {**json.loads(proof.run("-c", DESCRIBE).splitlines()[-1]), "doctor": doctor[-TAIL:]}


def first(proof: Proof) -> dict[str, Any]:
    """Check one bundled claim with the whole profile."""
    found = proof.check_claims("--limit", "1", seconds=FIRST)
    (row,) = found["submission"]
    print(f"first verdict: {row['pred_label']} ({row['claim']})", flush=True)
    return {"verdict": row["pred_label"], "timings": found["timings"]}


def run(proof: Proof) -> dict[str, Any]:
    """Run claims; return the time report and the settings."""
    args = proof.args
    data = ["--claims", args.claims, "--knowledge-store", args.knowledge_store] if args.claims else []
    found = proof.check_claims(*data, "--limit", str(args.limit))
    return {name: found[name] for name in ("timings", "run")}


def parity(proof: Proof) -> dict[str, Any]:
    """Run the engine's tests."""
    said = proof.run("-m", "pytest", "-q", "-rs", "-m", "vllm", "tests/system/models")
    if " passed" not in said:
        raise StepFailed(f"no test ran: {said[-TAIL:]}")
    return {"tests": said[-TAIL:]}


STEPS = {"machine": machine, "first": first, "run": run, "parity": parity}


def prove(args: argparse.Namespace) -> bool:
    """Take the steps, write the file after each, and say whether all did what they should."""
    until = time.monotonic() + 60 * args.minutes
    proof: dict[str, Any] = {"arguments": vars(args) | {"output": str(args.output)}, "steps": {}}
    for name in args.steps:
        print(f"{name} …", flush=True)
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            try:
                if began >= until:
                    raise StepFailed(f"not begun: {args.minutes:g} minutes are over")
                found: dict[str, Any] = {"found": STEPS[name](Proof(args, Path(scratch), until))}
            except StepFailed as error:
                found = {"error": str(error)}
        proof["steps"][name] = {"seconds": round(time.monotonic() - began, 1), **found}
        args.output.write_text(json.dumps(proof, indent=2), encoding="utf-8")
    failed = [name for name, step in proof["steps"].items() if "error" in step]
    print(f"{args.output}: {'failed: ' + ', '.join(failed) if failed else 'all steps did what they should'}")
    return not failed


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--profile", default="a10g", help="of the run (default: a10g)")
    made.add_argument("--model", default="", help="folder or name of a model for all steps (default: the profile's)")
    made.add_argument("--minutes", type=float, default=15.0, help="that all steps may take together (default: 15)")
    made.add_argument("--claims", default="", help="AVeriTeC's dev.json (default: the bundled examples)")
    made.add_argument("--knowledge-store", default="", help="its stores")
    made.add_argument("--limit", type=int, default=20, help="claims of the run (default: 20)")
    made.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS), help="which steps (default: all)")
    made.add_argument("--output", type=Path, default=Path("proof.json"), help="file to write (default: proof.json)")
    return made


if __name__ == "__main__":
    sys.exit(0 if prove(parser().parse_args()) else 1)
