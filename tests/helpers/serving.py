"""The service around a scripted engine, and a client that talks to it."""

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import httpx2
import orjson
import uvicorn

from system.api import FactChecker
from system.app.service.access import ServeOptions
from system.app.service.app import create_app
from system.app.service.listening import CONNECTIONS, configured
from system.check import Engine
from system.models.base import Request
from tests.helpers.bridge import CLAIM, PAGES, Answers, engine_of
from tests.helpers.processes import PATIENCE

T = TypeVar("T")

DOCUMENTS = [{"name": name, "text": text} for name, text in PAGES]
TOKEN = "a-token-of-some-length"
ORDER = {"claim": CLAIM.text, "date": CLAIM.date, "speaker": CLAIM.speaker, "documents": DOCUMENTS}


class Gate:
    """A script that answers nothing before it is opened."""

    def __init__(self) -> None:
        self.answers = Answers()
        self.opened = threading.Event()

    async def __call__(self, request: Request) -> object:
        while not self.opened.is_set():
            await asyncio.sleep(0.01)
        return self.answers(request)


@contextmanager
def listening(
    engine: Engine, stores: Path | None = None, token: str = "", connections: int = CONNECTIONS, **limits: float
) -> Iterator[str]:
    """The address of a real service in a thread."""
    app = create_app(FactChecker(engine=engine), ServeOptions(stores=stores, **limits), token)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        server = uvicorn.Server(configured(app, connections))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


def serve(
    scenario: Callable[[httpx2.AsyncClient], Awaitable[T]],
    engine: Engine | None = None,
    stores: Path | None = None,
    token: str = "",
    **limits: float,
) -> T:
    """Play a scenario, an async function of a client of a service that starts and stops with it."""

    async def play() -> T:
        checker = FactChecker(engine=engine or engine_of(Answers()))
        app = create_app(checker, ServeOptions(stores=stores, **limits), token)
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", timeout=PATIENCE) as client,
        ):
            return await asyncio.wait_for(scenario(client), PATIENCE)

    return asyncio.run(play())


async def submit(client: httpx2.AsyncClient, **changes: object) -> dict:
    answer = await client.post("/claims", json={**ORDER, **changes})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def ended(client: httpx2.AsyncClient, claim_id: str) -> dict:
    """The progress of a claim when it has ended."""
    while (now := (await client.get(f"/claims/{claim_id}")).json())["state"] in ("queued", "running"):
        await asyncio.sleep(0.01)
    return now


async def in_state(client: httpx2.AsyncClient, claim_id: str, state: str) -> None:
    while (await client.get(f"/claims/{claim_id}")).json()["state"] != state:
        await asyncio.sleep(0.01)


def events_of(text: str) -> list[tuple[str, str, dict]]:
    """Name, id and data of the server-sent events of a stream; comments are passed over."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            found.append((fields["event"], fields.get("id", ""), orjson.loads(fields["data"])))
    return found
