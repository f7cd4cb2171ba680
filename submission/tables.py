"""Scores and run summaries as tables for the terminal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from submission.ev2r.replies import Mode, Unit
from submission.ev2r.scores import OFFICIAL_THRESHOLD as EV2R_THRESHOLD
from submission.ev2r.scores import Estimate, Ev2rScores
from submission.legacy.scores import OFFICIAL_THRESHOLD, LegacyGroup, LegacyScores
from submission.score import INVALID, LabelScores, ScoreReport
from submission.timings import RunFacts, RunTiming, time_report
from submission.write import Written
from system.graph.records import ClaimResult, Label

EV2R = "Ev2R"
LEXICAL = "Lexical estimate: words compared, NOT an Ev2R score"
UNITS = {Unit.QUESTIONS: "Q", Unit.EVIDENCE: "Q+A"}
REASONS = 5
"""Limit of the comparisons without a judgement that are named."""
SHORT = {
    str(Label.SUPPORTED): "Sup",
    str(Label.REFUTED): "Ref",
    str(Label.NOT_ENOUGH_EVIDENCE): "NEE",
    str(Label.CONFLICTING): "Conf",
}


def print_report(report: ScoreReport, console: Console) -> None:
    """The scores as tables, and what could not be scored."""
    console.print(Group(*_notes(report), _overview(report), _by_label(report.labels), _confusion(report.labels)))
    if report.legacy:
        console.print(*legacy_tables(report.legacy), sep="\n")
    for scores, title in ((report.ev2r, EV2R), (report.ev2r_lexical, LEXICAL)):
        if scores:
            console.print(*ev2r_tables(scores, title), sep="\n")
    for metric, reason in report.left_out.items():
        console.print(Text(f"not computed: {metric}: {reason}", style="red"), soft_wrap=True)


def _notes(report: ScoreReport) -> Iterator[RenderableType]:
    yield Text(report.official)
    if report.missing:
        yield Text(f"not scored, no prediction: claims {id_ranges(report.missing)}", style="yellow")
    if report.extra:
        yield Text(f"not scored, not in the gold file: claims {id_ranges(report.extra)}", style="yellow")
    for one in report.mismatched:
        line = f"not scored, another text: claim {one.claim_id}: {one.predicted[:60]!r}, in gold {one.gold[:60]!r}"
        yield Text(line, style="yellow")


def id_ranges(ids: Iterable[int]) -> str:
    """Ids in short.

    >>> id_ranges([0, 1, 2, 5])
    '0-2, 5'
    """
    ordered = sorted(ids)
    starts = [ordered[0], *(after for before, after in pairwise(ordered) if after - before > 1)]
    ends = [*(before for before, after in pairwise(ordered) if after - before > 1), ordered[-1]]
    return ", ".join(str(start) if start == end else f"{start}-{end}" for start, end in zip(starts, ends, strict=True))


def _overview(report: ScoreReport) -> Table:
    table = Table("", title=f"Labels of {report.labels.claims} of {report.gold_claims} claims", title_justify="left")
    table.add_column("predicted", justify="right")
    table.add_column('always "Refuted"', justify="right")
    for name, ours, constant in (
        ("accuracy", report.labels.accuracy, report.constant_refuted.accuracy),
        ("macro-F1", report.labels.macro_f1, report.constant_refuted.macro_f1),
    ):
        table.add_row(name, f"{ours:.3f}", f"{constant:.3f}")
    return table


def _by_label(scores: LabelScores) -> Table:
    table = Table("label")
    for column in ("precision", "recall", "F1", "support"):
        table.add_column(column, justify="right")
    for label, one in scores.labels.items():
        table.add_row(str(label), f"{one.precision:.3f}", f"{one.recall:.3f}", f"{one.f1:.3f}", str(one.support))
    return table


def _confusion(scores: LabelScores) -> Table:
    """Gold labels down, predicted labels across; a column of invalid labels only where there are any."""
    table = Table("gold \\ predicted")
    shown: list[str] = [*scores.labels]
    if any(row[INVALID] for row in scores.confusion.values()):
        shown.append(INVALID)
    for name in shown:
        table.add_column(SHORT.get(name, name), justify="right")
    for label, row in scores.confusion.items():
        table.add_row(str(label), *(str(row[name]) for name in shown))
    return table


def legacy_tables(scores: LegacyScores) -> Iterator[RenderableType]:
    """All claims, each label and each type; the other thresholds; and what METEOR was made from."""
    yield _groups(scores)
    yield _thresholds(scores)
    yield Text(f"words by {scores.sources.tokenization}; synonyms of {scores.sources.wordnet}", style="dim")


def _groups(scores: LegacyScores) -> Table:
    table = Table("", title="Legacy AVeriTeC (Hungarian METEOR)", title_justify="left")
    for column in ("claims", "acc.", "Q", "Q+A", f"@{OFFICIAL_THRESHOLD}"):
        table.add_column(column, justify="right")
    _legacy_row(table, "all", scores.overall)
    for groups in (scores.by_label, scores.by_type):
        table.add_section()
        for name, group in groups.items():
            _legacy_row(table, str(name), group)
    return table


def _legacy_row(table: Table, name: str, group: LegacyGroup) -> None:
    numbers = (group.accuracy, group.questions, group.questions_and_answers, group.averitec[OFFICIAL_THRESHOLD])
    table.add_row(name, str(group.claims), *(f"{number:.3f}" for number in numbers))


def _thresholds(scores: LegacyScores) -> Table:
    table = Table("threshold", *(str(threshold) for threshold in scores.overall.averitec))
    table.add_row("legacy AVeriTeC score", *(f"{share:.3f}" for share in scores.overall.averitec.values()))
    return table


def ev2r_tables(scores: Ev2rScores, title: str) -> Iterator[RenderableType]:
    """Means with intervals, the curve, the judge, and what could not be judged."""
    yield _means(scores, title)
    if scores.curve:
        yield _curve(scores)
    yield Text(f"judge: {scores.judge}; replies read in {scores.mode} mode", style="dim")
    yield from _unjudged(scores)


def _means(scores: Ev2rScores, title: str) -> Table:
    table = Table("", title=title, title_justify="left")
    for column in ("claims", "mean", "95% interval"):
        table.add_column(column, justify="right")
    for unit, one in scores.units.items():
        _ev2r_row(table, f"{UNITS[unit]} recall", one.claims, one.recall)
        _ev2r_row(table, f"{UNITS[unit]} precision", one.claims, one.precision)
    if scores.averitec:
        _ev2r_row(table, f"AVeriTeC @{EV2R_THRESHOLD}", scores.units[Unit.EVIDENCE].claims, scores.averitec)
    return table


def _ev2r_row(table: Table, name: str, claims: int, estimate: Estimate) -> None:
    table.add_row(name, str(claims), f"{estimate.mean:.3f}", f"{estimate.low:.3f} to {estimate.high:.3f}")


def _curve(scores: Ev2rScores) -> Table:
    table = Table("recall above", *(str(threshold) for threshold in scores.curve))
    table.add_row("AVeriTeC", *(f"{share:.2f}" for share in scores.curve.values()))
    return table


def _unjudged(scores: Ev2rScores) -> Iterator[Text]:
    if not scores.unjudged:
        return
    claims = len({one.claim_id for one in scores.unjudged})
    fate = "counted as 0" if scores.mode is Mode.COMPATIBLE else "not counted in the means"
    yield Text(f"{claims} of {len(scores.claims)} claims could not be judged in full, {fate}:", style="yellow")
    for one in scores.unjudged[:REASONS]:
        yield Text(f"  claim {one.claim_id}, {one.unit}: {one.reason}", style="yellow")
    if len(scores.unjudged) > REASONS:
        yield Text(f"  and {len(scores.unjudged) - REASONS} more comparisons", style="yellow")


def print_summary(results: Sequence[ClaimResult], facts: RunFacts, written: Written) -> None:
    """Print the run on one screen: labels, time, failures, tokens, and where the files are."""
    run = time_report(results, facts).run
    table = Table(title=f"{run.claims} claim{'' if run.claims == 1 else 's'}", title_justify="left", show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, value in _summary_lines(results, run):
        table.add_row(name, Text(value))
    console = Console()
    console.print(table)
    for _, path in written:
        console.print(Text(str(path)), soft_wrap=True)


def _counts(counts: Iterable[Mapping[str, int]]) -> str:
    """Sums by name, in one line.

    >>> _counts([{"b": 1}, {"a": 2, "b": 3}])
    '2 × a, 4 × b'
    """
    total: Counter[str] = Counter()
    for some in counts:
        total.update(some)
    return ", ".join(f"{count} × {name}" for name, count in sorted(total.items())) or "none"


def _summary_lines(results: Sequence[ClaimResult], run: RunTiming) -> list[tuple[str, str]]:
    labels = Counter(result.verdict.label for result in results)
    facts, cost = run.facts, run.cost
    budget = f"{facts.budget_seconds:g} s per claim on average over the run; out of time {run.cut_short}"
    return [
        ("labels", ", ".join(f"{label} {labels[label]}" for label in Label)),
        ("seconds per claim", f"mean {run.mean:.2f}, p50 {run.p50:.2f}, p95 {run.p95:.2f}, max {run.max:.2f}"),
        ("budget", budget),
        ("rule", run.verdict),
        ("stages", ", ".join(f"{name} {seconds:.2f} s" for name, seconds in run.stages.items()) or "none"),
        ("failed steps", _counts([run.failures])),
        ("passed over in the documents", _counts(result.flaws for result in results)),
        ("model calls", f"{cost.calls}"),
        ("tokens", f"in {cost.tokens_in} ({cost.tokens_cached} cached), out {cost.tokens_out}"),
        ("run", f"{facts.run_seconds:.1f} s, plus {facts.model_load_seconds:.1f} s before it to load models"),
        ("peak memory", f"{facts.peak_memory_gib:.2f} GiB"),
    ]
