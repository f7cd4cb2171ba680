"""A Unix socket on which the service answers ``factgraph verify`` of the same user, whose engine is loaded then.

One line of JSON comes in (see ``client``). One goes out, or none, and then the client checks the claim by itself. Only
the user's own processes can connect, because the socket is in a folder that nobody else may enter. Here, and nowhere
else, the service opens paths that a client names: with the same user's rights.
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
from system.app.service.checks import check_claim
from system.app.service.client import connect, is_private, socket_path
from system.app.service.jobs import Job, Jobs, Kind, QueueFull
from system.collection import document_collection
from system.graph.records import Claim
from system.settings import Settings

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
async def local_socket(jobs: Jobs, settings: Settings) -> AsyncIterator[None]:
    """Answer on the socket; without it if another service of the user has it, or it cannot be made."""
    path = socket_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not is_private(path.parent):
            raise OSError(f"others may enter {path.parent}")
        if other := connect(path):
            other.close()
            raise OSError(f"another service answers on {path}")
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(partial(_answer, jobs, settings), path, limit=LINE)
    except OSError as error:
        log.info("no local socket: %s", error)
        yield
        return
    try:
        async with server:
            yield
    finally:
        path.unlink(missing_ok=True)


async def _answer(jobs: Jobs, settings: Settings, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Check one claim; a client that disconnects cancels its check."""
    try:
        question = Question.model_validate_json(await reader.readline())
        known = settings.for_documents().model_dump(mode="json")
        if question.version != __version__ or question.settings != known:
            return
        collect = partial(document_collection, question.documents, fetch=question.fetch)
        job = jobs.submit(Job(Kind.CLAIM, question.claim), partial(check_claim, question.claim, collect))
        leaving = asyncio.create_task(reader.read())  # ends when the client disconnects
        leaving.add_done_callback(lambda _: jobs.discard(job))
        async for _ in job.follow(0):
            pass
        leaving.cancel()
        checked = job.result
        found = checked and {"result": checked.result.model_dump(mode="json"), "graph": checked.graph.to_json()}
        writer.write(orjson.dumps(found or {"problem": job.problem}) + b"\n")
        await writer.drain()
    except (ValueError, ConnectionError, QueueFull) as error:
        log.warning("a request on the local socket gets no answer (%s)", type(error).__name__)
    finally:
        writer.close()
