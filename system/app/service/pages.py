"""The live pages of the service, and the report page of a claim."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from knowledge_store.pages.formats import SUFFIXES
from system.app.service.schema import DOCUMENTS, TEXT
from system.checker import Checked
from system.graph.records import Content
from system.graph.thoughts import Thought
from system.report.page import TEMPLATES, allowed, claim_page, in_function, joined

HERE = Path(__file__).parent / "page"
SHARED = [HERE / f"{name}.js" for name in ("service", "form", "told")]
STYLES = {"claim": ("page", "claims", "graph"), "text": ("page", "claims", "marked")}
SCRIPTS = {
    "claim": ("dom", "highlight", "layout", "edges", "graph", "thought", "claim"),
    "text": ("dom", "marked"),
}
OWN = {"claim": "live", "text": "text"}
PAGES = Environment(
    loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
)
PRIVATE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True)
class LivePage:
    """A page with the content security policy that lets only its own script run."""

    html: str
    policy: str

    def response(self) -> HTMLResponse:
        """Return the page as a response."""
        return HTMLResponse(self.html, headers={**PRIVATE, "Content-Security-Policy": self.policy})


def live_page(kind: str) -> LivePage:
    """Put the page for a "claim" or a "text" together; nothing in it comes from clients."""
    style = joined([*_templates(STYLES[kind], "css"), HERE / "live.css"])
    script = in_function([*_templates(SCRIPTS[kind], "js"), *SHARED, HERE / f"{OWN[kind]}.js"])
    html = PAGES.get_template("live.html").render(
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
    return LivePage(html, policy)


def report_page(checked: Checked, thoughts: Sequence[Thought[Content]]) -> str:
    """Return one claim as an HTML page that opens from disk, without the setup, which can name folders and servers."""
    return claim_page(checked.result, {"thoughts": [thought.model_dump(mode="json") for thought in thoughts]})


def _templates(names: Iterable[str], ending: str) -> list[Path]:
    return [TEMPLATES / f"{name}.{ending}" for name in names]
