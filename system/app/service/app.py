"""The web application: what each address answers. Work is ``jobs``', checking ``worker``'s."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import anyio
import orjson
from fastapi import APIRouter, FastAPI, Header, Request, Response, Security
from fastapi import Path as Param
from fastapi.responses import HTMLResponse
from fastapi.security import HTTPBearer
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent

from knowledge_store.pages.formats import SUFFIXES
from system import __version__
from system.app.service.docs import models, operations
from system.app.service.errors import NoResult, answer_errors
from system.app.service.guards import BearerToken, LocalNames, Sizes
from system.app.service.job_archive import JobArchive
from system.app.service.jobs import OPEN, ClaimJobs, Found, Job, Metrics, Ordered, Part, TextJobs, TextPart
from system.app.service.schema import (
    DOCUMENTS,
    FIGURES,
    LINKED,
    LINKED_TEXT,
    STREAM,
    STREAM_OF_TEXT,
    TEXT,
    ClaimProgress,
    Health,
    State,
    StoreNames,
    Submission,
    TextProgress,
    TextSubmission,
    problems,
)
from system.app.service.streams import Stream, Streams
from system.app.service.worker import Order, Stores, TextOrder, Worker
from system.article.records import Article
from system.graph.records import Claim, ClaimResult, Content
from system.graph.thoughts import Thought
from system.report.article import text_page
from system.report.page import TEMPLATES, allowed, claim_page, in_function, joined

HERE = Path(__file__).parent / "page"
STYLES = (TEMPLATES / "page.css", TEMPLATES / "claims.css", TEMPLATES / "graph.css", HERE / "live.css")
TEXT_STYLES = (TEMPLATES / "page.css", TEMPLATES / "claims.css", TEMPLATES / "marked.css", HERE / "live.css")
SCRIPTS = (
    *(TEMPLATES / f"{name}.js" for name in (
        "dom", "highlight", "layout", "edges", "graph", "thought", "claim")),
    *(HERE / f"{name}.js" for name in ("service", "form", "told", "live")),
)  # fmt: skip
TEXT_SCRIPTS = (
    *(TEMPLATES / f"{name}.js" for name in ("dom", "marked")),
    *(HERE / f"{name}.js" for name in ("service", "form", "told", "text")),
)
PAGES = Environment(
    loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
)


@dataclass(frozen=True)
class LivePage:
    """A page with the content security policy that lets its own script run and no other."""

    html: str
    policy: str


def live_page(kind: str, styles: Iterable[Path], scripts: Iterable[Path]) -> LivePage:
    """Put a live page together; nothing in it comes from clients.

    Args:
        kind: what is checked there, "claim" or "text".
    """
    style, script = joined(styles), in_function(scripts)
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


def docs_page(schema: dict[str, Any], closed: bool, base: str) -> LivePage:
    """The addresses of the service as a page without scripts, from its OpenAPI schema; see ``operations``."""
    style = joined((*STYLES, HERE / "docs.css"))
    told = {"operations": operations(schema, closed, base), "models": models(schema), "closed": closed}
    html = PAGES.get_template("docs.html").render(style=Markup(style), **told)
    return LivePage(html, f"default-src 'none'; style-src {allowed(style)}; img-src data:; base-uri 'none'")


def report_page(result: ClaimResult, thoughts: Sequence[Thought[Content]]) -> str:
    """One claim as an HTML page that opens from disk. Of the setup nothing is told: it can name folders and servers."""
    return claim_page(result, {"thoughts": [thought.model_dump(mode="json") for thought in thoughts]})


ClaimId = Annotated[str, Param(description="of the claim, as POST /claims gave it")]
TextId = Annotated[str, Param(description="of the text, as POST /texts gave it")]
LastEvent = Annotated[int, Header(ge=0, description="of the last event that was seen; 0 gives all from the first")]

PRIVATE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
FAREWELL = 2.0  # seconds that streams have to say goodbye when the service stops


@dataclass(frozen=True)
class Capacity:
    """The limits of what the service takes.

    Attributes:
        queue: claims that may wait.
        kept: ended claims that are kept for their clients.
        body: bytes of a request.
    """

    queue: int = 16
    kept: int = 100
    body: int = 8 * 2**20


@dataclass(frozen=True)
class Service:
    """The parts that all addresses share."""

    jobs: ClaimJobs
    texts: TextJobs
    stores: Stores
    metrics: Metrics
    streams: Streams
    budget: float
    closed: bool


def create_app(
    worker: Worker, stores: Stores, limits: Capacity = Capacity(), token: str = "", archive: JobArchive | None = None
) -> FastAPI:
    """The application.

    Args:
        worker: checks the claims; closed when the application ends.
        stores: what claims can be checked against.
        limits: what is taken.
        token: that clients must send; empty where only this machine reaches the service.
        archive: keeps ended claims beyond the process; None keeps them in memory.
    """
    run = worker.engine.settings.run
    metrics = Metrics()
    jobs = ClaimJobs(worker.check, run.max_concurrent_claims, limits.queue, limits.kept, metrics, archive)
    texts = TextJobs(worker.check_text, 1, limits.queue, limits.kept, metrics)  # one has many statements

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await texts.close()
        await jobs.close()
        await worker.close()

    app = FastAPI(
        title="Fact-checking with a Graph of Thoughts",
        description="Submit a claim with documents or the name of a store, follow its thoughts, read its verdict.",
        version=__version__,
        lifespan=lifespan,
        redirect_slashes=False,  # it would lead to the name and scheme that the request came with
        docs_url=None,  # FastAPI's pages would load their scripts from elsewhere
        redoc_url=None,
    )
    service = Service(jobs, texts, stores, metrics, Streams(), run.budget, bool(token))
    # The schema tells of the token; the middleware asks for it, before a body is read.
    closed = [Security(HTTPBearer(auto_error=False))] if token else []
    app.include_router(_claims(service, limits.body), dependencies=closed)
    app.include_router(_texts(service, limits.body), dependencies=closed)
    app.include_router(_inventory(service), dependencies=closed)
    app.include_router(_entrance(service))
    answer_errors(app)
    app.add_middleware(Sizes, most=limits.body)
    if token:
        app.add_middleware(BearerToken, token=token)
    else:
        app.add_middleware(LocalNames)
    return app


def _claims(service: Service, body: int) -> APIRouter:
    """The addresses of claims."""
    jobs = service.jobs
    router = APIRouter(prefix="/claims", tags=["claims"], responses=problems(401, 422), max_body_size=body)

    @router.post("", status_code=202, operation_id="submit", responses={**problems(400, 404, 413, 429), **LINKED})
    async def submit(submission: Submission, response: Response) -> ClaimProgress:
        """Submit a claim; it waits for its turn, and is then checked within its budget."""
        job = jobs.submit(_order(submission, service))
        response.headers["Location"] = f"/claims/{job.id}"
        return jobs.progress(job)

    @router.get(
        "/{claim_id}", operation_id="progress", response_description="the claim as it is now", responses=problems(404)
    )
    async def progress(claim_id: ClaimId) -> ClaimProgress:
        """How far a claim has come, with its result once it is done."""
        return jobs.progress(jobs[claim_id])

    @router.delete(
        "/{claim_id}",
        status_code=204,
        operation_id="delete",
        response_description="the claim is forgotten",
        responses=problems(404),
    )
    async def delete(claim_id: ClaimId) -> None:
        """Stop the work on a claim, and forget it."""
        jobs.delete(claim_id)

    @router.get(
        "/{claim_id}/thoughts", operation_id="thoughts", responses={**STREAM, **problems(404, 429)},
        response_class=EventSourceResponse,
    )  # fmt: skip
    async def thoughts(claim_id: ClaimId, request: Request, last_event_id: LastEvent = 0) -> EventSourceResponse:
        """Follow a claim: an event for each thought as it is added to the graph, then one with the end.

        The last event is named by the state: ``done`` (its data has the result), ``failed``, ``cancelled``, or
        ``lost`` where the service stopped before the claim had ended; or ``stopped`` while it stops. A client that
        lost its connection sends the last id it saw.
        """
        stopping = anyio.Event()
        events = _events(jobs[claim_id], jobs.progress, _thought_event, last_event_id, stopping)
        ending = {"shutdown_event": stopping, "shutdown_grace_period": FAREWELL}
        return Stream(events, service.streams, request, claim_id, **ending)

    @router.get(
        "/{claim_id}/report",
        operation_id="report",
        response_description="the page",
        responses=problems(404, 409),
        response_class=HTMLResponse,
    )
    async def report(claim_id: ClaimId) -> HTMLResponse:
        """The report page of a claim that is done: one file that fetches nothing."""
        job = jobs[claim_id]
        if job.result is None:
            raise NoResult(f"the claim is {job.state}; its report is available once it is done")
        page = await asyncio.to_thread(report_page, job.result, tuple(job.parts))
        return HTMLResponse(page, headers=PRIVATE)

    return router


def _texts(service: Service, body: int) -> APIRouter:
    """The addresses of texts."""
    jobs = service.texts
    router = APIRouter(prefix="/texts", tags=["texts"], responses=problems(401, 422), max_body_size=body)

    @router.post(
        "", status_code=202, operation_id="submit_text", responses={**problems(400, 404, 413, 429), **LINKED_TEXT}
    )
    async def submit(submission: TextSubmission, response: Response) -> TextProgress:
        """Submit a text; it waits for its turn, and then its statements are checked together."""
        job = jobs.submit(_text_order(submission, service))
        response.headers["Location"] = f"/texts/{job.id}"
        return jobs.progress(job)

    @router.get(
        "/{text_id}",
        operation_id="text_progress",
        response_description="the text as it is now",
        responses=problems(404),
    )
    async def progress(text_id: TextId) -> TextProgress:
        """How far a text has come, with its result once it is done."""
        return jobs.progress(jobs[text_id])

    @router.delete(
        "/{text_id}",
        status_code=204,
        operation_id="text_delete",
        response_description="the text is forgotten",
        responses=problems(404),
    )
    async def delete(text_id: TextId) -> None:
        """Stop the work on a text, and forget it."""
        jobs.delete(text_id)

    @router.get(
        "/{text_id}/statements", operation_id="statements", responses={**STREAM_OF_TEXT, **problems(404, 429)},
        response_class=EventSourceResponse,
    )  # fmt: skip
    async def statements(text_id: TextId, request: Request, last_event_id: LastEvent = 0) -> EventSourceResponse:
        """Follow a text: an event with its sentences, one for each statement that is done, then one with the end.

        The last event is named as that of a claim; the data of ``done`` has the result, that of ``failed`` the problem.
        """
        stopping = anyio.Event()
        events = _events(jobs[text_id], jobs.progress, _text_event, last_event_id, stopping)
        ending = {"shutdown_event": stopping, "shutdown_grace_period": FAREWELL}
        return Stream(events, service.streams, request, text_id, **ending)

    @router.get(
        "/{text_id}/report",
        operation_id="text_report",
        response_description="the page",
        responses=problems(404, 409),
        response_class=HTMLResponse,
    )
    async def report(text_id: TextId) -> HTMLResponse:
        """The text as an HTML page, its statements marked as far as they are done: one file that fetches nothing."""
        job = jobs[text_id]
        checked = jobs.so_far(job)
        if checked is None:
            raise NoResult(f"the text is {job.state}; its page is available once its sentences are known")
        return HTMLResponse(await asyncio.to_thread(text_page, checked), headers=PRIVATE)

    return router


def _entrance(service: Service) -> APIRouter:
    """The public addresses, without user data."""
    jobs = service.jobs
    page = live_page("claim", STYLES, SCRIPTS)
    text = live_page("text", TEXT_STYLES, TEXT_SCRIPTS)
    router = APIRouter(tags=["service"])

    @router.get("/", response_class=HTMLResponse, operation_id="page", response_description="the page")
    async def live() -> HTMLResponse:
        """A page to type a claim and watch its graph grow."""
        return HTMLResponse(page.html, headers={**PRIVATE, "Content-Security-Policy": page.policy})

    @router.get("/text", response_class=HTMLResponse, operation_id="text_page", response_description="the page")
    async def live_text() -> HTMLResponse:
        """A page to paste a text and watch its statements being marked."""
        return HTMLResponse(text.html, headers={**PRIVATE, "Content-Security-Policy": text.policy})

    @router.get("/docs", response_class=HTMLResponse, operation_id="docs", response_description="the page")
    async def docs(request: Request) -> HTMLResponse:
        """This service's endpoints and their parameters, for people; /openapi.json is for programs."""
        page = docs_page(request.app.openapi(), service.closed, str(request.base_url).rstrip("/"))
        return HTMLResponse(page.html, headers={**PRIVATE, "Content-Security-Policy": page.policy})

    @router.get("/healthz", operation_id="health", response_description="the service answers")
    async def health() -> Health:
        """That the service answers."""
        return Health(status="ok", queued=len(jobs.in_state(State.QUEUED)), running=len(jobs.in_state(State.RUNNING)))

    return router


