"""``factgraph mcp``: give assistants the checks as tools, over standard input and output."""

import signal
from functools import partial
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from system.app.commands import common
from system.app.commands.serve import require_libraries
from system.app.options import Documents, SettingOptions

LIBRARIES = ("mcp",)
EXIT_FAILED = 2  # the engine could not be loaded


def mcp(
    *,
    documents: Documents = (),  # type: ignore[assignment]  # to check against if a call brings none; read at each call
    fetch: Annotated[bool, Parameter(help="fetch cited addresses that no document has")] = False,
    queue: Annotated[int, Parameter(validator=Number(gte=1), help="calls that may wait (default: 16)")] = 16,
    settings: SettingOptions | None = None,
) -> int:
    """Give assistants the tools of the Model Context Protocol: check_claim, check_text and check_citations.

    Exit status: 0 the client left, 2 the engine could not be loaded.
    """
    require_libraries("the MCP server", LIBRARIES, "mcp")
    common.find_sources(documents, settings, fetch=fetch, store=True)
    chosen = common.settings_of(settings, brief=True)
    from system.app.mcp.server import Tools, make_server  # only now: it takes seconds, and the extra

    load = partial(common.load_checker, chosen)
    tools = Tools(load, chosen.run.max_concurrent_claims, queue, documents, fetch=fetch)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # or the thread that waits for input would outlast Ctrl-C
    make_server(tools).run("stdio")
    return EXIT_FAILED if tools.failed else 0
