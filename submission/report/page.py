"""The HTML report: one file, nothing fetched, nothing that a claim or a page says ever executed.

Jinja escapes every text. What opens from a claim is embedded as compressed JSON and becomes text nodes, never markup.
A content security policy names the page's own script and style by their hashes, so that no other can run.
"""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from submission.report import plots
from submission.report.claims import Row
from submission.report.error_analysis import Reach
from submission.report.matching import RULE
from submission.report.overview import Overview
from submission.report.shown import seconds, slug, visible
from submission.timings import TimeReport
from system.records import Label

TEMPLATES = Path(__file__).parent / "templates"
STYLES = ("page.css", "claims.css", "graph.css", "print.css")
SCRIPTS = ("dom.js", "data.js", "describe.js", "highlight.js", "layout.js", "edges.js", "graph.js", "thought.js",
           "claim.js", "list.js", "main.js")  # fmt: skip


def packed(details: dict[str, Any]) -> str:
    """The details of a claim, compressed, in an alphabet that can close no element."""
    data = json.dumps(details, ensure_ascii=True, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode()


def render(
    name: str, overview: Overview, rows: Sequence[Row], details: Sequence[str], timings: TimeReport | None
) -> str:
    """The report as HTML.

    Args:
        name: of what is reported on, the heading.
        details: the ``packed`` details of each row.
    """
    style, script = _joined(STYLES), _script()
    return (
        _environment()
        .get_template("report.html")
        .render(
            name=name,
            overview=overview,
            rows=list(zip(rows, details, strict=True)),
            figures=figures(overview, timings),
            timings=timings,
            labels=list(Label),
            reaches=list(Reach),
            rule=RULE,
            style=Markup(style),
            script=Markup(script),
            policy=_policy(style, script),
        )
    )


def figures(overview: Overview, timings: TimeReport | None) -> dict[str, str]:
    """The figures that there is material for, by name; each is an SVG file of its own as well."""
    drawn: dict[str, str] = {}
    if timings:
        drawn |= {"seconds": plots.histogram(timings), "stages": plots.stages(timings)}
    if overview.labels:
        drawn["confusion"] = plots.confusion(overview.labels)
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


def _joined(names: Iterable[str]) -> str:
    return "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)


def _script() -> str:
    """All scripts in one function, so that none of their names is global."""
    return f'(() => {{\n"use strict";\n{_joined(SCRIPTS)}\n}})();'


def _policy(style: str, script: str) -> str:
    def allowed(code: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; style-src {allowed(style)}; script-src {allowed(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