def _inventory(service: Service) -> APIRouter:
    """The stores, and the service's figures."""
    router = APIRouter(tags=["service"], responses=problems(401))

    @router.get("/stores", operation_id="stores", response_description="the names")
    async def stores() -> StoreNames:
        """The names of the stores that claims can be checked against."""
        return StoreNames(stores=service.stores.names())

    @router.get("/metrics", operation_id="metrics", responses=FIGURES, response_class=Response)
    async def metrics() -> Response:
        """Figures for Prometheus."""
        return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return router


def _order(submission: Submission, service: Service) -> Order:
    """The order that a submission makes.

    Raises:
        UnknownStore: it names a store that the service does not have.
    """
    claim = Claim(submission.claim, date=submission.date, speaker=submission.speaker)
    material = submission.documents or service.stores[submission.store]
    return Order(claim, material, min(submission.budget or service.budget, service.budget))


def _text_order(submission: TextSubmission, service: Service) -> TextOrder:
    """See ``_order``."""
    return TextOrder(
        submission.text,
        submission.date,
        submission.speaker,
        submission.documents or service.stores[submission.store],
        submission.file,
        submission.name,
    )


async def _events(
    job: Job[Ordered, Part, Found],
    progress: Callable[[Job[Ordered, Part, Found]], BaseModel],
    told: Callable[[Part], tuple[str, str]],
    start: int,
    stopping: anyio.Event,
) -> AsyncIterator[ServerSentEvent]:
    """The events of a job; ``told`` gives name and data of a part."""
    async for number, part in job.follow(start, stopping):
        name, data = told(part)
        yield ServerSentEvent(data, event=name, id=str(number + 1))
    end = "stopped" if job.state in OPEN else job.state
    yield ServerSentEvent(progress(job).model_dump_json(), event=end)


def _thought_event(thought: Thought[Content]) -> tuple[str, str]:
    return "thought", thought.model_dump_json()


def _text_event(part: TextPart) -> tuple[str, str]:
    if isinstance(part, Article):
        return "text", part.model_dump_json()
    return "statement", orjson.dumps(part.to_dict()).decode()
