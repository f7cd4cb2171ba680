"""The two pages: the report of a claim, which is a run's report, and the live page, drawn by the report's own scripts.

The only file of the service that knows ``submission``.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from submission.report.page import TEMPLATES, claim_page
from system.app.service.schema import DOCUMENTS
from system.records import ClaimResult, Content
from system.thoughts import Thought

HERE = Path(__file__).parent / "page"
STYLES = (TEMPLATES / "page.css", TEMPLATES / "claims.css", TEMPLATES / "graph.css", HERE / "live.css")
SCRIPTS = (
    *(TEMPLATES / f"{name}.js" for name in (
        "dom", "describe", "highlight", "layout", "edges", "graph", "thought", "claim")),
    *(HERE / f"{name}.js" for name in ("service", "form", "live")),
)  # fmt: skip


@dataclass(frozen=True)
class LivePage:
    """A page with the content security policy that lets its own script run and no other."""

    html: str
    policy: str


def live_page() -> LivePage:
    """Put the live page together; nothing in it comes from clients."""
    style, script = _joined(STYLES), f'(() => {{\n"use strict";\n{_joined(SCRIPTS)}\n}})();'
    html = (HERE / "live.html").read_text(encoding="utf-8")
    for name, text in {"MOST_DOCUMENTS": str(DOCUMENTS), "STYLE": style, "SCRIPT": script}.items():
        html = html.replace(f"{{{{{name}}}}}", text)
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return LivePage(html, policy)


def docs_page(schema: dict[str, Any]) -> LivePage:
    """The addresses of the service as a page without scripts, from its OpenAPI schema."""
    style = _joined(STYLES)
    operations = (
        f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(operation.get('description', ''))}</p>"
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    )
    fields = (
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(field.get('description', ''))}</td></tr>"
        for name, field in schema["components"]["schemas"]["Submission"]["properties"].items()
    )
    html = (HERE / "docs.html").read_text(encoding="utf-8")
    parts = {"STYLE": style, "OPERATIONS": "\n".join(operations), "FIELDS": "\n".join(fields)}
    for name, text in parts.items():
        html = html.replace(f"{{{{{name}}}}}", text)
    return LivePage(html, f"default-src 'none'; style-src {_hash(style)}; img-src data:; base-uri 'none'")


def report_page(result: ClaimResult, thoughts: Sequence[Thought[Content]]) -> str:
    """One claim as an HTML page that opens from disk. Of the setup nothing is told: it can name folders and servers."""
    return claim_page(result, {"thoughts": [thought.model_dump(mode="json") for thought in thoughts]})


def _joined(files: Iterable[Path]) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def _hash(code: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
