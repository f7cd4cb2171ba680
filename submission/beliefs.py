"""How judges' beliefs moved and how speakers persuaded, from the graphs of runs (AI Debate, Rahman et al., 2025)."""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.table import Table

from submission.files import SubmissionError, read_object
from submission.read import Gold, pair, read_predictions, read_scored_gold
from submission.report.material import read_graph
from system.graph.records import Label, Record, explain

TRUE = {Label.SUPPORTED: True, Label.REFUTED: False}

M = TypeVar("M", bound=BaseModel)


class BeliefScore(Record):
    """The judges of one persona, in the runs of one strategy.

    Attributes:
        persona: empty for judges without one.
        claims: those of which the judge said before and after what it believes; the means are over them.
        before, after: mean probability of the claim's being true, in percent.
        shift: mean move towards the truth, in percentage points; negative: away from it.
    """

    strategy: str
    persona: str
    claims: int
    before: float
    after: float
    shift: float


class PersuasionScore(Record):
    """Mean ratings of one persuasion strategy, from 0 (none) to 3 (high).

    Attributes:
        right, wrong: of the turns in which the speaker's side was right, or wrong; None where there are none.
    """

    strategy: str
    right: float | None
    wrong: float | None


class BeliefReport(Record):
    """Figures of the claims that are Supported or Refuted.

    Attributes:
        other_labels: claims left out because their gold label says neither true nor false.
        unpaired: beliefs left out because the same judge's other one is missing.
        right, wrong: rated turns of speakers whose side was right, or wrong.
    """

    beliefs: tuple[BeliefScore, ...]
    persuasion: tuple[PersuasionScore, ...]
    other_labels: int
    unpaired: int
    right: int
    wrong: int


class _Belief(BaseModel):
    persona: str
    after: bool
    percent: float


class _Persuasion(BaseModel):
    side: Literal["affirmative", "negative"]
    ratings: dict[str, float]


class _Settings(BaseModel):
    strategy: str


class _Run(BaseModel):
    settings: _Settings


@dataclass(frozen=True)
class _Measured:
    strategy: str
    label: Label
    beliefs: list[_Belief]
    turns: list[_Persuasion]


def score_beliefs(outputs: Sequence[Path], gold: Path) -> BeliefReport:
    """Score what was measured in runs with ``--beliefs`` or ``--persuasion``.

    Raises:
        SubmissionError: a file is missing or cannot be read, predictions and gold share no claim, or nothing was
            measured of a claim that is Supported or Refuted.
    """
    annotated = read_scored_gold(gold)
    claims = [claim for output in outputs for claim in _measured(output, annotated)]
    scored = [claim for claim in claims if claim.label in TRUE]
    if not any(claim.beliefs or claim.turns for claim in scored):
        raise SubmissionError(
            f"{', '.join(map(str, outputs))}: expected beliefs or ratings of claims that {gold} calls Supported or "
            "Refuted, got none; run consultancy or ai_debate with --beliefs or --persuasion"
        )
    moves: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    turns: dict[bool, list[dict[str, float]]] = {True: [], False: []}
    unpaired = 0
    for claim in scored:
        true = TRUE[claim.label]
        before = {one.persona: one.percent for one in claim.beliefs if not one.after}
        after = {one.persona: one.percent for one in claim.beliefs if one.after}
        unpaired += len(before.keys() ^ after.keys())
        for persona in before.keys() & after.keys():
            move = after[persona] - before[persona]
            moves[claim.strategy, persona].append((before[persona], after[persona], move if true else -move))
        for turn in claim.turns:
            turns[(turn.side == "affirmative") is true].append(turn.ratings)
    names = dict.fromkeys(name for rated in turns.values() for ratings in rated for name in ratings)
    return BeliefReport(
        beliefs=tuple(_belief(*key, moves[key]) for key in sorted(moves)),
        persuasion=tuple(
            PersuasionScore(strategy=name, right=_mean(name, turns[True]), wrong=_mean(name, turns[False]))
            for name in names
        ),
        other_labels=len(claims) - len(scored),
        unpaired=unpaired,
        right=len(turns[True]),
        wrong=len(turns[False]),
    )


def _belief(strategy: str, persona: str, moves: list[tuple[float, float, float]]) -> BeliefScore:
    before, after, shift = (float(mean) for mean in np.mean(moves, axis=0))
    return BeliefScore(strategy=strategy, persona=persona, claims=len(moves), before=before, after=after, shift=shift)


def _mean(name: str, rated: Sequence[dict[str, float]]) -> float | None:
    levels = [ratings[name] for ratings in rated if name in ratings]
    return float(np.mean(levels)) if levels else None


def _measured(output: Path, annotated: Sequence[Gold]) -> Iterator[_Measured]:
    """The parts of a run's graphs about claims that gold has too."""
    path = output / "run.json"
    strategy = _read(_Run, read_object(path), f"{path}: expected the settings of a run").settings.strategy
    for one in pair(read_predictions(output / "submission.json"), annotated).pairs:
        path = output / "graphs" / f"{one.gold.claim_id}.json"
        graph = read_graph(path)
        yield _Measured(
            strategy=strategy,
            label=one.gold.label,
            beliefs=[_read(_Belief, node.content, f"{path}: {node.id}") for node in graph.of_kind("belief")],
            turns=[_read(_Persuasion, node.content, f"{path}: {node.id}") for node in graph.of_kind("persuasion")],
        )


def _read(kind: type[M], value: object, where: str) -> M:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise SubmissionError(f"{where}: {explain(error.errors()[0])}") from error


def beliefs_command(arguments: argparse.Namespace, console: Console) -> int:
    """Print how beliefs moved, and how speakers persuaded."""
    report = score_beliefs(arguments.outputs, arguments.gold)
    beliefs = Table("strategy", "judge", title="belief that the claim is true, in %", title_justify="left")
    for heading in ("claims", "before", "after", "towards the truth"):
        beliefs.add_column(heading, justify="right")
    for row in report.beliefs:
        numbers = (f"{row.before:.1f}", f"{row.after:.1f}", f"{row.shift:+.1f}")
        beliefs.add_row(row.strategy, row.persona or "without a persona", str(row.claims), *numbers)
    persuasion = Table("strategy", title="persuasion, from 0 (none) to 3 (high)", title_justify="left")
    for heading in (f"right ({report.right} turns)", f"wrong ({report.wrong} turns)"):
        persuasion.add_column(heading, justify="right")
    for score in report.persuasion:
        means = ("–" if mean is None else f"{mean:.2f}" for mean in (score.right, score.wrong))
        persuasion.add_row(score.strategy, *means)
    console.print(*(table for table in (beliefs, persuasion) if table.rows))
    console.print(
        f"left out: {report.other_labels} claims that are neither Supported nor Refuted, "
        f"{report.unpaired} beliefs without the judge's other one"
    )
    return 0
