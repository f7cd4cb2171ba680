"""``python -m training judge-gold``: how well a model judges by the annotators' questions and answers, unretrieved."""

import argparse
import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from tqdm import tqdm

from submission.calibration import expected_error
from submission.score import scores_of
from system.app.commands.common import settings_of
from system.app.options import parse_settings
from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import Label
from system.models.base import Completion, Model, Request, Result
from system.models.loading import load_model
from system.settings import Settings, SettingsError
from system.strategies.steps.tasks.judge_claim import JudgeClaim, LabelClaim, LabelReply, VerdictReply
from training import TrainingError
from training.datasets.gold import gold_pairs

BATCH = 64  # claims that are judged together


def add_command(commands: Any) -> None:
    """Add ``judge-gold`` to the training commands."""
    parser = commands.add_parser(
        "judge-gold",
        help="judge claims by their gold questions and answers",
        description="Judge annotated claims by the annotators' own questions and answers, without retrieval. Print "
        "accuracy, macro-F1, the F1 of each label and the calibration error; write label, verdict and confidence of "
        "each claim as JSON Lines, in the claims' order.",
    )
    parser.add_argument("claims", type=Path, help="AVeriTeC's annotated claims")
    parser.add_argument("output", type=Path, help="JSON Lines to write")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N claims (default: all)")
    parser.set_defaults(run=run, settings=[])


def run(arguments: argparse.Namespace) -> None:
    """Judge, write and print the scores.

    Raises:
        TrainingError: no claim has text, or a setting is wrong.
        ClaimsError, ModelUnavailable: the claims or the model cannot be read.
    """
    try:
        settings = settings_of(parse_settings(arguments.settings))
    except SettingsError as error:
        raise TrainingError(str(error)) from None
    claims = [one for one in read_gold(arguments.claims) if one.claim.text.strip()][: arguments.limit]
    if not claims:
        raise TrainingError(f"{arguments.claims}: expected at least one claim with text, got none")
    rows = asyncio.run(judge(claims, settings))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    report(rows)


async def judge(claims: list[GoldClaim], settings: Settings) -> list[dict[str, Any]]:
    """Judge all claims; a row for each, in order."""
    judges = settings.model.model_copy(update={"routes": {}})  # what rules do is given here
    model = load_model(settings.model_copy(update={"model": judges}), asked=[JudgeClaim, LabelClaim])
    rows: list[dict[str, Any]] = []
    try:
        for start in tqdm(range(0, len(claims), BATCH), unit="batch"):
            rows += await verdicts(claims[start : start + BATCH], model, settings.graph.justify)
    finally:
        await model.close()
    return rows


async def verdicts(claims: list[GoldClaim], model: Model, justify: bool) -> list[dict[str, Any]]:
    """Judge some claims; one that the model fails on counts as Not Enough Evidence, at confidence 0."""
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
