"""A Unix socket on which the service answers ``factgraph verify`` of the same user, whose engine is loaded then.

One line of JSON comes in (see ``client``), one goes out. Only the user's own processes can connect, because the socket
is in a folder that nobody else may enter. Here, and nowhere else, the service opens paths that a client names: with the
same user's rights.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import orjson
from pydantic import BaseModel

from system import __version__
from system.app.service.client import is_private, is_served, socket_path
from system.app.service.jobs import Job, Jobs, Kind, QueueFull
from system.app.service.worker import Worker
from system.collection import document_collection
from system.graph.records import Claim

log = logging.getLogger(__name__)

LINE = 2**20  # bytes of a request


class Question(BaseModel):
    """A claim of the command line, with the documents and settings it is to be checked with."""

    version: str
    settings: dict[str, Any]
    claim: Claim
    documents: list[str]
    fetch: bool


@asynccontextmanager
async def local_socket(jobs: Jobs, worker: Worker) -> AsyncIterator[None]:
    """Answer on the socket; without it if another service of the user has it, or it cannot be made."""
    path = socket_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not is_private(path.parent) or is_served(path):
            log.info("%s is not private, or another service answers on it; factgraph verify loads its own engine", path)
            yield
            return
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(partial(_answer, jobs, worker), path, limit=LINE)
    except OSError as error:
        log.info("no local socket (%s); factgraph verify loads its own engine", error)
        yield
        return
    try:
        async with server:
            yield
    finally:
        path.unlink(missing_ok=True)


async def _answer(jobs: Jobs, worker: Worker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request; a client that disconnects cancels its check."""
    try:
        work = asyncio.create_task(_checked(jobs, worker, await reader.readline()))
        gone = asyncio.create_task(reader.read())
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            writer.write(orjson.dumps(work.result()) + b"\n")
            await writer.drain()
        for task in (work, gone):
            task.cancel()
        await asyncio.gather(work, gone, return_exceptions=True)
    except (ValueError, ConnectionError) as error:
        log.warning("a request on the local socket cannot be read (%s)", type(error).__name__)
    finally:
        writer.close()


async def _checked(jobs: Jobs, worker: Worker, line: bytes) -> dict[str, Any]:
    """Check a claim, and return its result and graph; or "refused", after which the client checks by itself."""
    question = Question.model_validate_json(line)
    settings = worker.engine.settings.for_documents()
    if question.version != __version__ or question.settings != settings.model_dump(mode="json"):
        return {"refused": "the service has another version or other settings"}
    collect = partial(document_collection, question.documents, fetch=question.fetch)
    job = Job(Kind.CLAIM, partial(worker.check, question.claim, collect), budget=settings.run.budget)
    try:
        jobs.submit(job)
    except QueueFull as error:
        return {"refused": str(error)}
    try:
        await job.ended()
    finally:
        jobs.discard(job)
    if job.result is None:
        return {"refused": job.problem or "the check failed"}
    return {"result": job.result.result.model_dump(mode="json"), "graph": job.result.graph.to_json()}
