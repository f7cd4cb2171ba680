"""Two runs side by side: which labels changed, what the time and, with gold, the scores became."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from submission.files import SubmissionError, same_text
from submission.read import Predicted, pair, read_annotations, scored
from submission.report.material import Entry, Material, read_run
from submission.report.page import visible
from submission.score import in_two_labels, label_scores
from submission.tables import SHORT
from system.averitec.gold import GoldClaim
from system.files.journal import flat
from system.graph.records import TWO_LABELS, Record


class Change(Record):
    """A claim whose label changed; ``gold`` is empty where it is not known."""

    claim_id: int
    claim: str
    before: str
    after: str
    gold: str


class Measure(Record):
    """A number of each run."""

    name: str
    before: float
    after: float


class RunComparison(Record):
    """Two runs on the claims that they share.

    Attributes:
        shared: claims that both runs have, by id and text.
        only: claims that only the first, and only the second run has.
        measures: scores over the shared claims; time over all claims of each run.
        settings: names of the settings that differ, with both values.
    """

    before: str
    after: str
    shared: int
    only: tuple[int, int]
    measures: tuple[Measure, ...]
    changes: tuple[Change, ...]
    settings: dict[str, tuple[str, str]]


def compare(before: Path, after: Path, gold: Path | None = None) -> RunComparison:
    """Compare the output folders of two runs.

    Raises:
        SubmissionError: a folder holds no finished run, or the runs share no claim.
    """
    one, two = read_run(before), read_run(after)
    shared = _shared(one, two)
    annotations = read_annotations(gold) if gold else []
    return RunComparison(
        before=str(before),
        after=str(after),
        shared=len(shared),
        only=(len(one.entries) - len(shared), len(two.entries) - len(shared)),
        measures=(*_scores(shared, annotations, one.two_labels or two.two_labels), *_times(one, two)),
        changes=tuple(_changes(shared, annotations)),
        settings=_differences(one.setup.get("settings", {}), two.setup.get("settings", {})),
    )


def _shared(one: Material, two: Material) -> list[tuple[Entry, Entry]]:
    by_id = {entry.claim_id: entry for entry in two.entries}
    met = [(entry, by_id[entry.claim_id]) for entry in one.entries if entry.claim_id in by_id]
    shared = [(before, after) for before, after in met if same_text(before.claim, after.claim)]
    if not shared:
        raise SubmissionError(
            f"{one.path} and {two.path} have no claim in common (by id and text); compare runs of the same split"
        )
    return shared


def _changes(shared: Sequence[tuple[Entry, Entry]], annotations: Sequence[GoldClaim]) -> list[Change]:
    by_id = {one.claim.id: one for one in annotations}
    return [
        Change(
            claim_id=before.claim_id,
            claim=before.claim,
            before=before.label,
            after=after.label,
            gold=_label(by_id.get(before.claim_id), before),
        )
        for before, after in shared
        if before.label != after.label
    ]


def _label(annotated: GoldClaim | None, entry: Entry) -> str:
    return annotated.label if annotated and same_text(annotated.claim.text, entry.claim) else ""


def _scores(shared: Sequence[tuple[Entry, Entry]], annotations: Sequence[GoldClaim], two_labels: bool) -> list[Measure]:
    if not annotations:
        return []
    gold = scored(annotations)
    sides = (pair([_predicted(entry) for entry in side], gold).pairs for side in zip(*shared, strict=True))
    before, after = (
        label_scores(in_two_labels(side), TWO_LABELS) if two_labels else label_scores(side) for side in sides
    )
    return [
        Measure(name="label accuracy", before=before.accuracy, after=after.accuracy),
        Measure(name="macro-F1", before=before.macro_f1, after=after.macro_f1),
    ]


def _predicted(entry: Entry) -> Predicted:
    return Predicted(claim_id=entry.claim_id, claim=entry.claim, label=entry.label)


def _times(one: Material, two: Material) -> list[Measure]:
    before, after = _time(one), _time(two)
    return [
        Measure(name=name, before=before.get(name, 0.0), after=after.get(name, 0.0)) for name in {**before, **after}
    ]


def _time(run: Material) -> dict[str, float]:
    """Means a claim, by name."""
    assert run.timings is not None  # ``read_run`` reads nothing without
    timing = run.timings.run
    cost = timing.mean_cost
    return {
        "seconds a claim": timing.mean,
        "longest claim": timing.max,
        "wall seconds a claim": timing.wall,
        **{f"seconds, {stage}": seconds for stage, seconds in timing.stages.items()},
        "model calls": float(cost.calls),
        "tokens in": float(cost.tokens_in),
        "tokens out": float(cost.tokens_out),
        "claims cut short": float(timing.cut_short),
        "failures": float(sum(timing.failures.values())),
    }


def _differences(one: Mapping[str, object], two: Mapping[str, object]) -> dict[str, tuple[str, str]]:
    before, after = dict(flat(one)), dict(flat(two))
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name: (before.get(name, "–"), after.get(name, "–")) for name in names}


def print_comparison(comparison: RunComparison, console: Console) -> None:
    """Settings that differ, numbers of both runs, and every changed label."""
    console.print(
        Group(
            *_notes(comparison), *_settings_table(comparison), _measures_table(comparison), *_changes_table(comparison)
        )
    )


def _notes(comparison: RunComparison) -> Iterator[RenderableType]:
    yield Text(f"before: {comparison.before}\nafter:  {comparison.after}\n{comparison.shared} claims in both")
    for count, name in zip(comparison.only, ("before", "after"), strict=True):
        if count:
            yield Text(f"{count} claims only in the run {name}; their labels are not compared", style="yellow")


def _settings_table(comparison: RunComparison) -> Iterator[RenderableType]:
    if comparison.settings:
        table = Table("setting", "before", "after")
        for name, values in comparison.settings.items():
            table.add_row(*(Text(visible(value)) for value in (name, *values)))
        yield table


def _measures_table(comparison: RunComparison) -> Table:
    table = Table("")
    for column in ("before", "after", "change"):
        table.add_column(column, justify="right")
    for one in comparison.measures:
        table.add_row(one.name, f"{one.before:,.3f}", f"{one.after:,.3f}", f"{one.after - one.before:+,.3f}")
    return table


def _changes_table(comparison: RunComparison) -> Iterator[RenderableType]:
    yield Text(f"\n{len(comparison.changes)} labels changed{_balance(comparison.changes)}")
    if not comparison.changes:
        return
    table = Table("claim", "before", "after", "gold", "text")
    for one in comparison.changes:
        names = (SHORT.get(name, name) for name in (one.before, one.after, one.gold))
        words = visible(one.claim)
        table.add_row(str(one.claim_id), *map(Text, names), Text(words if len(words) <= 80 else f"{words[:79]}…"))
    yield table


def _balance(changes: tuple[Change, ...]) -> str:
    """Count the claims that became right and wrong, given gold."""
    known = [one for one in changes if one.gold]
    counts = Counter((one.before == one.gold, one.after == one.gold) for one in known)
    return f": {counts[False, True]} became right, {counts[True, False]} became wrong" if known else ""
