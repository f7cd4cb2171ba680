"""``factgraph mcp``: give assistants the checks as tools, over standard input and output or over HTTP."""

import signal
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from system.app.commands import common
from system.app.commands.serve import bind, require_libraries
from system.app.options import Documents, SettingOptions
from system.app.service.access import Listening, read_token

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from system.app.mcp.server import Tools

LIBRARIES = ("mcp", "uvicorn")
EXIT_FAILED = 2  # the engine could not be loaded


@Parameter(name="*")
@dataclass(frozen=True)
class McpOptions(Listening):
    """The options of the MCP server."""

    documents: Documents = ()  # type: ignore[assignment]  # to check against if a call brings none; read at each call
    fetch: Annotated[bool, Parameter(help="fetch cited addresses that no document has")] = False
    http: Annotated[bool, Parameter(help="listen at --host and --port (default: standard input)")] = False


def mcp(options: McpOptions = McpOptions(), settings: SettingOptions | None = None) -> int:
    """Give assistants the tools of the Model Context Protocol, over standard input and output or over HTTP.

    They are check_claim, check_text, check_citations and search_archive.

    Exit status: 0 the client left, 2 the engine could not be loaded.
    """
    require_libraries("the MCP server", LIBRARIES, "mcp")
    if not options.http:
        tools, server = _server(options, settings)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # or the thread that waits for input would outlast Ctrl-C
        server.run("stdio")
        return EXIT_FAILED if tools.failed else 0
    token = read_token(options.token_file, options.host)
    with bind(options.host, options.port) as bound:
        print(f"port {bound.getsockname()[1]} is ours; loading libraries, then the engine", file=sys.stderr, flush=True)
        tools, server = _server(options, settings)
        from system.app.mcp.server import PATH, over_http  # only now: they take seconds, and the extra
        from system.app.service.listening import answer

        answer(over_http(server, options.bytes, token), options, bound, PATH, token)
    return EXIT_FAILED if tools.failed else 0


def _server(options: McpOptions, given: SettingOptions | None) -> "tuple[Tools, MCPServer[None]]":
    """Make the server; its engine loads when it starts, so that clients do not wait long for the first answer."""
    common.find_sources(options.documents, given, fetch=options.fetch, store=True)
    settings = common.settings_of(given, brief=True)
    from system.app.mcp.server import Tools, make_server

    slots = settings.run.max_concurrent_claims
    load = partial(common.load_checker, settings)
    tools = Tools(load, slots, options.queue, options.documents, fetch=options.fetch)
    return tools, make_server(tools)
