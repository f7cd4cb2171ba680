"""The MCP server: its tools and their limits.

The engine starts to load when the server starts; earlier calls wait for it. Each call is a job, as in the service.
Clients give up on a call after a minute or less, so it answers within ``PATIENCE`` seconds, if need be with what is
known so far and a token, with which ``continue_check`` gets the rest.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from inspect import getdoc
from typing import TYPE_CHECKING, Annotated, Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from system import __version__
from system.app.errors import can_be_mended
from system.app.service.jobs import Job, JobError, Jobs, Kind, QueueFull, UnknownJob, Work
from system.app.service.schema import DOCUMENTS, TEXT, ClaimText, Day, DocumentName, Speaker, State, Stated
from system.documents import Document
from system.graph.records import Claim, ClaimsError, explain

if TYPE_CHECKING:  # they stand on the engine, which takes seconds to import
    from system.api import FactChecker
    from system.collection import PageCollection
    from system.settings import Settings

log = logging.getLogger(__name__)

PATIENCE = 30.0  # seconds after which a call answers with what is known; usual clients give up after 60
ABANDONED = 120.0  # seconds after which a job ends that no call asks for
INSTRUCTIONS = (
    "Check claims, whole texts and their citations against documents; every verdict quotes its source. Labels are "
    "Supported, Refuted, Not Enough Evidence and Conflicting Evidence/Cherrypicking. Quote the justification when you "
    "report a verdict, and do not report Not Enough Evidence as false. An answer with a token is not complete: call "
    "continue_check with it until the token is empty."
)
READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True)
NOTHING = "no evidence: give documents, or start this server with --documents or --search"


class DocumentText(BaseModel):
    """A text to check against."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: DocumentName = ""
    text: Annotated[str, Stated, Field(description="plain text or Markdown")]


Documents = Annotated[
    tuple[DocumentText, ...],
    Field(
        max_length=DOCUMENTS,
        description="texts to check against, in place of what this server was started with; paths and addresses in "
        "them are never opened",
    ),
]
Text = Annotated[str, Stated, Field(max_length=TEXT, description="plain text or Markdown")]
Token = Annotated[str, Field(max_length=100, description="of an answer that was not complete")]


