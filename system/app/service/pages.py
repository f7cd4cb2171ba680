"""The live pages of the service."""

from collections.abc import Iterable
from pathlib import Path

from fastapi.responses import HTMLResponse
from markupsafe import Markup

from knowledge_store.pages.formats import SUFFIXES
from system.app.service.schema import DOCUMENTS, TEXT
from system.report.page import TEMPLATES, allowed, environment, in_function, joined

HERE = Path(__file__).parent / "page"
SHARED = [HERE / f"{name}.js" for name in ("service", "form", "told")]
STYLES = {"claim": ("page", "claims", "graph"), "text": ("page", "claims", "marked")}
SCRIPTS = {"claim": ("dom", "highlight", "layout", "edges", "graph", "thought", "claim"), "text": ("dom", "marked")}
OWN = {"claim": "live", "text": "text"}
PRIVATE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


def live_page(kind: str) -> HTMLResponse:
    """Make the page for a "claim" or a "text"; nothing in it comes from clients, and only its own script may run."""
    style = joined([*_templates(STYLES[kind], "css"), HERE / "live.css"])
    script = in_function([*_templates(SCRIPTS[kind], "js"), *SHARED, HERE / f"{OWN[kind]}.js"])
    template = environment().from_string((HERE / "live.html").read_text(encoding="utf-8"))
    html = template.render(
        kind=kind,
        most=DOCUMENTS,
        longest=TEXT,
        endings=",".join(sorted(SUFFIXES)),
        style=Markup(style),
        script=Markup(script),
    )
    policy = (
        f"default-src 'none'; style-src {allowed(style)}; script-src {allowed(script)}; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(html, headers={**PRIVATE, "Content-Security-Policy": policy})


def _templates(names: Iterable[str], ending: str) -> list[Path]:
    return [TEMPLATES / f"{name}.{ending}" for name in names]
