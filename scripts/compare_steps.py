#!/usr/bin/env python3
"""What each step of a claim costs and brings: rules, the base model, or its adapter, for asking, answering and judging.

Runs profile cpu once for each row of the table, with one step changed at a time, and prints accuracy with its paired
difference to the profile as it is (95 % bootstrap interval), macro-F1 and seconds a claim. Rules merge in all rows.

    python scripts/compare_steps.py --claims dev.json --knowledge-store dev --output output/steps --limit 60 \\
        --ask models/small/question_generation --answer models/small/question_answering

Run again, a stopped command resumes; rows that are done are not run again.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson

from submission.read import read_gold, read_predictions
from submission.score import scores_of
from system.settings import load

STEPS = {"ask": "question_generation", "answer": "question_answering", "judge": "verdict_prediction"}
TASKS = {"ask": ["ask_question"], "answer": ["answer_question"], "judge": ["label_claim"]}
ALWAYS = ["verify_answer", "merge_answers"]
ROWS = (
    ("rules", "rules", "adapter"),
    ("rules", "rules", "rules"),
    ("rules", "rules", "base"),
    ("base", "rules", "adapter"),
    ("adapter", "rules", "adapter"),
    ("rules", "base", "adapter"),
    ("rules", "adapter", "adapter"),
    ("base", "base", "base"),
    ("adapter", "adapter", "adapter"),
)
"""Who asks, answers and judges; the first row is the profile, to which the others are compared."""


def main() -> None:
    """Run what is not run yet, and print the table."""
    args = _parser().parse_args()
    adapters = {"ask": args.ask, "answer": args.answer, "judge": load("cpu", {}).model.adapters["verdict_prediction"]}
    gold = [one.label for one in read_gold(args.claims)][: args.limit]
    print("| asks | answers | judges | accuracy | difference | macro-F1 | seconds a claim |\n|" + "---|" * 7)
    first: list[str] = []
    for who in ROWS:
        if any(by == "adapter" and not adapters[step] for step, by in zip(STEPS, who, strict=True)):
            continue  # its adapter was not given
        folder = args.output / "_".join(who)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "profile.toml").write_text(profile(dict(zip(STEPS, who, strict=True)), adapters), encoding="utf-8")
        if not (folder / "run" / "submission.json").exists():
            _run(args, folder)
        found = [one.label for one in read_predictions(folder / "run" / "submission.json")]
        first = first or found
        print(f"| {' | '.join(who)} | {row(gold, found, first)} | {_seconds(folder / 'run'):.1f} |", flush=True)


def profile(who: dict[str, str], adapters: dict[str, str]) -> str:
    """Profile cpu as TOML, with each step by rules, the base model or an adapter.

    Args:
        who: "rules", "base" or "adapter" by step.
        adapters: folder by step.
    """
    rules = [task for step, by in who.items() if by == "rules" for task in TASKS[step]] + ALWAYS
    cpu = load("cpu", {})
    lines = [
        "[model]",
        f'backend = "{cpu.model.backend}"',
        f'model = "{cpu.model.model}"',
        f"rules = {orjson.dumps(rules).decode()}",
        "[model.adapters]",
        *(f'{STEPS[step]} = "{Path(adapters[step]).resolve()}"' for step, by in who.items() if by == "adapter"),
        "[graph]\njustify = false\ndebate = false\npool = true",
        f"[retrieval]\ndense_candidates = {cpu.retrieval.dense_candidates}",
    ]
    return "\n".join(lines) + "\n"


def row(gold: Sequence[str], found: Sequence[str], first: Sequence[str]) -> str:
    """Accuracy, its difference to the first row with a paired 95 % interval, and macro-F1, in percent and of 1."""
    right, before = (
        np.array([label == truth for label, truth in zip(one, gold, strict=True)]) for one in (found, first)
    )
    difference = right.astype(float) - before
    draws = np.random.default_rng(1).integers(len(gold), size=(2000, len(gold)))
    low, high = np.quantile(difference[draws].mean(axis=1), [0.025, 0.975])
    scores = scores_of([str(label) for label in gold], found)
    gap = f"{difference.mean():+.3f} ({low:+.3f} to {high:+.3f})" if found is not first else ""
    return f"{scores.accuracy:.3f} | {gap} | {scores.macro_f1:.3f}"


def _run(args: argparse.Namespace, folder: Path) -> None:
    """Check the claims in a process of its own, so that no row finds another's memory or cache."""
    inputs = ["--claims", str(args.claims), "--knowledge-store", str(args.knowledge_store), "--limit", str(args.limit)]
    where = ["--profile", str(folder / "profile.toml"), "--output", str(folder / "run"), "--resume"]
    subprocess.run([sys.executable, "-m", "system", "run", *inputs, *where, "--budget", "600"], check=True, stdout=2)


def _seconds(run: Path) -> float:
    """Seconds of the run a claim, loading left out."""
    facts = orjson.loads((run / "timings.json").read_bytes())["run"]
    return float(facts["facts"]["run_seconds"] / facts["claims"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=Path, required=True, help="annotated claims")
    parser.add_argument("--knowledge-store", type=Path, required=True, help="folder with <claim id>.json")
    parser.add_argument("--output", type=Path, required=True, help="folder of the runs")
    parser.add_argument("--limit", type=int, default=60, help="the first N claims (default: 60)")
    parser.add_argument("--ask", default="", metavar="DIR", help="adapter that asks; without it its rows are left out")
    parser.add_argument("--answer", default="", metavar="DIR", help="adapter that answers")
    return parser


if __name__ == "__main__":
    main()