class Tools:
    """The tools. The calls of all clients share one checker and one queue.

    Args:
        load: makes the checker; takes as long as loading models does.
        slots, queue: calls that are worked on at the same time, and further calls that may wait.
        documents: files and folders to check against if a call brings no documents.
        fetch: whether cited addresses that no document has are fetched.
        patience: seconds after which a call answers with what is known.

    Attributes:
        failed: whether the checker could not be made, known at the end.
    """

    def __init__(
        self,
        load: "Callable[[], FactChecker]",
        slots: int,
        queue: int,
        documents: Sequence[str] = (),
        *,
        fetch: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self._load, self._patience = load, patience
        self._documents, self._fetch = list(documents), fetch
        self._jobs = Jobs(self._checker, slots, queue, queue, patience)
        self._abandoned: dict[str, asyncio.TimerHandle] = {}
        self.failed = False

    @asynccontextmanager
    async def open(self, _: object = None) -> AsyncIterator[None]:
        """Load the checker while calls come in already; close it at the end."""
        self._loading = asyncio.create_task(asyncio.to_thread(self._loaded))
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True), suppress(JobError):
                await self._jobs.close()
                checker = await self._loading
                await asyncio.to_thread(checker.close)

    def _loaded(self) -> "FactChecker":
        try:
            return self._load()
        except Exception as error:
            self.failed = True
            if not can_be_mended(error):
                raise
            log.error("error: %s", error)
            raise JobError(f"the engine cannot be loaded: {error}") from error

    async def _checker(self) -> "FactChecker":
        return await asyncio.shield(self._loading)

    async def check_claim(
        self,
        context: Context[None, Any],
        claim: ClaimText,
        documents: Documents = (),
        date: Day = "",
        speaker: Speaker = "",
    ) -> dict[str, Any]:
        """Check one factual claim against documents; the verdict comes with the words of the source that decide."""
        from system.app.service.checks import check_claim  # only now: it stands on the engine

        try:
            asked = Claim(claim, date=date, speaker=speaker)
        except ClaimsError as error:  # what only its constructor finds, such as a claim of emphasis marks
            raise ToolError(str(error)) from None
        collect = partial(self._collection, documents)
        return await self._answer(context, Kind.CLAIM, partial(check_claim, asked, collect))

    async def check_text(
        self, context: Context[None, Any], text: Text, documents: Documents = (), date: Day = "", speaker: Speaker = ""
    ) -> dict[str, Any]:
        """Check every factual statement of a text (an article, a speech, a draft, an answer of an assistant)."""
        from system.app.service.checks import check_text, read_submitted

        read, collect = partial(read_submitted, text, b"", ""), partial(self._collection, documents)
        work = partial(check_text, read, collect, date=date, speaker=speaker)
        return await self._answer(context, Kind.TEXT, work)

    async def check_citations(
        self, context: Context[None, Any], text: Text, documents: Documents = (), date: Day = ""
    ) -> dict[str, Any]:
        """Check whether the sources that a text in Markdown cites say what its sentences say.

        Citations are links, footnotes and references; a document is the source of those that name it.
        """
        from system.app.service.checks import check_citations

        sources = _texts(documents) or self._documents
        work = partial(check_citations, text, sources, fetch=self._fetch, date=date)
        return await self._answer(context, Kind.CITATIONS, work)

    async def continue_check(self, context: Context[None, Any], token: Token) -> dict[str, Any]:
        """Get the rest of an answer that came with a token: all that is known by now, in the same form."""
        try:
            job = self._jobs.find(token, *Kind)
        except UnknownJob:
            raise ToolError("token: no check has this token any more; begin it anew") from None
        return await self._waited(context, job)

    def _collection(self, documents: Sequence[DocumentText], settings: "Settings") -> "PageCollection":
        """Return the documents of a call, or else the server's own, as a collection; raise ``JobError`` without any."""
        from system.collection import document_collection

        if not (documents or self._documents or settings.retrieval.search):
            raise JobError(NOTHING)
        return document_collection(_texts(documents) or self._documents, settings)

    async def _answer(self, context: Context[None, Any], kind: Kind, work: Work) -> dict[str, Any]:
        """Queue the work of a call, and answer as soon as it is done, or the patience of clients ends."""
        try:
            job = self._jobs.submit(Job(kind), work)
        except QueueFull as error:
            raise ToolError(str(error)) from None
        await context.report_progress(0, None, "waiting" if self._loading.done() else "loading the engine")
        return await self._waited(context, job)

    async def _waited(self, context: Context[None, Any], job: Job) -> dict[str, Any]:
        """Report the steps of a job until it ends; return its answer, or what is known and the token of the rest."""
        from system.app.mcp.answers import answer, step  # they stand on the engine

        if timer := self._abandoned.pop(job.id, None):
            timer.cancel()
        try:
            with anyio.move_on_after(self._patience):
                async for number, _ in job.follow(max(0, len(job.parts) - 1)):
                    await context.report_progress(*step(job.kind, job.parts[: number + 1]))
        except anyio.get_cancelled_exc_class():
            self._jobs.discard(job)
            raise
        if job.open:
            self._abandoned[job.id] = asyncio.get_running_loop().call_later(ABANDONED, self._abandon, job)
            return {**answer(job), "token": job.id}
        if job.state is not State.DONE:
            raise ToolError(job.problem or "the check failed; the server's log has the details")
        return {**answer(job), "token": ""}

    def _abandon(self, job: Job) -> None:
        del self._abandoned[job.id]
        self._jobs.discard(job)


class _Explained(Tool):
    """A tool that names faults of its arguments in this project's words."""

    async def run(self, *arguments: Any, **options: Any) -> Any:
        try:
            return await super().run(*arguments, **options)
        except ToolError as error:
            if type(error) is ToolError and isinstance(error.__cause__, ValidationError):  # a crash is another type
                raise ToolError("; ".join(map(explain, error.__cause__.errors()))) from error.__cause__
            raise


def make_server(tools: Tools) -> MCPServer[None]:
    """Make the server of the tools; arguments that a tool does not know are refused."""
    found = []
    for tool in (tools.check_claim, tools.check_text, tools.check_citations, tools.continue_check):
        made = _Explained.from_function(tool, description=getdoc(tool), annotations=READS)
        arguments = made.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        found.append(made.model_copy(update={"parameters": arguments.model_json_schema(by_alias=True)}))
    return MCPServer(
        "factgraph",
        title="Fact-checking",
        instructions=INSTRUCTIONS,
        version=__version__,
        lifespan=tools.open,
        tools=found,
    )


def _texts(documents: Sequence[DocumentText]) -> list[Document]:
    return [Document(one.text, one.name) for one in documents]
