"""``factgraph serve``: load the engine once and answer over HTTP until told to stop."""

import argparse
import logging
import sqlite3
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge_store.ranking import warm_up
from system.app import options
from system.app.commands import common
from system.app.service.access import VARIABLE, AccessError, read_token
from system.check import Engine

if TYPE_CHECKING:
    from system.app.service.jobs import Archive

LIBRARIES = ("fastapi", "prometheus_client", "sse_starlette", "uvicorn")
GOODBYE = 5  # seconds that open connections have when the service stops


def command(arguments: Sequence[str]) -> int:
    """Serve until SIGINT or SIGTERM.

    Raises:
        AccessError: a library is missing, or the service may not be opened without a token.
    """
    args = options.parse(parser(), arguments)
    require_libraries()
    token = read_token(args.token_file, args.host)
    if args.stores and not args.stores.is_dir():
        raise AccessError(f"--stores {args.stores} not found; expected a folder with files NAME.json")
    engine, seconds = common.load_timed(common.settings_of(args))
    logging.getLogger(__name__).info("engine loaded in %.1f s", seconds)
    _listen(args, engine, token)
    return 0


def require_libraries() -> None:
    """Make sure that what the service stands on is installed.

    Raises:
        AccessError: it is not; the message says how to install it.
    """
    missing = [name for name in LIBRARIES if not find_spec(name)]
    if missing:
        raise AccessError(f"the service needs {', '.join(missing)}; install them with: pip install '.[serve]'")


def _listen(args: argparse.Namespace, engine: Engine, token: str) -> None:
    # Imported only now: an installation without the extra has none of this.
    import uvicorn

    from system.app.service.app import Limits, create_app
    from system.app.service.guards import CONNECTIONS, bounded
    from system.app.service.worker import Stores, Worker

    warm_up(engine.settings.retrieval)
    limits = Limits(queue=args.queue, kept=args.kept, body=int(args.body * 2**20))
    app = create_app(Worker(engine), Stores(args.stores), limits, token, _archive(args.jobs))
    shown = f"[{args.host}]" if ":" in args.host else args.host
    print(f"http://{shown}:{args.port}/ {'(with a token)' if token else '(this machine only)'}", flush=True)
    uvicorn.run(
        app,
        host=args.host,
        http=bounded(),
        port=args.port,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GOODBYE,
    )


def _archive(file: Path) -> "Archive":
    from system.app.service.jobs import Archive

    try:
        return Archive(file)
    except (OSError, sqlite3.Error) as error:
        raise AccessError(f"--jobs {file}: expected a SQLite file of this service alone, got: {error}") from error


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = argparse.ArgumentParser(
        prog="factgraph serve",
        description="Answer claims over HTTP: submit, follow the thoughts, read the verdict and its report.",
    )
    made.add_argument("--host", default="127.0.0.1", help="address to bind; any but loopback needs a token")
    made.add_argument("--port", type=int, default=8000, help="port to bind (default: 8000)")
    made.add_argument("--stores", type=Path, help="folder of stores NAME.json that claims can use")
    made.add_argument(
        "--jobs",
        type=Path,
        default=Path("output/jobs.sqlite"),
        metavar="FILE",
        help="file that keeps finished claims across restarts (default: output/jobs.sqlite)",
    )
    made.add_argument("--token-file", type=Path, help=f"file with the bearer token (or set {VARIABLE})")
    made.add_argument("--queue", type=_at_least_one, default=16, metavar="N", help="claims that may wait (default: 16)")
    made.add_argument(
        "--kept", type=_at_least_one, default=100, metavar="N", help="finished claims to keep (default: 100)"
    )
    made.add_argument("--body", type=_positive, default=8.0, metavar="MIB", help="largest request (default: 8 MiB)")
    options.add_settings(made)
    return made


def _at_least_one(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {value}")
    return value


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 1024:
        raise argparse.ArgumentTypeError(f"expected MiB above 0 and below 1024, got {text}")
    return value
