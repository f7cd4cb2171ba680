"""The web application: what each address answers.

``create_app`` puts the parts together: ``jobs`` queues the work, ``checks`` does it, ``guards`` refuses strangers and
words errors, ``pages`` makes the live pages. Claims and texts have the same five addresses.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Response, Security
from fastapi.responses import HTMLResponse
from fastapi.security import HTTPBearer
from fastapi.sse import EventSourceResponse, ServerSentEvent

from system import __version__
from system.api import FactChecker
from system.app.service.access import ServeOptions
from system.app.service.checks import check_claim, check_text, read_submitted, stores_of, uploaded
from system.app.service.guards import Guard, answer_errors
from system.app.service.jobs import Job, Jobs, Kind
from system.app.service.local import local_socket
from system.app.service.pages import PRIVATE, live_page
from system.app.service.schema import ERRORS, ClaimProgress, State, Submission, TextProgress, TextSubmission
from system.article.records import Article, CheckedText
from system.collection import document_collection
from system.graph.records import Claim
from system.graph.thoughts import Thought
from system.report.article import text_page
from system.report.page import claim_page

LastEvent = Annotated[int, Header(ge=0, description="of the last event that was seen; 0 gives all from the first")]


def create_app(checker: FactChecker, options: ServeOptions, token: str = "") -> FastAPI:
    """Make the application.

    Args:
        checker: checks the claims; closed when the application ends.
        token: that clients must send; empty if only this machine reaches the service.
    """
    settings = checker.engine.settings

    async def loaded() -> FactChecker:
        return checker

    jobs = Jobs(loaded, settings.run.max_concurrent_claims, options.queue, options.kept, settings.run.budget)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with local_socket(jobs, settings):
            yield
            await jobs.close()
        await asyncio.to_thread(checker.close)

    app = FastAPI(
        title="Fact-checking with a Graph of Thoughts",
        description="Submit a claim with documents or the name of a store, follow its thoughts, read its verdict.",
        version=__version__,
        lifespan=lifespan,
        redirect_slashes=False,  # it would lead to the host and scheme that the request names
        redoc_url=None,
        responses=ERRORS,
    )
    # The dependency shows the token in the schema; the middleware asks for it, before a body is read.
    closed = [Security(HTTPBearer(auto_error=False))] if token else []
    app.include_router(_job_routes(Kind.CLAIM, "thoughts", ClaimProgress, jobs), dependencies=closed)
    app.include_router(_job_routes(Kind.TEXT, "statements", TextProgress, jobs), dependencies=closed)
    app.include_router(_submissions(jobs, checker, options.stores), dependencies=closed)
    app.include_router(_entrance(jobs))
    answer_errors(app)
    app.add_middleware(Guard, token=token, most=int(options.body * 2**20))
    return app


def _job_routes(kind: Kind, parts: str, schema: type[ClaimProgress | TextProgress], jobs: Jobs) -> APIRouter:
    """Make the addresses of jobs that were submitted; ``parts`` is the last part of the address of their stream."""
    router = APIRouter(prefix=f"/{kind}s", tags=[f"{kind}s"])

    def found(job_id: str) -> Job:
        return jobs.find(job_id, kind)

    Found = Annotated[Job, Depends(found)]  # noqa: N806 - a type

    @router.get("/{job_id}", operation_id=f"{kind}_progress", response_model=schema)
    async def progress(job: Found) -> ClaimProgress | TextProgress:
        """Return the state, with the result once it is done."""
        return _progress(jobs, job)

    @router.delete("/{job_id}", status_code=204, operation_id=f"{kind}_delete")
    async def delete(job: Found) -> None:
        """Stop the work, and forget the job."""
        jobs.discard(job)

    @router.get(f"/{{job_id}}/{parts}", operation_id=f"{kind}_{parts}", response_class=EventSourceResponse)
    async def events(job: Found, last_event_id: LastEvent = 0) -> AsyncIterator[ServerSentEvent]:
        """Follow a job by server-sent events: one for each part as it is made, the earlier ones first.

        The last event is named by the state: ``done`` (its data has the result), ``failed`` or ``cancelled``. A client
        that lost its connection sends the last id it saw.
        """
        async for number, part in job.follow(last_event_id):
            name, data = _event(part)
            yield ServerSentEvent(raw_data=data, event=name, id=str(number + 1))
        yield ServerSentEvent(raw_data=_progress(jobs, job).model_dump_json(), event=job.state)

    @router.get("/{job_id}/report", operation_id=f"{kind}_report", response_class=HTMLResponse)
    async def report(job: Found) -> HTMLResponse:
        """Return the report page, one file that fetches nothing: of a claim when it is done, of a text so far."""
        page = await asyncio.to_thread(_report, job)
        if page is None:
            raise HTTPException(409, f"the {kind} is {job.state}; it has no report yet")
        return HTMLResponse(page, headers=PRIVATE)

    return router


def _progress(jobs: Jobs, job: Job) -> ClaimProgress | TextProgress:
    known: dict[str, Any] = {
        "id": job.id,
        "state": job.state,
        "position": jobs.position(job),
        "problem": job.problem,
        "result": job.result.to_dict() if job.result else None,
    }
    if job.claim:
        return ClaimProgress(claim=job.claim.text, budget=job.budget, thoughts=len(job.parts), **known)
    statements = len(job.parts[0].claims) if job.parts else None
    return TextProgress(statements=statements, checked=max(0, len(job.parts) - 1), **known)


def _event(part: Any) -> tuple[str, str]:
    match part:
        case Thought():
            return "thought", part.model_dump_json()
        case Article():
            return "text", part.model_dump_json()
    return "statement", orjson.dumps(part.to_dict()).decode()


def _report(job: Job) -> str | None:
    if job.kind is Kind.TEXT:
        return text_page(CheckedText.of(job.parts[0], job.parts[1:])) if job.parts else None
    thoughts = [thought.model_dump(mode="json") for thought in job.parts]  # without the setup, which can name folders
    return claim_page(job.result.result, {"thoughts": thoughts}) if job.result else None


def _submissions(jobs: Jobs, checker: FactChecker, stores: Path | None) -> APIRouter:
    """Make the addresses that take claims and texts, and the list of the stores that they may name."""
    router = APIRouter()
    budget = checker.engine.settings.run.budget

    def named(store: str) -> Path:
        try:
            return stores_of(stores)[store]
        except KeyError:
            raise HTTPException(404, "no store has this name; GET /stores lists all names") from None

    @router.post("/claims", status_code=202, operation_id="submit_claim", tags=["claims"], response_model=ClaimProgress)
    async def submit_claim(given: Submission, response: Response) -> ClaimProgress | TextProgress:
        """Submit a claim. It waits for its turn, and is then checked within its budget."""
        claim = Claim(given.claim, date=given.date, speaker=given.speaker)
        seconds = min(given.budget or budget, budget)
        collect = partial(uploaded, given.documents) if given.documents else partial(checker.store, named(given.store))
        job = jobs.submit(Job(Kind.CLAIM, claim, seconds), partial(check_claim, claim, collect, budget=seconds))
        response.headers["Location"] = f"/claims/{job.id}"
        return _progress(jobs, job)

    @router.post("/texts", status_code=202, operation_id="submit_text", tags=["texts"], response_model=TextProgress)
    async def submit_text(given: TextSubmission, response: Response) -> ClaimProgress | TextProgress:
        """Submit a text. It waits for its turn, and then its statements are checked together."""
        read = partial(read_submitted, given.text, given.file, given.name)
        if given.documents:
            collect = partial(uploaded, given.documents)
        else:
            collect = partial(document_collection, named(given.store), own=False)
        job = jobs.submit(Job(Kind.TEXT), partial(check_text, read, collect, date=given.date, speaker=given.speaker))
        response.headers["Location"] = f"/texts/{job.id}"
        return _progress(jobs, job)

    @router.get("/stores", operation_id="stores", tags=["service"])
    async def names() -> dict[str, list[str]]:
        """Return the names of the stores that claims can be checked against."""
        return {"stores": [*stores_of(stores)]}

    return router


def _entrance(jobs: Jobs) -> APIRouter:
    """Make the public addresses, which are without user data."""
    router = APIRouter(tags=["service"])
    claim, text = live_page("claim"), live_page("text")

    @router.get("/", response_class=HTMLResponse, operation_id="page")
    async def claim_page() -> HTMLResponse:
        """Return the page to type a claim and watch its graph grow."""
        return claim

    @router.get("/text", response_class=HTMLResponse, operation_id="text_page")
    async def text_page() -> HTMLResponse:
        """Return the page to paste a text and watch its statements being marked."""
        return text

    @router.get("/healthz", operation_id="health")
    async def health() -> dict[str, str | int]:
        """Say that the service answers, and how busy it is."""
        counts = {str(state): len(jobs.in_state(state)) for state in (State.QUEUED, State.RUNNING)}
        return {"status": "ok", **counts}

    return router
