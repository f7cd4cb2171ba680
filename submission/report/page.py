"""The HTML report: one file, nothing fetched, nothing that a claim or a page says ever executed.

Jinja escapes every text. What opens from a claim is embedded as compressed JSON and becomes text nodes, never markup.
A content security policy names the page's own script and style by their hashes, so that no other can run.
"""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from knowledge_store.pages.page import shown_path
from submission.files import repair, write_text
from submission.read import Pairing, Predicted, annotations_if_any, pair, read_annotations, scored
from submission.report import charts
from submission.report.claims import Row, claim_views, details_of
from submission.report.losses import RULE, Reach
from submission.report.material import Material, read_run, read_system
from submission.report.overview import Overview, overview
from submission.timings import TimeReport, write_measured_timings
from system.averitec.gold import GoldClaim
from system.graph.records import ClaimResult, Label

# Controls that change the direction of the text around them; marks of single letters (U+200E, U+200F) are left.
DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
SLUGS = {
    str(Label.SUPPORTED): "supported",
    str(Label.REFUTED): "refuted",
    str(Label.NOT_ENOUGH_EVIDENCE): "not-enough",
    str(Label.CONFLICTING): "conflicting",
}


def visible(text: str) -> str:
    """Text with its direction controls spelled out, and what no document may hold replaced.

    >>> visible("safe\\u202egpj.exe\\x07")
    'safe‹U+202E›gpj.exe\\ufffd'
    """
    spelled = DIRECTION.sub(lambda match: f"‹U+{ord(match[0]):04X}›", repair(text))
    return CONTROL.sub("\ufffd", spelled)


def slug(label: str) -> str:
    """The class that colors a label; of any other text, that of no label.

    >>> slug("Refuted"), slug("refuted")
    ('refuted', 'other')
    """
    return SLUGS.get(label, "other")


def seconds(value: float) -> str:
    """Seconds as they are written in the report.

    >>> seconds(3.14159), seconds(1234.5)
    ('3.1 s', '1,234.5 s')
    """
    return f"{value:,.1f} s"


TEMPLATES = Path(__file__).parent / "templates"
STYLES = ("page.css", "claims.css", "graph.css", "print.css")
CLAIM_SCRIPTS = ("dom.js", "data.js", "highlight.js", "layout.js", "edges.js", "graph.js", "thought.js", "claim.js")
MARKS = {"right": "right", "wrong": "wrong", "slow": "slow", "failed": "failed", "debated": "debated",
         "cut-short": "ran out of time", "instructions": "passages that look like instructions"}  # fmt: skip
"""Filters of the list of claims, with their captions."""


def write_report(folder: Path, gold: Path | None = None, predictions: Path | None = None) -> Path:
    """Write ``report.html``, ``figures/*.svg``, and for a run of ours ``measured_timings.txt``.

    Args:
        folder: the output folder of a run, or where to write the report on ``predictions``.
        gold: the split with labels; unless given, the run's claims file if that has labels.
        predictions: predictions of another system; unless given, the run in ``folder``.

    Returns:
        The path of the report.

    Raises:
        SubmissionError: a file cannot be read, or gold and predictions share no claim.
    """
    material = read_system(predictions) if predictions else read_run(folder)
    annotations = read_annotations(gold) if gold else _annotations_of(material)
    pairing = _pair(material, annotations) if annotations else None
    by_id = {one.claim.id: one for one in annotations}
    annotated = {one.gold.claim_id: by_id[one.gold.claim_id] for one in pairing.pairs} if pairing else {}
    rows, details, reaches = [], [], []
    for view in claim_views(material, annotated):
        rows.append(view.row)
        details.append(packed(view.details))
        reaches += [view.reach] if view.reach else []
    summary = overview(material, rows, reaches, pairing)
    path = folder / "report.html"
    write_text(path, render(material, summary, rows, details))
    for name, svg in figures(summary, material.timings).items():
        write_text(folder / "figures" / f"{name}.svg", svg + "\n")
    if material.timings:
        write_measured_timings(material.timings, folder / "measured_timings.txt")
    return path


