"""Write ``report.html`` for the output folder of a run, or for the predictions of any system.

Reads the files, scores them against gold labels if there are any, and lets ``system.report.run`` lay out the page.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from submission.files import SubmissionError, read_json
from submission.read import Pairing, has_two_labels, pair, read_predictions, scored
from submission.score import scores_of
from system.averitec.claims import ClaimsError
from system.averitec.gold import GoldClaim, read_gold
from system.files.journal import flat, read_finished
from system.files.texts import write_text
from system.graph.records import explain
from system.report.graphs import StoredGraph
from system.report.run import RunMaterial, run_page
from system.report.timings import TimeReport, write_measured_timings

OWN_SCORES = {"predictions", "gold", "gold_claims", "missing", "extra", "mismatched", "labels", "constant_refuted"}
"""Entries of a file of scores that the report computes itself."""
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def write_report(folder: Path, gold: Path | None = None, predictions: Path | None = None) -> Path:
    """Write ``report.html``, ``figures/*.svg``, and for a run of ours ``measured_timings.txt``.

    It is on the run in the folder, or on another system's predictions. By default the labels are those of the run's
    claims file, if that has some.
    """
    if predictions:
        run = RunMaterial(path=predictions, entries=tuple(read_predictions(predictions)))
    else:
        run = read_run(folder)
    annotations = read_gold(gold) if gold else []
    if not gold and (file := run.setup.get("claims_file")):
        with suppress(ClaimsError):  # claims need no labels, and may be lines of plain text
            annotations = read_gold(Path(file))
    if annotations:
        run = _with_gold(run, annotations)
    page, figures = run_page(run)
    path = folder / "report.html"
    write_text(path, page)
    for name, svg in figures.items():
        write_text(folder / "figures" / f"{name}.svg", svg + "\n")
    if run.timings:
        write_measured_timings(run.timings, folder / "measured_timings.txt")
    return path


def read_run(folder: Path) -> RunMaterial:
    """Read the output folder of a finished run."""
    if not folder.is_dir():
        raise SubmissionError(f"{folder} not found; expected the output folder of a run")
    if not (folder / "timings.json").is_file():
        raise SubmissionError(f"{folder}: expected a finished run, got no timings.json; finish it with --resume")
    return RunMaterial(
        path=folder,
        entries=tuple(read_predictions(folder / "submission.json")),
        results={result.claim.id: result for result in read_finished(folder / "journal.jsonl")},
        timings=_timings(folder / "timings.json"),
        graph_of=lambda claim_id: _graph(folder / "graphs" / f"{claim_id}.json"),
        setup=read_json(folder / "run.json", dict),
        further=dict(_further_scores(folder)),
    )


def _with_gold(run: RunMaterial, annotations: Sequence[GoldClaim]) -> RunMaterial:
    pairing = pair(run.entries, scored(annotations), two_labels=has_two_labels(run.setup))
    by_id = {one.claim.id: one for one in annotations}
    labels, constant = scores_of(pairing)
    return replace(
        run,
        gold={one.gold.claim_id: by_id[one.gold.claim_id] for one in pairing.pairs},
        labels=labels,
        constant=constant,
        notes=tuple(_unpaired(pairing)),
    )


def _unpaired(pairing: Pairing) -> Iterator[str]:
    for count, words in (
        (len(pairing.missing), "claims in the gold file have no prediction"),
        (len(pairing.extra), "predictions have an id that is not in the gold file"),
        (len(pairing.mismatched), "predictions have a text that differs from the gold claim with their id"),
    ):
        if count:
            yield f"{count} {words}; they are not scored."


def _timings(path: Path) -> TimeReport:
    try:
        return TimeReport.model_validate(read_json(path, dict))
    except ValidationError as error:
        fault = explain(error.errors()[0], "the file")
        raise SubmissionError(f"{path}: expected the time report of a run; {fault}") from error


def _graph(path: Path) -> StoredGraph:
    """Read ``graphs/<claim id>.json``; without such a file there are no thoughts."""
    if not path.exists():
        return StoredGraph()
    try:
        return StoredGraph.of(read_json(path, dict))
    except (ValidationError, SubmissionError) as error:
        fault = explain(error.errors()[0], "the file") if isinstance(error, ValidationError) else error
        raise SubmissionError(
            f"{path}: expected a graph of thoughts; {fault}; delete this file to go without, and with it the claim's "
            "line in journal.jsonl to check the claim again with --resume"
        ) from error


def _further_scores(folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the numbers of every ``scores*.json``, as ``python -m submission score --json`` writes them."""
    for path in sorted(folder.glob("scores*.json")):
        tree = {name: value for name, value in read_json(path, dict).items() if name not in OWN_SCORES}
        numbers = {name: float(value) for name, value in flat(tree) if NUMBER.fullmatch(value)}
        if numbers:
            yield path.name, numbers
