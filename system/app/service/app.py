"""The web application: what each address answers.

``create_app`` puts the parts together: ``jobs`` queues the work, ``worker`` does it, ``guards`` refuses strangers,
``errors`` words what goes wrong, ``pages`` makes the live pages. Claims and texts have the same five addresses, which
``_job_routes`` makes for each of the two.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from threading import Semaphore
from typing import Annotated, Any

import anyio
import orjson
from fastapi import APIRouter, FastAPI, Header, Response, Security
from fastapi.responses import HTMLResponse
from fastapi.security import HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent

from system import __version__
from system.app.service.errors import NoResult, TooManyStreams, answer_errors
from system.app.service.guards import BodyLimit, Guard
from system.app.service.jobs import Job, Jobs, Kind
from system.app.service.local import local_socket
from system.app.service.metrics import Metrics
from system.app.service.pages import PRIVATE, live_page, report_page
from system.app.service.schema import (
    ClaimProgress,
    Health,
    State,
    StoreNames,
    Submission,
    TextProgress,
    TextSubmission,
    problems,
)
from system.app.service.worker import (
    Stores,
    Worker,
    public_result,
    public_thought,
    read_submitted,
    stored_pages,
    uploaded,
)
from system.article.records import Article, CheckedText
from system.checker import Checked
from system.graph.records import Claim
from system.report.article import text_page

STREAMS = 128  # of events at the same time, half of all connections
FAREWELL = 2.0  # seconds that streams have to say goodbye when the service stops

LastEvent = Annotated[int, Header(ge=0, description="of the last event that was seen; 0 gives all from the first")]


@dataclass(frozen=True)
class Capacity:
    """The limits of what the service takes.

    Attributes:
        queue: claims and texts that may wait.
        kept: ended ones that are kept for their clients.
        body: bytes of a request.
    """

    queue: int = 16
    kept: int = 100
    body: int = 8 * 2**20


def create_app(worker: Worker, stores: Stores, limits: Capacity = Capacity(), token: str = "") -> FastAPI:
    """Make the application.

    Args:
        worker: checks the claims; closed when the application ends.
        stores: what claims can be checked against.
        token: that clients must send; empty if only this machine reaches the service.
    """
    run = worker.engine.settings.run
    metrics = Metrics()
    jobs = Jobs(run.max_concurrent_claims, limits.queue, limits.kept, run.budget, metrics)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with local_socket(jobs, worker):
            yield
        await jobs.close()
        await worker.close()

    app = FastAPI(
        title="Fact-checking with a Graph of Thoughts",
        description="Submit a claim with documents or the name of a store, follow its thoughts, read its verdict.",
        version=__version__,
        lifespan=lifespan,
        redirect_slashes=False,  # it would lead to the host and scheme that the request names
        redoc_url=None,
    )
    # The dependency shows the token in the schema; the middleware asks for it, before a body is read.
    closed = [Security(HTTPBearer(auto_error=False))] if token else []
    streams = Semaphore(STREAMS)
    for view in (CLAIMS, TEXTS):
        app.include_router(_job_routes(view, jobs, streams), dependencies=closed)
    app.include_router(_submissions(jobs, worker, stores), dependencies=closed)
    app.include_router(_inventory(stores, metrics), dependencies=closed)
    app.include_router(_entrance(jobs))
    answer_errors(app)
    app.add_middleware(BodyLimit, most=limits.body)
    app.add_middleware(Guard, token=token)
    return app


@dataclass(frozen=True)
class View:
    """How the jobs of one kind look to clients.

    Attributes:
        progress: the state of a job.
        events: last part of the address of its stream.
        event: name and data of the event for a part.
        page: the report page; None as long as there is none.
    """

    kind: Kind
    progress: Callable[[Jobs, Job], BaseModel]
    schema: type[BaseModel]
    events: str
    event: Callable[[Any], tuple[str, str]]
    page: Callable[[Job], Callable[[], str] | None]


def _job_routes(view: View, jobs: Jobs, streams: Semaphore) -> APIRouter:
    """Make the addresses of jobs that were submitted."""
    kind = view.kind
    router = APIRouter(prefix=f"/{kind}s", tags=[f"{kind}s"], responses=problems(401, 404, 422))

    @router.get("/{job_id}", operation_id=f"{kind}_progress", response_model=view.schema)
    async def progress(job_id: str) -> BaseModel:
        """Return the state, with the result once it is done."""
        return view.progress(jobs, jobs.find(job_id, kind))

    @router.delete("/{job_id}", status_code=204, operation_id=f"{kind}_delete")
    async def delete(job_id: str) -> None:
        """Stop the work, and forget the job."""
        jobs.discard(jobs.find(job_id, kind))

    @router.get(
        f"/{{job_id}}/{view.events}",
        operation_id=f"{kind}_{view.events}",
        response_class=EventSourceResponse,
        responses=problems(429),
    )
    async def events(job_id: str, last_event_id: LastEvent = 0) -> Response:
        """Follow a job by server-sent events: one for each part as it is made, the earlier ones first.

        The last event is named by the state: ``done`` (its data has the result), ``failed``, ``cancelled``, or
        ``stopped`` while the service stops. A client that lost its connection sends the last id it saw.
        """
        job = jobs.find(job_id, kind)
        if not streams.acquire(blocking=False):
            raise TooManyStreams(f"{STREAMS} streams are open, as many as there may be; try again later")
        stopping = anyio.Event()

        async def told() -> AsyncIterator[ServerSentEvent]:
            async for number, part in job.follow(last_event_id, stopping):
                name, data = view.event(part)
                yield ServerSentEvent(data, event=name, id=str(number + 1))
            data = view.progress(jobs, job).model_dump_json()
            yield ServerSentEvent(data, event="stopped" if job.open else job.state)

        return _Stream(told(), streams, shutdown_event=stopping, shutdown_grace_period=FAREWELL)

    @router.get("/{job_id}/report", operation_id=f"{kind}_report", response_class=HTMLResponse, responses=problems(409))
    async def report(job_id: str) -> HTMLResponse:
        """Return the report page, one file that fetches nothing: of a claim when it is done, of a text so far."""
        job = jobs.find(job_id, kind)
        page = view.page(job)
        if page is None:
            raise NoResult(f"the {kind} is {job.state}; it has no report yet")
        return HTMLResponse(await asyncio.to_thread(page), headers=PRIVATE)

    return router


class _Stream(EventSourceResponse):
    """Events that hold one of the places for streams until they are sent."""

    def __init__(self, events: AsyncIterator[ServerSentEvent], places: Semaphore, **options: Any) -> None:
        super().__init__(events, **options)
        self._places = places

    async def __call__(self, *asgi: Any) -> None:
        """Send the events."""
        try:
            await super().__call__(*asgi)
        finally:
            self._places.release()


def _claim_progress(jobs: Jobs, job: Job) -> ClaimProgress:
    assert job.claim
    return ClaimProgress(
        id=job.id,
        claim=job.claim.text,
        state=job.state,
        position=jobs.position(job),
        budget=job.budget,
        thoughts=len(job.parts),
        problem=job.problem,
        result=job.result.to_dict() if job.result else None,
    )


def _text_progress(jobs: Jobs, job: Job) -> TextProgress:
    return TextProgress(
        id=job.id,
        state=job.state,
        position=jobs.position(job),
        statements=len(job.parts[0].claims) if job.parts else None,
        checked=max(0, len(job.parts) - 1),
        problem=job.problem,
        result=job.result.to_dict() if job.result else None,
    )


def _claim_page(job: Job) -> Callable[[], str] | None:
    return partial(report_page, job.result, tuple(job.parts)) if job.result else None


def _text_page(job: Job) -> Callable[[], str] | None:
    return partial(text_page, CheckedText.of(job.parts[0], job.parts[1:])) if job.parts else None


def _text_event(part: Any) -> tuple[str, str]:
    if isinstance(part, Article):
        return "text", part.model_dump_json()
    return "statement", orjson.dumps(part.to_dict()).decode()


CLAIMS = View(
    kind=Kind.CLAIM,
    progress=_claim_progress,
    schema=ClaimProgress,
    events="thoughts",
    event=lambda thought: ("thought", thought.model_dump_json()),
    page=_claim_page,
)
TEXTS = View(
    kind=Kind.TEXT,
    progress=_text_progress,
    schema=TextProgress,
    events="statements",
    event=_text_event,
    page=_text_page,
)


def _submissions(jobs: Jobs, worker: Worker, stores: Stores) -> APIRouter:
    """Make the two addresses that take claims and texts."""
    router = APIRouter(responses=problems(400, 401, 404, 413, 422, 429))
    budget = worker.engine.settings.run.budget

    @router.post("/claims", status_code=202, operation_id="submit_claim", tags=["claims"])
    async def submit_claim(submission: Submission, response: Response) -> ClaimProgress:
        """Submit a claim. It waits for its turn, and is then checked within its budget."""
        claim = Claim(submission.claim, date=submission.date, speaker=submission.speaker)
        seconds = min(submission.budget or budget, budget)
        documents = submission.documents
        collect = partial(uploaded, documents) if documents else worker.store(stores[submission.store])

        async def work(hear: Callable[[Any], None]) -> Checked:
            told = await worker.check(claim, collect, lambda thought: hear(public_thought(thought)), budget=seconds)
            return replace(told, result=public_result(told.result))

        job = jobs.submit(Job(Kind.CLAIM, work, claim, seconds))
        response.headers["Location"] = f"/claims/{job.id}"
        return _claim_progress(jobs, job)

    @router.post("/texts", status_code=202, operation_id="submit_text", tags=["texts"])
    async def submit_text(submission: TextSubmission, response: Response) -> TextProgress:
        """Submit a text. It waits for its turn, and then its statements are checked together."""
        given = submission
        read = partial(read_submitted, given.text, given.file, given.name)
        collect = partial(uploaded, given.documents) if given.documents else partial(stored_pages, stores[given.store])
        work = partial(worker.check_text, read, collect, date=given.date, speaker=given.speaker)
        job = jobs.submit(Job(Kind.TEXT, work))
        response.headers["Location"] = f"/texts/{job.id}"
        return _text_progress(jobs, job)

    return router


def _inventory(stores: Stores, metrics: Metrics) -> APIRouter:
    """Make the addresses of the stores and of the service's figures."""
    router = APIRouter(tags=["service"], responses=problems(401))

    @router.get("/stores", operation_id="stores")
    async def names() -> StoreNames:
        """Return the names of the stores that claims can be checked against."""
        return StoreNames(stores=stores.names())

    @router.get("/metrics", operation_id="metrics", response_class=Response)
    async def figures() -> Response:
        """Return figures for Prometheus."""
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return router


def _entrance(jobs: Jobs) -> APIRouter:
    """Make the public addresses, which are without user data."""
    router = APIRouter(tags=["service"])
    claim, text = live_page("claim"), live_page("text")

    @router.get("/", response_class=HTMLResponse, operation_id="page")
    async def claim_page() -> HTMLResponse:
        """Return the page to type a claim and watch its graph grow."""
        return claim.response()

    @router.get("/text", response_class=HTMLResponse, operation_id="text_page")
    async def text_page() -> HTMLResponse:
        """Return the page to paste a text and watch its statements being marked."""
        return text.response()

    @router.get("/healthz", operation_id="health")
    async def health() -> Health:
        """Say that the service answers."""
        return Health(status="ok", queued=len(jobs.in_state(State.QUEUED)), running=len(jobs.in_state(State.RUNNING)))

    return router