def _annotations_of(material: Material) -> list[GoldClaim]:
    """The annotations of the claims file of a run, if it is still there and has any."""
    file = material.setup.get("claims_file")
    return annotations_if_any(Path(file)) if file else []


def _pair(material: Material, annotations: list[GoldClaim]) -> Pairing:
    predicted = [Predicted(claim_id=one.claim_id, claim=one.claim, label=one.label) for one in material.entries]
    return pair(predicted, scored(annotations))


def packed(details: dict[str, Any]) -> str:
    """The details of a claim, compressed, in an alphabet that can close no element."""
    data = json.dumps(details, ensure_ascii=True, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode()


def render(material: Material, overview: Overview, rows: Sequence[Row], details: Sequence[str]) -> str:
    """The report as HTML; ``details`` are the ``packed`` details of each row."""
    name, labels = shown_path(material.path.resolve().name), [row.label for row in rows]
    given = {mark for row in rows for mark in row.marks}
    subtitle = ", ".join(_facts(material))
    return filled(
        "report.html",
        (*CLAIM_SCRIPTS, "list.js", "main.js"),
        name=name,
        title=f"{name}: {len(rows)} claims checked" + (f", {subtitle}" if subtitle else ""),
        subtitle=subtitle,
        overview=overview,
        rows=list(zip(rows, details, strict=True)),
        verdicts={label: labels.count(label) for label in [*Label, *sorted({*labels} - {*Label})]},
        mark_words=MARKS,
        marks={mark: words for mark, words in MARKS.items() if mark in given},
        figures=figures(overview, material.timings),
        timings=material.timings,
        labels=list(Label),
        reaches=list(Reach),
        rule=RULE,
    )


def claim_page(result: ClaimResult, graph: Mapping[str, Any]) -> str:
    """One claim as an HTML page of its own: verdict, evidence with its quotations marked, and the graph.

    Args:
        graph: the claim's graph as JSON, as in ``graphs/<claim id>.json``.
    """
    return filled(
        "claim.html",
        (*CLAIM_SCRIPTS, "single.js"),
        title=f"{result.verdict.label}: {result.claim.text}",
        claim=result.claim.text,
        verdict=result.verdict.label,
        justification=result.verdict.justification,
        data=packed(details_of(result, graph)),
    )


def _facts(material: Material) -> Iterator[str]:
    """Describe a run: its claims, the strategy and the model."""
    if file := material.setup.get("claims_file"):
        yield f"claims of {Path(file).name}"
    settings = material.setup.get("settings", {})
    if strategy := settings.get("strategy"):
        yield f"strategy {strategy}"
    model = settings.get("model", {})
    if name := model.get("model") or model.get("backend"):
        yield f"model {Path(name).name}"


def filled(template: str, scripts: Sequence[str], styles: Sequence[str] = STYLES, **values: Any) -> str:
    """A page made of a template; its style and script, of these files, are the only ones that it admits."""
    style, script = joined(TEMPLATES / name for name in styles), in_function(TEMPLATES / name for name in scripts)
    page = _environment().get_template(template)
    return page.render(style=Markup(style), script=Markup(script), policy=_policy(style, script), **values)


def figures(overview: Overview, timings: TimeReport | None) -> dict[str, str]:
    """The figures that there is material for, by name; each is an SVG file of its own as well."""
    drawn: dict[str, str] = {}
    if timings:
        drawn |= {"seconds": charts.histogram(timings), "stages": charts.stages(timings)}
    if overview.labels:
        drawn["confusion"] = charts.confusion(overview.labels)
    return drawn


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"slug": slug, "seconds": seconds, "markup": Markup}
    return environment


def _finalize(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def joined(files: Iterable[Path]) -> str:
    """The text of several files."""
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def in_function(scripts: Iterable[Path]) -> str:
    """All scripts in one function, so that none of their names is global."""
    return f'(() => {{\n"use strict";\n{joined(scripts)}\n}})();'


def allowed(code: str) -> str:
    """A style or script as a content security policy names it: by its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {allowed(style)}; script-src {allowed(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
