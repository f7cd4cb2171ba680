"""Scores and run summaries as tables for the terminal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from submission.ev2r.replies import Unit
from submission.ev2r.scores import OFFICIAL_THRESHOLD as EV2R_THRESHOLD
from submission.ev2r.scores import Ev2rScores
from submission.legacy.scores import OFFICIAL_THRESHOLD, LegacyScores
from submission.score import ScoreReport
from submission.write import FILES
from system.graph.records import ClaimResult, Label
from system.report.scores import INVALID, SHORT
from system.report.timings import RunFacts, RunTiming, time_report

UNITS = {Unit.QUESTIONS: "Q", Unit.EVIDENCE: "Q+A"}
REASONS = 5
"""Limit of the unpaired claims, and of the comparisons without a judgement, that are named."""


def print_report(report: ScoreReport, console: Console) -> None:
    """Print the scores as tables, and what could not be scored."""
    console.print(*_notes(report), *_labels(report), sep="\n")
    if report.legacy:
        console.print(*legacy_tables(report.legacy), sep="\n")
    if report.ev2r:
        console.print(*ev2r_tables(report.ev2r), sep="\n")
    for metric, reason in report.left_out.items():
        console.print(Text(f"not computed: {metric}: {reason}", style="red"), soft_wrap=True)


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> Table:
    table = Table(headings[0], title=title, title_justify="left")
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    return table


def _notes(report: ScoreReport) -> Iterator[RenderableType]:
    yield Text(report.official)
    for ids, why in ((report.missing, "no prediction"), (report.extra, "not in the gold file")):
        if ids:
            named = ", ".join(map(str, ids[:REASONS])) + (" and more" if len(ids) > REASONS else "")
            yield Text(f"not scored, {why}: {len(ids)} claims ({named})", style="yellow")
    for one in report.mismatched:
        line = f"not scored, another text: claim {one.claim_id}: {one.predicted[:60]!r}, in gold {one.gold[:60]!r}"
        yield Text(line, style="yellow")


def _labels(report: ScoreReport) -> Iterator[Table]:
    """Yield accuracy beside the constant answer, scores by label, and the confusion table."""
    scores, constant = report.labels, report.constant_refuted
    title = f"Labels of {scores.claims} of {report.gold_claims} claims"
    rows = [("accuracy", scores.accuracy, constant.accuracy), ("macro-F1", scores.macro_f1, constant.macro_f1)]
    yield _table(["", "predicted", 'always "Refuted"'], rows, title)
    by_label = ((label, one.precision, one.recall, one.f1, one.support) for label, one in scores.labels.items())
    yield _table(["label", "precision", "recall", "F1", "support"], by_label)
    shown = [*map(str, scores.labels), *([INVALID] if scores.invalid else [])]
    cells = ([label, *(row[name] for name in shown)] for label, row in scores.confusion.items())
    yield _table(["gold \\ predicted", *(SHORT.get(name, name) for name in shown)], cells)


def legacy_tables(scores: LegacyScores) -> Iterator[RenderableType]:
    """Yield the means, the thresholds, and the sources of METEOR."""
    one, shares = scores.overall, scores.overall.averitec
    rows = [(one.claims, one.accuracy, one.questions, one.questions_and_answers, shares[OFFICIAL_THRESHOLD])]
    headings = ["claims", "acc.", "Q", "Q+A", f"@{OFFICIAL_THRESHOLD}"]
    yield _table(headings, rows, "Legacy AVeriTeC (Hungarian METEOR)")
    yield _table(["threshold", *map(str, shares)], [["legacy AVeriTeC score", *shares.values()]])
    yield Text(f"words by {scores.sources.tokenization}; synonyms of {scores.sources.wordnet}", style="dim")


def ev2r_tables(scores: Ev2rScores) -> Iterator[RenderableType]:
    """Yield means with intervals, the judge, and what could not be judged."""
    means = [
        (f"{UNITS[unit]} {name}", estimate)
        for unit, one in scores.units.items()
        for name, estimate in (("recall", one.recall), ("precision", one.precision))
    ]
    means.append((f"AVeriTeC @{EV2R_THRESHOLD}", scores.averitec))
    rows = ((name, one.mean, f"{one.low:.3f} to {one.high:.3f}") for name, one in means)
    yield _table(["", "mean", "95% interval"], rows, f"Ev2R of {len(scores.claims)} claims")
    yield Text(f"judge: {scores.judge}", style="dim")
    if not scores.unjudged:
        return
    claims = len({one.claim_id for one in scores.unjudged})
    line = f"{claims} of {len(scores.claims)} claims could not be judged in full, which counts as 0:"
    yield Text(line, style="yellow")
    for one in scores.unjudged[:REASONS]:
        yield Text(f"  claim {one.claim_id}, {one.unit}: {one.reason}", style="yellow")
    if len(scores.unjudged) > REASONS:
        yield Text(f"  and {len(scores.unjudged) - REASONS} more comparisons", style="yellow")


def print_summary(results: Sequence[ClaimResult], facts: RunFacts, folder: Path) -> None:
    """Print the run on one screen: labels, time, failures, tokens, and where the files are."""
    run = time_report(results, facts).run
    table = Table(title=f"{run.claims} claim{'' if run.claims == 1 else 's'}", title_justify="left", show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, value in _summary_lines(results, run):
        table.add_row(name, Text(value))
    console = Console()
    console.print(table)
    for name in FILES:
        console.print(Text(str(folder / name)), soft_wrap=True)


def _summary_lines(results: Sequence[ClaimResult], run: RunTiming) -> list[tuple[str, str]]:
    labels = Counter(result.verdict.label for result in results)
    facts, cost = run.facts, run.cost
    why = Counter(failure.message for result in results for failure in result.failures).most_common(1)
    return [
        ("labels", ", ".join(f"{label} {labels[label]}" for label in Label)),
        ("seconds per claim", f"mean {run.mean:.2f}, p50 {run.p50:.2f}, p95 {run.p95:.2f}, max {run.max:.2f}"),
        ("budget", f"{facts.budget_seconds:g} s per claim on average; out of time {run.cut_short}"),
        ("rule", run.verdict),
        ("stages", _joined(f"{name} {seconds:.2f} s" for name, seconds in run.stages.items())),
        ("failed steps", _counted(run.failures)),
        *(("most often", f"{count} × {message}") for message, count in why),
        ("passed over in the documents", _counted(sum((Counter(one.flaws) for one in results), Counter()))),
        (
            "model calls",
            f"{cost.calls}; tokens in {cost.tokens_in} ({cost.tokens_cached} cached), out {cost.tokens_out}",
        ),
        ("run", f"{facts.run_seconds:.1f} s, plus {facts.model_load_seconds:.1f} s before it to load models"),
        ("peak memory", f"{facts.peak_memory_gib:.2f} GiB"),
    ]


def _counted(counts: Mapping[str, int]) -> str:
    return _joined(f"{count} × {name}" for name, count in sorted(counts.items()))


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(parts) or "none"
