"""The page of a run: the claims with the sentence that decides each, and scores, time and failures around them.

A run over documents opens with its claims. A run over annotated claims opens with its scores.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from knowledge_store.pages.page import shown_path, source_name
from system.averitec.gold import GoldClaim
from system.files.journal import flat
from system.graph.records import TWO_LABELS, ClaimResult, Label
from system.report.charts import histogram
from system.report.claims import Entry, Row, view
from system.report.graphs import StoredGraph
from system.report.page import CLAIM_SCRIPTS, filled, packed
from system.report.scores import INVALID, SHORT, LabelScores
from system.report.timings import TimeReport

SLOWEST = 0.05
"""Share of the claims that the list calls slow."""
SLOWEST_SHOWN = 8
PER_CLAIM = ("failed_claims", "store_flaws_by_claim")
"""Entries of ``run.json`` that the claims show already."""
MARKS = {"right": "right", "wrong": "wrong", "slow": "slow", "failed": "failed", "debated": "debated",
         "cut-short": "ran out of time", "instructions": "passages that look like instructions"}  # fmt: skip
"""Filters of the list of claims, with their captions."""


@dataclass(frozen=True)
class RunMaterial:
    """A system's output; only the entries exist for systems other than ours."""

    path: Path  #: folder or file that it was read from
    entries: tuple[Entry, ...]
    results: Mapping[int, ClaimResult] = field(default_factory=dict)  #: the full results by claim id
    timings: TimeReport | None = None
    graph_of: Callable[[int], StoredGraph] = lambda _: StoredGraph()  #: reads the graph of a claim by its id
    setup: Mapping[str, Any] = field(default_factory=dict)  #: ``run.json`` (settings, machine, versions)
    #: the annotations of the claims that are scored, by claim id
    gold: Mapping[int, GoldClaim] = field(default_factory=dict)
    labels: LabelScores | None = None  #: the scores; None without gold
    constant: LabelScores | None = None  #: what the constant answer "Refuted" scores
    #: names and numbers of further metrics, by the file that holds them
    further: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  #: what of the predictions could not be compared with gold, in words

    @property
    def of_documents(self) -> bool:
        """Whether the claims were checked against documents of the user's own."""
        return bool(self.setup.get("documents"))


@dataclass(frozen=True)
class Example:
    """A claim with the sentence that decides it, the first thing that a reader sees."""

    row: Row
    source: str
    correction: str


def run_page(run: RunMaterial) -> tuple[str, dict[str, str]]:
    """Write the page of a run, and its figures as SVG by their names."""
    rows, details = [], []
    limit = _slow_from(run.timings)
    for entry in tqdm(run.entries, unit="claim", desc="report", delay=2):
        result, graph = run.results.get(entry.claim_id), run.graph_of(entry.claim_id)
        row, opened = view(entry, result, graph, run.gold.get(entry.claim_id), limit)
        rows.append(row)
        details.append(packed(opened))
    name, subtitle = shown_path(run.path.resolve().name), ", ".join(_facts(run.setup))
    labels = [row.label for row in rows]
    given, timed = {mark for row in rows for mark in row.marks}, [row for row in rows if row.seconds is not None]
    figures = {"seconds": histogram(run.timings)} if run.timings else {}
    page = filled(
        "report.html",
        (*CLAIM_SCRIPTS, "list.js", "main.js"),
        name=name,
        title=f"{name}: {len(rows)} claims checked" + (f", {subtitle}" if subtitle else ""),
        subtitle=subtitle,
        run=run,
        claims_first=run.of_documents or not run.labels,
        example=_example(run, rows),
        rows=list(zip(rows, details, strict=True)),
        verdicts={label: labels.count(label) for label in [*Label, *sorted({*labels} - {*Label})]},
        mark_words=MARKS,
        marks={mark: words for mark, words in MARKS.items() if mark in given},
        types=sorted({name for row in rows for name in row.types}),
        slowest=sorted(timed, key=lambda row: -(row.seconds or 0.0))[:SLOWEST_SHOWN],
        incidents=_incidents(rows),
        setup=dict(flat({name: value for name, value in run.setup.items() if name not in PER_CLAIM})),
        figures=figures,
        timings=run.timings,
        labels=list(Label),
        short=SHORT,
        invalid=INVALID,
    )
    return page, figures


def _slow_from(timings: TimeReport | None) -> float:
    """Return the seconds that only the slowest twentieth of the claims needs."""
    if not timings:
        return float("inf")
    seconds = sorted(claim.seconds for claim in timings.claims)
    return seconds[-max(1, round(SLOWEST * len(seconds)))]


def _facts(setup: Mapping[str, Any]) -> Iterator[str]:
    if file := setup.get("claims_file"):
        yield f"claims of {Path(file).name}"
    settings = setup.get("settings", {})
    if strategy := settings.get("strategy"):
        yield f"strategy {strategy}"
    model = settings.get("model", {})
    if name := model.get("model") or model.get("backend"):
        yield f"model {Path(name).name}"


def _example(run: RunMaterial, rows: Sequence[Row]) -> Example | None:
    """Return the example, or None if no verdict quotes anything."""
    eligible = [row for row in rows if row.quotation and row.label in TWO_LABELS]
    quoting = {row.claim_id: row for row in eligible if "right" in row.marks or not run.labels}
    if not quoting:
        return None
    surest = max((one for one in run.entries if one.claim_id in quoting), key=lambda one: one.confidence or 0.0)
    row, result = quoting[surest.claim_id], run.results.get(surest.claim_id)
    passages = [(pair.url, pair.scraped_text) for pair in surest.pairs]
    passages += [(one.url, one.text) for pair in result.pairs for one in pair.passages] if result else []
    words = _words(row.quotation)
    source = next((source_name(url) for url, text in passages if url and words in _words(text)), "")
    return Example(row, source, result.correction.text if result and result.correction else "")


def _words(text: str) -> str:
    return " ".join(text.strip(" .…").split())


def _incidents(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the messages of each incident, one a claim, the most frequent first."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for name, message in row.incidents.items():
            found.setdefault(name, []).append(message)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))
