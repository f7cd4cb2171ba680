"""``factgraph serve``: load the engine once and answer over HTTP until told to stop."""

import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from system.app.options import SettingOptions
from system.app.service.access import VARIABLE, AccessError, read_token

LIBRARIES = ("fastapi", "prometheus_client", "sse_starlette", "uvicorn")
WAITING = 2048  # connections that the system keeps until they are answered


@Parameter(name="*")
@dataclass(frozen=True)
class Listening:
    """Where a service listens, whom it trusts, and how much it takes."""

    host: Annotated[str, Parameter(help="address to bind; any but loopback needs a token")] = "127.0.0.1"
    port: Annotated[int, Parameter(validator=Number(gte=0, lt=2**16), help="port to bind (default: 8000)")] = 8000
    token_file: Annotated[Path | None, Parameter(help=f"file with the bearer token (or set {VARIABLE})")] = None
    queue: Annotated[int, Parameter(validator=Number(gte=1), help="claims or calls that may wait (default: 16)")] = 16
    body: Annotated[float, Parameter(validator=Number(gt=0, lt=1024), help="largest request (default: 8 MiB)")] = 8.0


@Parameter(name="*")
@dataclass(frozen=True)
class ServeOptions(Listening):
    """The options of the service."""

    stores: Annotated[Path | None, Parameter(help="folder of stores NAME.json that claims can use")] = None
    kept: Annotated[int, Parameter(validator=Number(gte=1), help="finished checks to keep (default: 100)")] = 100


def serve(options: ServeOptions = ServeOptions(), settings: SettingOptions | None = None) -> int:
    """Answer claims over HTTP: submit, follow the thoughts, read the verdict and its report."""
    require_libraries("the service", LIBRARIES, "serve")
    token = read_token(options.token_file, options.host)
    if options.stores and not options.stores.is_dir():
        raise AccessError(f"--stores {options.stores} not found; expected a folder with files NAME.json")
    with bind(options.host, options.port) as bound:
        print(f"port {bound.getsockname()[1]} is ours; loading libraries, then the engine", file=sys.stderr, flush=True)
        from system.app.service.listening import listen  # only now: it takes seconds, and the extra

        listen(options, settings, token, bound)
    return 0


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; who connects before the engine is loaded waits for it.

    Raises:
        AccessError: it cannot be had.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=WAITING)
    except (OSError, OverflowError, UnicodeError) as error:
        number = getattr(error, "errno", 0) or 0
        reason = os.strerror(number) if number > 0 else error  # a name that is not known has a number of another kind
        raise AccessError(
            f"cannot listen on {host}, port {port} ({reason}); stop what listens there, or give another --port"
        ) from error


def require_libraries(what: str, libraries: Sequence[str], extra: str) -> None:
    """Make sure that what a command stands on is installed.

    Raises:
        AccessError: it is not; the message says how to install it.
    """
    missing = [name for name in libraries if not find_spec(name)]
    if missing:
        raise AccessError(f"{what} needs {', '.join(missing)}; install them with: pip install '.[{extra}]'")
