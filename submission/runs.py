"""Score several runs on the claims that they share, in one table: ``python -m submission score RUN RUN ...``.

Differences are to the first run. Their intervals come from a paired bootstrap (see ``submission.bootstrap``).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from knowledge_store.pages.page import shown_path
from submission.bootstrap import Draws, Estimate, Resamples
from submission.ev2r.scores import OFFICIAL_THRESHOLD as EV2R_THRESHOLD
from submission.files import SubmissionError
from submission.legacy.scores import OFFICIAL_THRESHOLD
from submission.read import Pair, has_two_labels, read_pairing, setup_of
from submission.score import NONE, Metrics
from system.files.journal import flat, read_finished
from system.graph.records import TWO_LABELS, Label, Record

FILE_OF_RUN = "submission.json"
THRESHOLDS = {"legacy": ("legacy", OFFICIAL_THRESHOLD), "ev2r": ("Ev2R", EV2R_THRESHOLD)}


class RunScores(Record):
    """One run beside the others."""

    run: str
    settings: dict[str, str]  #: its settings that differ among the runs
    scores: dict[str, Estimate]  #: accuracy, macro-F1 and the metrics that were asked for
    differences: dict[str, Estimate]  #: of these scores to those of the first run; empty for the first
    gained: int  #: claims whose label became right against the first run
    lost: int  #: claims whose label became wrong
    costs: dict[str, float]  #: means a claim; empty if the run has no journal


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
    runs: Sequence[Path], gold: Path, metrics: Metrics = NONE, *, two_labels: bool | None = None
) -> RunsReport:
    """Score runs, at least two, on the claims that they share; with two labels by default if any run had two."""
    files = [predictions_of(run) for run in runs]
    setups = list(map(setup_of, files))
    two_labels = any(map(has_two_labels, setups)) if two_labels is None else two_labels
    pairings = [read_pairing(file, gold, two_labels=two_labels) for file in files]
    by_id = [{one.gold.claim_id: one for one in pairing.pairs} for pairing in pairings]
    shared = sorted(set.intersection(*map(set, by_id)))
    if not shared:
        raise SubmissionError(f"{', '.join(map(str, runs))} have no claim in common; score runs of the same split")
    pairs = [[found[number] for number in shared] for found in by_id]
    right = [np.array([one.predicted.label == one.gold.label for one in own]) for own in pairs]
    drawn = [_drawn(own, metrics, TWO_LABELS if two_labels else tuple(Label)) for own in pairs]
    settings = [dict(flat(setup.get("settings", {}))) for setup in setups]
    scored = [
        RunScores(
            run=shown_path(run),
            settings={name: value for name, value in own.items() if any(o.get(name) != value for o in settings)},
            scores={name: Estimate.of(draws) for name, draws in drawn[place].items()},
            differences={name: Estimate.of(drawn[place][name] - draws) for name, draws in drawn[0].items() if place},
            gained=int((right[place] & ~right[0]).sum()),
            lost=int((right[0] & ~right[place]).sum()),
            costs=_costs(files[place], shared),
        )
        for place, (run, own) in enumerate(zip(runs, settings, strict=True))
    ]
    return RunsReport(gold=str(gold), claims=len(shared), runs=tuple(scored))


def _drawn(pairs: Sequence[Pair], metrics: Metrics, labels: Sequence[Label]) -> dict[str, Draws]:
    resamples = Resamples(len(pairs))
    truth, answers = [str(one.gold.label) for one in pairs], [one.predicted.label for one in pairs]
    found = {
        "accuracy": resamples.means(np.array(answers) == np.array(truth)),
        "macro-F1": resamples.macro_f1(truth, answers, list(map(str, labels))),
    }
    for key, (name, threshold) in THRESHOLDS.items():
        if key in metrics:
            counts = [one.counts(threshold) for one in metrics[key](pairs).claims]
            found[f"{name} @{threshold}"] = resamples.means(counts)
    return found


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
    for name in (*names, "right +/−", *costs):
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
