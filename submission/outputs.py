"""The files that a run leaves for others, written together at its end, and the summary for the terminal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from submission.faults import Effect
from submission.files import SubmissionError
from submission.leaderboard import write_csv
from submission.predictions import Prediction, predictions, read_json, write_json
from submission.timings import RunFacts, RunTiming, time_report, write_timings_csv, write_timings_json
from submission.validate import changes_score, validate
from system.records import ClaimResult, Label, Record


class Written(Record):
    """What ``write_outputs`` wrote."""

    submission_json: Path
    submission_csv: Path
    timings_json: Path
    timings_csv: Path


def write_outputs(results: Sequence[ClaimResult], folder: Path, facts: RunFacts) -> Written:
    """Write submission.json, submission.csv, timings.json and timings.csv, and read the submission back.

    Args:
        results: one for each claim, in the order of the input.
        folder: made if it is missing; files of an earlier run are replaced, each at once.
        facts: what only the caller knows of the run.

    Raises:
        SubmissionError: there are no results, a claim has two, or what was read back is not what was meant.
    """
    _check_results(results)
    written = Written(
        submission_json=folder / "submission.json",
        submission_csv=folder / "submission.csv",
        timings_json=folder / "timings.json",
        timings_csv=folder / "timings.csv",
    )
    entries = predictions(results)
    write_json(entries, written.submission_json)
    write_csv(entries, written.submission_csv)
    report = time_report(results, facts)
    write_timings_json(report, written.timings_json)
    write_timings_csv(report, written.timings_csv)
    _read_back(entries, written)
    return written


def _check_results(results: Sequence[ClaimResult]) -> None:
    if not results:
        raise SubmissionError("there are no results to write; expected one for each claim")
    claim_id, count = Counter(result.claim.id for result in results).most_common(1)[0]
    if count > 1:
        raise SubmissionError(f"claim {claim_id} has {count} results, expected one for each claim")


def _read_back(entries: list[Prediction], written: Written) -> None:
    if read_json(written.submission_json) != entries:
        raise SubmissionError(f"{written.submission_json}: what was read back is not what was written")
    faults = validate(written.submission_csv, [entry.claim for entry in entries])
    if changes_score(faults):
        worst = next(fault for fault in faults if fault.effect is not Effect.HARMLESS)
        raise SubmissionError(f"{written.submission_csv}: {worst.where}: {worst.message} ({worst.effect})")


def print_summary(results: Sequence[ClaimResult], facts: RunFacts, written: Written) -> None:
    """Print the run on one screen: labels, time, failures, tokens, and where the files are."""
    run = time_report(results, facts).run
    table = Table(title=f"{run.claims} claim{'' if run.claims == 1 else 's'}", title_justify="left", show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, value in _lines(results, run):
        table.add_row(name, Text(value))
    console = Console()
    console.print(table)
    for _, path in written:
        console.print(Text(str(path)), soft_wrap=True)


def _counts(counts: Iterable[Mapping[str, int]]) -> str:
    """Sums by name, in one line.

    >>> _counts([{"b": 1}, {"a": 2, "b": 3}])
    'a 2, b 4'
    """
    total: Counter[str] = Counter()
    for some in counts:
        total.update(some)
    return ", ".join(f"{name} {count}" for name, count in sorted(total.items())) or "none"


def _lines(results: Sequence[ClaimResult], run: RunTiming) -> list[tuple[str, str]]:
    labels = Counter(result.verdict.label for result in results)
    facts, cost = run.facts, run.cost
    budget = f"{facts.budget_seconds:g} s; over it {run.over_budget:.1%} of the claims, cut short {run.cut_short}"
    return [
        ("labels", ", ".join(f"{label} {labels[label]}" for label in Label)),
        ("seconds a claim", f"mean {run.mean:.2f}, p50 {run.p50:.2f}, p95 {run.p95:.2f}, max {run.max:.2f}"),
        ("budget", budget),
        ("rule", run.verdict),
        ("stages", ", ".join(f"{name} {seconds:.2f} s" for name, seconds in run.stages.items()) or "none"),
        ("failures", _counts([run.failures])),
        ("store flaws", _counts(result.flaws for result in results)),
        ("model calls", f"{cost.calls}"),
        ("tokens", f"in {cost.tokens_in} ({cost.tokens_cached} cached), out {cost.tokens_out}"),
        ("run", f"{facts.run_seconds:.1f} s, and before it {facts.model_load_seconds:.1f} s loading models"),
        ("peak memory", f"{facts.peak_memory_gib:.2f} GiB"),
    ]
