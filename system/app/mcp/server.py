"""The MCP server: four tools, their limits, and errors of one sentence each. The engine loads while it answers."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import asynccontextmanager
from inspect import getdoc
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import orjson
from anyio import to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, InputRequiredResult, Tool, ToolAnnotations
from pydantic import ValidationError

from knowledge_store.pages.documents import DocumentsError
from knowledge_store.searchers import SearchError
from system import __version__
from system.app.errors import can_be_mended
from system.app.mcp.records import (
    CheckedClaim,
    CitationsReport,
    Documents,
    DocumentText,
    Limit,
    Progress,
    Query,
    SearchResult,
    Text,
    TextReport,
)
from system.app.service.schema import ClaimText, Day, Speaker
from system.graph.records import Claim, explain, roots

if TYPE_CHECKING:  # it stands on the engine, which takes seconds to import
    from system.app.mcp.desk import Desk

log = logging.getLogger(__name__)

T = TypeVar("T")
INSTRUCTIONS = (
    "Check claims, whole texts and their citations against documents; every verdict quotes its source. Labels are "
    "Supported, Refuted, Not Enough Evidence and Conflicting Evidence/Cherrypicking. Quote the justification where you "
    "tell a verdict, and do not tell Not Enough Evidence as false."
)
READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True)


class Tools:
    """The tools. The calls of all clients share one desk.

    Args:
        load: makes the desk; takes as long as loading models does.
        slots: calls that are answered at the same time.
        queue: further calls that may wait.

    Attributes:
        failed: whether there was no desk, known at the end.
    """

    def __init__(self, load: "Callable[[], Desk]", slots: int, queue: int) -> None:
        self._load, self._slots, self._queue = load, asyncio.Semaphore(slots), queue
        self._waiting = 0
        self.failed = False

    @asynccontextmanager
    async def open(self, _: object = None) -> AsyncIterator[None]:
        """Load the desk while calls come in already; close it at the end."""
        self._desk = asyncio.create_task(asyncio.to_thread(self._loaded))
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                desk = await self._desk
                self.failed = isinstance(desk, ToolError)
                if not isinstance(desk, ToolError):
                    await asyncio.to_thread(desk.close)

    async def check_claim(
        self,
        context: Context[None, Any],
        claim: ClaimText,
        documents: Documents = (),
        date: Day = "",
        speaker: Speaker = "",
    ) -> CheckedClaim:
        """Check one factual claim against documents; the verdict comes with the words of the source that decide."""
        checked, texts = Claim(claim, date=date, speaker=speaker), _by_name(documents)
        return await self._answer(context, lambda desk: desk.check_claim(checked, texts))

    async def check_text(
        self, context: Context[None, Any], text: Text, documents: Documents = (), date: Day = "", speaker: Speaker = ""
    ) -> TextReport:
        """Check every factual statement of a text (an article, a speech, a draft, an answer of an assistant)."""
        texts = _by_name(documents)
        return await self._answer(context, lambda desk: desk.check_text(text, texts, date, speaker))

    async def check_citations(
        self, context: Context[None, Any], text: Text, documents: Documents = (), date: Day = ""
    ) -> CitationsReport:
        """Check whether the sources that a text in Markdown cites say what its sentences say.

        Citations are links, footnotes and references; a document is the source of those that name it.
        """
        texts = _by_name(documents)
        return await self._answer(context, lambda desk: desk.check_citations(text, texts, date))

    async def search_archive(self, context: Context[None, Any], query: Query, limit: Limit = 5) -> SearchResult:
        """Find passages for a question in the archive, or the documents, that this server was started with."""
        return await self._answer(context, lambda desk: desk.search_archive(query, limit))

    async def _answer(
        self, context: Context[None, Any], begin: "Callable[[Desk], Generator[Progress | T, None, None]]"
    ) -> T:
        """Do the work of a call, and tell the client each step; a call that is cancelled ends it.

        Raises:
            ToolError: in place of all errors that the client, or who runs the server, can mend.
        """
        async with self._place():
            if not self._desk.done():
                await context.report_progress(0, None, "loading the engine")
            desk = await asyncio.shield(self._desk)
            if isinstance(desk, ToolError):
                raise desk
            steps, turn = begin(desk), Lock()

            def advance() -> Progress | T:
                with turn:
                    return next(steps)

            def end() -> None:
                with turn:  # a thread outlives the call that was cancelled while it waited for it
                    steps.close()

            try:
                while isinstance(step := await to_thread.run_sync(advance), Progress):
                    await context.report_progress(step.done, step.total, step.doing)
            except (DocumentsError, SearchError) as error:
                raise ToolError(str(error)) from error
            finally:
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(end)
            return step

    def _loaded(self) -> "Desk | ToolError":
        """The desk, or why there is none, which every call is told."""
        try:
            return self._load()
        except Exception as error:
            if not can_be_mended(error):
                raise
            log.error("error: %s", error)
            return ToolError(f"the engine cannot be loaded: {error}")

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """Hold one of the slots.

        Raises:
            ToolError: too many wait for one.
        """
        if self._slots.locked() and self._waiting >= self._queue:
            raise ToolError(f"{self._waiting} calls are waiting, as many as may; try again later")
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()


class Server(MCPServer[None]):
    """An MCP server that takes no argument it does not know, and whose errors are one sentence.

    Args:
        body: maximum bytes of a call's arguments.
    """

    def __init__(self, tools: Tools, body: int) -> None:
        super().__init__(
            "factgraph", title="Fact-checking", instructions=INSTRUCTIONS, version=__version__, lifespan=tools.open
        )
        self._body, self.tools = body, tools
        for tool in (tools.check_claim, tools.check_text, tools.check_citations, tools.search_archive):
            self.add_tool(tool, description=getdoc(tool), annotations=READS)

    async def list_tools(self) -> list[Tool]:
        """The tools; their schemas say that they take no other arguments."""
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
            raise ToolError(_told(error.__cause__ or error)) from error


def _told(error: BaseException) -> str:
    """The message of an error; of arguments that are not as the schema has them, what was expected."""
    if isinstance(error, ValidationError):
        return "; ".join(map(_expected, roots(error.errors(include_url=False))))
    return str(error)


def _expected(fault: Any) -> str:
    place = ".".join(map(str, fault["loc"]))
    if fault["type"] == "string_pattern_mismatch":
        return f"{place}: expected {PATTERNS.get(place, 'some text')}"
    if fault["type"] == "tuple_type":
        return f"{place}: expected a list of {{name, text}}"
    return explain(fault, "the arguments", quoting=False)


PATTERNS = {"date": "the day it was made, as 25-8-2020 or 2020-08-25"}
"""The expected form of arguments with a pattern; of the others, a text that is not blank."""


def _by_name(documents: Sequence[DocumentText]) -> dict[str, str]:
    """The texts by their names.

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
