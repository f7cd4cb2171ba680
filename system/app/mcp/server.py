"""The MCP server: its tools, their limits, and errors of one sentence each.

The engine starts to load when the server starts; earlier calls wait for it. Each call is a job, as in the service.
Clients give up on a call after a minute or less, so a call answers within ``PATIENCE`` seconds. If it has not finished,
the answer is what is known so far and a token, with which ``continue_check`` gets the rest.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import orjson
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, InputRequiredResult, Tool, ToolAnnotations
from pydantic import ValidationError

from knowledge_store.pages.documents import DocumentsError
from knowledge_store.searchers import SearchError
from system import __version__
from system.app.errors import can_be_mended
from system.app.mcp.records import Documents, DocumentText, Limit, Query, Text, Token
from system.app.service.jobs import Job, Jobs, Kind, QueueFull, UnknownJob
from system.app.service.schema import DAY, ClaimText, Day, Speaker, State
from system.graph.records import Claim, explain, roots

if TYPE_CHECKING:  # it stands on the engine, which takes seconds to import
    from system.app.service.worker import Worker

log = logging.getLogger(__name__)

Hear = Callable[[Any], None]
Work = Callable[["Worker", Hear], Awaitable[Any]]
PATIENCE = 30.0  # seconds after which a call answers with what is known; usual clients give up after 60
ABANDONED = 300.0  # seconds after which a job ends that no call asks for
INSTRUCTIONS = (
    "Check claims, whole texts and their citations against documents; every verdict quotes its source. Labels are "
    "Supported, Refuted, Not Enough Evidence and Conflicting Evidence/Cherrypicking. Quote the justification when you "
    "report a verdict, and do not report Not Enough Evidence as false. An answer with a token is not complete: call "
    "continue_check with it until the token is empty."
)
READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True)
NOTHING = "no evidence: give documents, or start this server with --documents or --search"


class Tools:
    """The tools. The calls of all clients share one worker and one queue.

    Args:
        load: makes the worker; takes as long as loading models does.
        slots: calls that are worked on at the same time.
        queue: further calls that may wait.
        documents: files and folders to check against if a call brings no documents.
        fetch: whether cited addresses that no document has are fetched.
        patience: seconds after which a call answers with what is known.

    Attributes:
        failed: whether the worker could not be made, known at the end.
    """

    def __init__(
        self,
        load: "Callable[[], Worker]",
        slots: int,
        queue: int,
        documents: Sequence[str] = (),
        *,
        fetch: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self._load, self._patience = load, patience
        self._documents, self._fetch = list(documents), fetch
        self._jobs = Jobs(slots, queue, queue, patience, told=(DocumentsError, SearchError, ToolError))
        self._abandoned: dict[str, asyncio.TimerHandle] = {}
        self.failed = False

    @asynccontextmanager
    async def open(self, _: object = None) -> AsyncIterator[None]:
        """Load the worker while calls come in already; close it at the end."""
        self._worker = asyncio.create_task(asyncio.to_thread(self._loaded))
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await self._jobs.close()
                worker = await self._worker
                self.failed = isinstance(worker, ToolError)
                if not isinstance(worker, ToolError):
                    await worker.close()

    async def check_claim(
        self,
        context: Context[None, Any],
        claim: ClaimText,
        documents: Documents = (),
        date: Day = "",
        speaker: Speaker = "",
    ) -> dict[str, Any]:
        """Check one factual claim against documents; the verdict comes with the words of the source that decide."""
        checked, texts = Claim(claim, date=date, speaker=speaker), _by_name(documents)

        async def work(worker: "Worker", hear: Hear) -> Any:
            return await worker.check(checked, self._collection(worker, texts), hear)

        return await self._answer(context, Kind.CLAIM, work)

    async def check_text(
        self, context: Context[None, Any], text: Text, documents: Documents = (), date: Day = "", speaker: Speaker = ""
    ) -> dict[str, Any]:
        """Check every factual statement of a text (an article, a speech, a draft, an answer of an assistant)."""
        texts = _by_name(documents)

        async def work(worker: "Worker", hear: Hear) -> Any:
            from system.app.service.worker import read_submitted

            read = partial(read_submitted, text, "", "")
            return await worker.check_text(read, self._collection(worker, texts), hear, date=date, speaker=speaker)

        return await self._answer(context, Kind.TEXT, work)

    async def check_citations(
        self, context: Context[None, Any], text: Text, documents: Documents = (), date: Day = ""
    ) -> dict[str, Any]:
        """Check whether the sources that a text in Markdown cites say what its sentences say.

        Citations are links, footnotes and references; a document is the source of those that name it.
        """
        texts = _by_name(documents)

        async def work(worker: "Worker", hear: Hear) -> Any:
            return await worker.check_citations(text, texts or self._documents, hear, fetch=self._fetch, date=date)

        return await self._answer(context, Kind.CITATIONS, work)

    async def search_archive(self, context: Context[None, Any], query: Query, limit: Limit = 5) -> dict[str, Any]:
        """Find passages for a question in the archive, or the documents, that this server was started with."""

        async def work(worker: "Worker", _: Hear) -> Any:
            from knowledge_store.searchers.searched import on_the_web

            search = worker.engine.settings.retrieval.search
            own = worker.store(Path(search)) if search and not on_the_web(search) else self._collection(worker, {})
            return await worker.search(query, own, limit)

        return await self._answer(context, Kind.SEARCH, work)

    async def continue_check(self, context: Context[None, Any], token: Token) -> dict[str, Any]:
        """Get the rest of an answer that came with a token: all that is known by now, in the same form."""
        try:
            job = self._jobs.find(token, *Kind)
        except UnknownJob:
            raise ToolError("token: no check has this token any more; begin it anew") from None
        return await self._waited(context, job)

    def _collection(self, worker: "Worker", texts: dict[str, str]) -> Any:
        """Return what makes a collection of the documents of a call, or else of the server's own.

        Raises:
            DocumentsError: there are none.
        """
        from system.collection import document_collection

        if not (texts or self._documents or worker.engine.settings.retrieval.search):
            raise DocumentsError(NOTHING)
        return partial(document_collection, texts or self._documents)

    async def _answer(self, context: Context[None, Any], kind: Kind, work: Work) -> dict[str, Any]:
        """Queue the work of a call, and answer as soon as it is done, or the patience of clients ends.

        Raises:
            ToolError: in place of all errors that the client, or who runs the server, can mend.
        """

        async def in_turn(hear: Hear) -> Any:
            worker = await asyncio.shield(self._worker)
            if isinstance(worker, ToolError):
                raise worker
            return await work(worker, hear)

        try:
            job = self._jobs.submit(Job(kind, in_turn))
        except QueueFull as error:
            raise ToolError(str(error)) from None
        await context.report_progress(0, None, "waiting" if self._worker.done() else "loading the engine")
        return await self._waited(context, job)

    async def _waited(self, context: Context[None, Any], job: Job) -> dict[str, Any]:
        """Report the steps of a job until it ends; return its answer, or what is known and the token of the rest."""
        if timer := self._abandoned.pop(job.id, None):
            timer.cancel()
        try:
            with anyio.move_on_after(self._patience):
                async for number, _ in job.follow(max(0, len(job.parts) - 1)):
                    await context.report_progress(*_forms()[job.kind].step(job.parts[: number + 1]))
        except anyio.get_cancelled_exc_class():
            self._jobs.discard(job)
            raise
        if job.open:
            self._abandoned[job.id] = asyncio.get_running_loop().call_later(ABANDONED, self._abandon, job)
            return {**(_forms()[job.kind].partial(job.parts) if job.parts else {}), "token": job.id}
        if job.state is not State.DONE:
            raise ToolError(job.problem or "the check failed; the server's log has the details")
        return {**_forms()[job.kind].whole(job.result), "token": ""}

    def _abandon(self, job: Job) -> None:
        del self._abandoned[job.id]
        self._jobs.discard(job)

    def _loaded(self) -> "Worker | ToolError":
        """Return the worker, or the error that every call gets."""
        try:
            return self._load()
        except Exception as error:
            if not can_be_mended(error):
                raise
            log.error("error: %s", error)
            return ToolError(f"the engine cannot be loaded: {error}")


def _forms() -> Any:
    from system.app.mcp.answers import FORMS  # it stands on the engine

    return FORMS


class Server(MCPServer[None]):
    """An MCP server that refuses unknown arguments, and whose errors are one sentence.

    Args:
        body: maximum bytes of a call's arguments.
    """

    def __init__(self, tools: Tools, body: int) -> None:
        super().__init__(
            "factgraph", title="Fact-checking", instructions=INSTRUCTIONS, version=__version__, lifespan=tools.open
        )
        self._body, self.tools = body, tools
        checks = (tools.check_claim, tools.check_text, tools.check_citations, tools.search_archive)
        for tool in (*checks, tools.continue_check):
            self.add_tool(tool, description=getdoc(tool), annotations=READS)

    async def list_tools(self) -> list[Tool]:
        """Return the tools; their schemas say that they take no other arguments."""
        tools = await super().list_tools()
        closed = {"additionalProperties": False}
        return [tool.model_copy(update={"input_schema": {**tool.input_schema, **closed}}) for tool in tools]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        Raises:
            ToolError: its message is for the client.
        """
        known = {tool.name: list(tool.input_schema["properties"]) for tool in await self.list_tools()}
        if name not in known:
            raise ToolError(f"no tool {name!r:.60}; expected one of {', '.join(known)}")
        if unknown := [key for key in arguments if key not in known[name]]:
            raise ToolError(f"{unknown[0]:.60}: unknown argument; {name} takes {', '.join(known[name])}")
        if len(orjson.dumps(arguments)) > self._body:
            raise ToolError(f"the arguments are too large, expected at most {self._body:,} bytes; send less text")
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            raise UnexpectedToolError(f"{name} failed; the server's log has the details") from error
        except ToolError as error:
            raise ToolError(_worded(error.__cause__ or error)) from error


def _worded(error: BaseException) -> str:
    """Return the message of an error; of invalid arguments, what was expected."""
    if isinstance(error, ValidationError):
        return "; ".join(map(_expected, roots(error.errors(include_url=False))))
    return str(error)


def _expected(fault: Any) -> str:
    place = ".".join(map(str, fault["loc"]))
    if fault["type"] == "string_pattern_mismatch":
        return f"{place}: expected {DAY if place == 'date' else 'some text'}"
    if fault["type"] == "tuple_type":
        return f"{place}: expected a list of {{name, text}}"
    return explain(fault, "the arguments", quoting=False)


def _by_name(documents: Sequence[DocumentText]) -> dict[str, str]:
    """Return the texts by their names.

    Raises:
        ToolError: two have the same name.
    """
    texts: dict[str, str] = {}
    for place, document in enumerate(documents, start=1):
        name = document.name or f"document {place}"
        if name in texts:
            raise ToolError(f"documents: two are named {name!r:.60}; give each a name of its own")
        texts[name] = document.text
    return texts
