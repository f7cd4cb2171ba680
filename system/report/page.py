"""Fill the HTML templates: one file, nothing fetched, no script of a claim or of a web page ever executed.

Jinja escapes every text. What opens from a claim is embedded as compressed JSON and becomes text nodes, never markup.
A content security policy names the page's own script and style by their hashes, so that no other can run.
"""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from system.files.texts import repair
from system.graph.records import ClaimResult, Label
from system.report.claims import Entry, view
from system.report.graphs import StoredGraph

# Controls that change the direction of the text around them; marks of single letters (U+200E, U+200F) are left.
DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
SLUGS = {
    str(Label.SUPPORTED): "supported",
    str(Label.REFUTED): "refuted",
    str(Label.NOT_ENOUGH_EVIDENCE): "not-enough",
    str(Label.CONFLICTING): "conflicting",
}
TEMPLATES = Path(__file__).parent / "templates"
STYLES = ("page.css", "claims.css", "graph.css", "print.css")
CLAIM_SCRIPTS = ("dom.js", "data.js", "highlight.js", "layout.js", "edges.js", "graph.js", "thought.js", "claim.js")


def visible(text: str) -> str:
    """Return text with its direction controls spelled out and forbidden characters replaced.

    >>> visible("safe\\u202egpj.exe\\x07")
    'safe‹U+202E›gpj.exe\\ufffd'
    """
    spelled = DIRECTION.sub(lambda match: f"‹U+{ord(match[0]):04X}›", repair(text))
    return CONTROL.sub("\ufffd", spelled)


def slug(label: str) -> str:
    """Return the CSS class that colors a label.

    >>> slug("Refuted"), slug("refuted")
    ('refuted', 'other')
    """
    return SLUGS.get(label, "other")


def seconds(value: float) -> str:
    """Write seconds for the report.

    >>> seconds(3.14159), seconds(1234.5)
    ('3.1 s', '1,234.5 s')
    """
    return f"{value:,.1f} s"


def packed(details: dict[str, Any]) -> str:
    """Compress the details of a claim into an alphabet that can close no element."""
    data = json.dumps(details, ensure_ascii=True, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode()


def claim_page(result: ClaimResult, graph: Mapping[str, Any]) -> str:
    """Write one claim as an HTML page of its own: verdict, evidence with its quotations marked, and the graph.

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
        data=packed(view(Entry.of(result), result, StoredGraph.of(graph))[1]),
    )


def filled(template: str, scripts: Sequence[str], styles: Sequence[str] = STYLES, **values: Any) -> str:
    """Fill a template; the page's policy allows only the style and script made of these files."""
    style, script = joined(TEMPLATES / name for name in styles), in_function(TEMPLATES / name for name in scripts)
    policy = (
        f"default-src 'none'; style-src {allowed(style)}; script-src {allowed(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = environment().get_template(template)
    return page.render(style=Markup(style), script=Markup(script), policy=policy, **values)


def environment() -> Environment:
    """Return the templates, which escape every text."""
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
    """Return the text of several files."""
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def in_function(scripts: Iterable[Path]) -> str:
    """Return all scripts in one function, so that none of their names is global."""
    return f'(() => {{\n"use strict";\n{joined(scripts)}\n}})();'


def allowed(code: str) -> str:
    """Name a style or script by its hash, as a content security policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
