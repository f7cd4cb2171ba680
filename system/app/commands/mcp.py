"""``factgraph mcp``: give assistants the checks as tools, over standard input and output or over HTTP."""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from system.app import options
from system.app.commands.serve import add_listening, bind, require_libraries
from system.app.service.access import read_token
from system.hardware.machine import choose_profile
from system.settings import Settings, load

if TYPE_CHECKING:
    from system.app.mcp.desk import Desk
    from system.app.mcp.server import Server

LIBRARIES = ("mcp", "uvicorn")
EXIT_FAILED = 2  # the engine could not be loaded


def command(arguments: Sequence[str]) -> int:
    """Serve until the client leaves; over HTTP, until SIGINT or SIGTERM.

    Returns:
        0, or 2 where the engine could not be loaded.

    Raises:
        AccessError: a library is missing, the port is taken, or the server may not be opened without a token.
        DocumentsError, SearchError: what is to be searched is not there.
    """
    args = options.parse(parser(), arguments)
    require_libraries("the MCP server", LIBRARIES, "mcp")
    if not args.http:
        server = _server(args)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # or the thread that waits for input would outlast Ctrl-C
        server.run("stdio")
        return EXIT_FAILED if server.tools.failed else 0
    token = read_token(args.token_file, args.host)
    with bind(args.host, args.port) as bound:
        print(f"port {bound.getsockname()[1]} is ours; loading libraries, then the engine", file=sys.stderr, flush=True)
        server = _server(args)
        from system.app.mcp.http import PATH, create_app  # only now: they take seconds, and the extra
        from system.app.service.answering import answer

        answer(create_app(server, _body(args), token), args, bound, PATH, token)
    return EXIT_FAILED if server.tools.failed else 0


def _server(args: argparse.Namespace) -> "Server":
    """The server, whose engine is loaded once it runs: clients do not wait long for the first answer."""
    settings = _settings(args)
    _check_sources(args.documents, settings.retrieval.search)
    from system.app.mcp.server import Server, Tools

    def desk() -> "Desk":
        from knowledge_store.pages import reading
        from knowledge_store.ranking import warm_up  # only now: with these comes all that is large
        from system.api import FactChecker
        from system.app.mcp.desk import Desk
        from system.check import load_engine

        checker = FactChecker(engine=load_engine(settings))
        warm_up(settings.retrieval)
        reading.warm_up()
        return Desk(checker, args.documents, fetch=args.fetch)

    return Server(Tools(desk, settings.run.max_concurrent_claims, args.queue), _body(args))


def _settings(args: argparse.Namespace) -> Settings:
    given = options.given_settings(args)
    profile, why = (args.profile, "") if args.profile else choose_profile(given)
    if why:
        print(f"profile {profile}: {why}", file=sys.stderr)
    return load(profile, {**options.BRIEF, **given})


def _check_sources(documents: Sequence[str], search: str) -> None:
    """Tell at once of a source that is not there, before an assistant is told at every call."""
    from knowledge_store.pages.documents import DocumentsError  # only now: it reads sentences
    from knowledge_store.searchers.searched import open_searcher

    for source in documents:
        if not Path(source).exists():
            raise DocumentsError(f"--documents {source} not found; expected a file or a folder of documents")
    if search:
        open_searcher(search)


def _body(args: argparse.Namespace) -> int:
    return int(args.body * 2**20)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = argparse.ArgumentParser(
        prog="factgraph mcp",
        usage="factgraph mcp [--documents SOURCE [SOURCE ...]] [--search ARCHIVE] [--http] [option ...]",
        description="Give assistants the tools check_claim, check_text, check_citations and search_archive, by the "
        "Model Context Protocol: over standard input and output, or over HTTP.",
    )
    made.add_argument(
        "--documents",
        nargs="+",
        default=[],
        metavar="SOURCE",
        help="file, folder of files, or store to check against where a call brings no documents; read at each call",
    )
    made.add_argument("--fetch", action="store_true", help="fetch cited addresses that no document has")
    made.add_argument("--http", action="store_true", help="listen at --host and --port (default: standard input)")
    add_listening(made, "calls")
    options.add_settings(made)
    return made
