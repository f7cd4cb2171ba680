"""What each step of a claim costs and brings: rules, the base model, or its adapter, for asking, answering and judging.

Runs the claims once for each row of the table and prints accuracy with its paired difference to the first row, which is
profile cpu (95% bootstrap interval), macro-F1 and seconds a claim. Rules merge in all rows.

    python -m scripts.compare_steps --claims dev.json --knowledge-store dev --output output/steps --limit 60

Run again, a stopped command resumes; rows that are done are not run again.
"""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from submission.report.material import Material, read_run
from system.app.comparison import Scores, compare
from system.gold import read_gold
from system.settings import PROFILES

STEPS = {"ask": "question_generation", "answer": "question_answering", "judge": "verdict_prediction"}
RULES = {"ask": "ask_question", "answer": "answer_question"}  # judging by rules is a setting of the graph
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
    gold = [one.label for one in read_gold(args.claims)][: args.limit]
    print("| asks | answers | judges | accuracy | difference | macro-F1 | seconds a claim |\n|" + "---|" * 7)
    runs: dict[str, Material] = {}
    for who in ROWS:
        folder = args.output / "_".join(who)
        folder.mkdir(parents=True, exist_ok=True)
        text = profile(tomllib.loads(args.profile.read_text(encoding="utf-8")), dict(zip(STEPS, who, strict=True)))
        (folder / "profile.toml").write_text(text, encoding="utf-8")
        if not (folder / "run" / "timings.json").exists():
            _run(args, folder)
        runs[" | ".join(who)] = read_run(folder / "run")
        *_, last = compare(gold, {name: [[run.results[n] for n in sorted(run.results)]] for name, run in runs.items()})
        print(f"| {last.strategy} | {row(last)} | {_seconds(runs[last.strategy]):.1f} |", flush=True)


def profile(tree: dict[str, dict[str, Any]], who: dict[str, str]) -> str:
    """A profile as TOML, with each step by rules, the base model or an adapter.

    Args:
        tree: a profile with an adapter for each step.
        who: "rules", "base" or "adapter" by step.
    """
    rules = [task for step, task in RULES.items() if who[step] == "rules"] + ALWAYS
    adapters = {STEPS[step]: tree["model"]["adapters"][STEPS[step]] for step, by in who.items() if by == "adapter"}
    graph = tree["graph"] | {"sentence_rules": "always" if who["judge"] == "rules" else "documents"}
    return "\n".join(_lines(tree | {"model": tree["model"] | {"rules": rules, "adapters": adapters}, "graph": graph}))


def _lines(tree: dict[str, dict[str, Any]]) -> Iterable[str]:
    """TOML of tables of plain values; JSON writes these alike."""
    for name, section in tree.items():
        yield f"[{name}]"
        tables = {key: value for key, value in section.items() if isinstance(value, dict)}
        yield from (f"{key} = {json.dumps(value)}" for key, value in section.items() if key not in tables)
        yield from _lines({f"{name}.{key}": value for key, value in tables.items()})


def row(scores: Scores) -> str:
    """Accuracy, its difference to the first row with a paired 95% interval, and macro-F1."""
    gap = scores.difference
    interval = f"{gap.value:+.3f} ({gap.low:+.3f} to {gap.high:+.3f})"
    return f"{scores.accuracy.value:.3f} | {interval} | {scores.macro_f1.value:.3f}"


def _run(args: argparse.Namespace, folder: Path) -> None:
    """Check the claims in a process of its own, so that no row finds another's memory or cache."""
    inputs = ["--claims", str(args.claims), "--knowledge-store", str(args.knowledge_store), "--limit", str(args.limit)]
    where = ["--profile", str(folder / "profile.toml"), "--output", str(folder / "run"), "--resume"]
    subprocess.run([sys.executable, "-m", "system", "run", *inputs, *where, "--budget", "600"], check=True, stdout=2)


def _seconds(run: Material) -> float:
    """Seconds of the run a claim, loading left out."""
    assert run.timings is not None  # a finished run's
    return run.timings.run.facts.run_seconds / len(run.results)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=Path, required=True, help="annotated claims")
    parser.add_argument("--knowledge-store", type=Path, required=True, help="folder with <claim id>.json")
    parser.add_argument("--output", type=Path, required=True, help="folder of the runs")
    parser.add_argument("--limit", type=int, default=60, help="the first N claims (default: 60)")
    default = PROFILES / "cpu-adapters.toml"
    parser.add_argument(
        "--profile", type=Path, default=default, help="profile with the three adapters (default: cpu-adapters)"
    )
    return parser


if __name__ == "__main__":
    main()
