"""How well a model judges claims by the annotators' own questions and answers, without any retrieval.

Prints accuracy, macro-F1, the F1 of each label and the calibration error, and writes each claim's label, verdict and
confidence as JSON Lines, in the claims' order.

Usage: python -m scripts.judge_gold CLAIMS.json OUTPUT.jsonl [--profile cpu] [--limit N] [setting ...]
"""

import argparse
import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from tqdm import tqdm

from submission.calibration import expected_error
from submission.score import scores_of
from system.app import options
from system.app.commands.common import settings_of
from system.gold import GoldClaim, read_gold
from system.models import load_model
from system.models.base import Completion, Model, Request, Result
from system.records import Label
from system.settings import Settings
from system.tasks.judge_claim import JudgeClaim, LabelClaim, LabelReply, VerdictReply
from training.datasets.gold import gold_pairs

BATCH = 64  # claims that are judged together


def main() -> None:
    """Judge what is not judged yet, then score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", type=Path, help="AVeriTeC's annotated claims")
    parser.add_argument("output", type=Path, help="JSON Lines of the verdicts")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N claims (default: all)")
    options.add_settings(parser)
    args = parser.parse_args()
    claims = [one for one in read_gold(args.claims) if one.claim.text.strip()][: args.limit]
    rows = asyncio.run(judge(claims, settings_of(args)))
    args.output.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    report(rows)


async def judge(claims: list[GoldClaim], settings: Settings) -> list[dict[str, Any]]:
    """The rows of all claims, in order."""
    judges = settings.model.model_copy(update={"rules": []})  # what rules do is given here
    model = load_model(settings.model_copy(update={"model": judges}))
    rows: list[dict[str, Any]] = []
    try:
        for start in tqdm(range(0, len(claims), BATCH), unit="batch"):
            rows += await verdicts(claims[start : start + BATCH], model, settings.graph.justify)
    finally:
        await model.close()
    return rows


async def verdicts(claims: list[GoldClaim], model: Model, justify: bool) -> list[dict[str, Any]]:
    """The rows of some claims; one that the model fails on counts as Not Enough Evidence without confidence."""
    task: Any = JudgeClaim if justify else LabelClaim
    requests = [Request(task(claim=one.claim, pairs=gold_pairs(one))) for one in claims]
    return [_row(*both) for both in zip(claims, await model.generate(requests), strict=True)]


def _row(one: GoldClaim, result: Result) -> dict[str, Any]:
    row = {"claim_id": one.claim.id, "label": one.label}
    if isinstance(result, Completion) and isinstance(result.reply, VerdictReply | LabelReply):
        found = {"confidence": result.confidence, "probabilities": result.probabilities}
        return {**row, "verdict": result.reply.label, **found}
    return {**row, "verdict": Label.NOT_ENOUGH_EVIDENCE, "confidence": 0.0, "probabilities": {}}


def report(rows: list[dict[str, Any]]) -> None:
    """Print the scores."""
    gold, found = [str(row["label"]) for row in rows], [str(row["verdict"]) for row in rows]
    right = np.array([label == verdict for label, verdict in zip(gold, found, strict=True)])
    error = expected_error(np.array([row["confidence"] for row in rows]), right)
    scores = scores_of(gold, found)
    print(f"{len(rows)} claims: accuracy {scores.accuracy:.3f}, macro-F1 {scores.macro_f1:.3f}, ", end="")
    print(f"expected calibration error {error:.3f}")
    for label, score in scores.labels.items():
        print(f"  F1 {score.f1:.3f}  {label} ({score.support} claims, {found.count(label)} verdicts)")


if __name__ == "__main__":
    main()
