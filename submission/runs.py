"""Score several runs on the claims that they share, in one table: ``python -m submission score RUN RUN ...``.

Differences are to the first run. Their intervals come from a paired bootstrap (see ``submission.bootstrap``).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from knowledge_store.pages.page import shown_path
from submission.bootstrap import Draws, Estimate, Resamples
from submission.ev2r.scores import OFFICIAL_THRESHOLD as EV2R_THRESHOLD
from submission.files import SubmissionError
from submission.legacy.scores import OFFICIAL_THRESHOLD
from submission.read import Pair, has_two_labels, read_pairs, setup_of
from submission.score import NONE, Metrics
from system.files.journal import flat, read_finished
from system.graph.records import TWO_LABELS, Label, Record

FILE_OF_RUN = "submission.json"
THRESHOLDS = {"legacy": ("legacy", OFFICIAL_THRESHOLD), "ev2r": ("Ev2R", EV2R_THRESHOLD)}


class RunScores(Record):
    """One run beside the others.

    Attributes:
        settings: its settings that differ among the runs.
        scores: accuracy, macro-F1 and the metrics that were asked for.
        differences: of these scores to those of the first run; empty for the first.
        gained, lost: claims whose label became right, and wrong, against the first run.
        costs: means a claim; empty if the run has no journal.
    """

    run: str
    settings: dict[str, str]
    scores: dict[str, Estimate]
    differences: dict[str, Estimate]
    gained: int
    lost: int
    costs: dict[str, float]


class RunsReport(Record):
    """Several runs on the ``claims`` that all of them and the gold file have, by id and text."""

    gold: str
    claims: int
    runs: tuple[RunScores, ...]


def predictions_of(run: Path) -> Path:
    """Return the predictions of an output folder, or the file itself."""
    return run / FILE_OF_RUN if run.is_dir() else run


def gold_of(run: Path) -> Path:
    """Return the file of claims that a run checked."""
    file = setup_of(predictions_of(run)).get("claims_file")
    if not file:
        raise SubmissionError(f"{run}: found no run.json that names the claims; give the labels with --gold")
    return Path(file)


def score_runs(
    runs: Sequence[Path],
    gold: Path,
    metrics: Metrics = NONE,
    *,
    two_labels: bool | None = None,
) -> RunsReport:
    """Score runs on the claims that they share.

    Args:
        runs: output folders or files of predictions, at least two.
        two_labels: whether to fold all labels into two; by default if any run concluded with two.

    Raises:
        SubmissionError: a file cannot be read, or the runs share no claim.
        JournalError: a journal is damaged.
    """
    files = [predictions_of(run) for run in runs]
    setups = list(map(setup_of, files))
    two_labels = any(map(has_two_labels, setups)) if two_labels is None else two_labels
    labels = list(map(str, TWO_LABELS if two_labels else Label))
    by_id = [{one.gold.claim_id: one for one in read_pairs(file, gold, two_labels=two_labels)} for file in files]
    shared = sorted(set.intersection(*map(set, by_id)))
    if not shared:
        raise SubmissionError(f"{', '.join(map(str, runs))} have no claim in common; score runs of the same split")
    settings = [dict(flat(setup.get("settings", {}))) for setup in setups]
    resamples = Resamples(len(shared))
    scored: list[RunScores] = []
    first: dict[str, Draws] = {}
    first_right: NDArray[np.bool_] | None = None
    for run, file, own, found in zip(runs, files, settings, by_id, strict=True):
        pairs = [found[number] for number in shared]
        truth, answers = [str(one.gold.label) for one in pairs], [one.predicted.label for one in pairs]
        right = np.array(answers) == np.array(truth)
        first_right = right if first_right is None else first_right
        drawn = {
            "accuracy": resamples.means(right),
            "macro-F1": resamples.macro_f1(truth, answers, labels),
            **{name: resamples.means(values) for name, values in _counted(pairs, metrics)},
        }
        scored.append(
            RunScores(
                run=shown_path(run),
                settings={name: value for name, value in own.items() if any(o.get(name) != value for o in settings)},
                scores={name: Estimate.of(values) for name, values in drawn.items()},
                differences={name: Estimate.of(drawn[name] - values) for name, values in first.items()},
                gained=int((right & ~first_right).sum()),
                lost=int((first_right & ~right).sum()),
                costs=_costs(file, shared),
            )
        )
        first = first or drawn
    return RunsReport(gold=str(gold), claims=len(shared), runs=tuple(scored))


def _counted(pairs: Sequence[Pair], metrics: Metrics) -> Iterator[tuple[str, list[bool]]]:
    """Yield further metrics by name, each with whether each pair counts for it."""
    for key, (name, threshold) in THRESHOLDS.items():
        if key in metrics:
            yield f"{name} @{threshold}", [one.counts(threshold) for one in metrics[key](pairs).claims]


def _costs(predictions: Path, shared: Sequence[int]) -> dict[str, float]:
    journal = predictions.parent / "journal.jsonl"
    if predictions.name != FILE_OF_RUN or not journal.is_file():
        return {}
    wanted = set(shared)
    results = [one for one in read_finished(journal) if one.claim.id in wanted]
    columns: dict[str, list[Any]] = {
        "rounds": [one.timing.rounds for one in results],
        "calls": [one.timing.cost.calls for one in results],
        "tokens in": [one.timing.cost.tokens_in for one in results],
        "out": [one.timing.cost.tokens_out for one in results],
        "seconds": [one.timing.seconds for one in results],
        "failed": [len(one.failures) for one in results],
        "cut": [one.timing.cut_short for one in results],
    }
    return {name: float(np.mean(values)) for name, values in columns.items()}


def print_runs(report: RunsReport, console: Console) -> None:
    """Print a row for each run: scores, differences to the first, claims that changed, and costs a claim."""
    title = f"{report.claims} claims, in percent with 95% intervals; differences to the first run; costs a claim"
    table = Table(title=title, title_justify="left")
    table.add_column("run", overflow="fold")
    names, costs = list(report.runs[0].scores), list(dict.fromkeys(name for one in report.runs for name in one.costs))
    for name in names:
        table.add_column(name, justify="right")
    for name in ("right +/−", *costs):
        table.add_column(name, justify="right")
    for number, one in enumerate(report.runs):
        settings = "".join(f"\n  {name} {value}" for name, value in one.settings.items())
        table.add_row(
            Text(f"{one.run}{settings}"),
            *(_cell(one.scores[name], one.differences.get(name)) for name in names),
            f"+{one.gained} −{one.lost}" if number else "",
            *(_cost(one.costs[name]) if name in one.costs else "–" for name in costs),
        )
    console.print(table)


def _cell(score: Estimate, difference: Estimate | None) -> str:
    return "\n".join([_interval(score, ".1f"), *([_interval(difference, "+.1f")] if difference else [])])


def _cost(mean: float) -> str:
    return f"{mean:,.0f}" if mean >= 100 else f"{mean:.2f}"


def _interval(one: Estimate, form: str) -> str:
    mean, low, high = (f"{100 * value:{form}}" for value in (one.mean, one.low, one.high))
    return f"{mean} [{low}, {high}]"
