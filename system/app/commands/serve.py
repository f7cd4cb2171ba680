"""``factgraph serve``: load the engine once and answer over HTTP until told to stop."""

import os
import socket
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from system.app.commands import common
from system.app.options import SettingOptions
from system.app.service.access import AccessError, ServeOptions, read_token

LIBRARIES = ("fastapi", "uvicorn")
WAITING = 2048  # connections that the system keeps until they are answered

NO_OPTIONS = ServeOptions()


def serve(options: ServeOptions = NO_OPTIONS, settings: SettingOptions | None = None) -> int:
    """Answer claims over HTTP: submit, follow the thoughts, read the verdict and its report."""
    require_libraries("the service", LIBRARIES, "serve")
    token = read_token(options.token_file, options.host)
    if options.stores and not options.stores.is_dir():
        raise AccessError(f"--stores {options.stores} not found; expected a folder with files NAME.json")
    with bind(options.host, options.port) as bound:
        print(f"port {bound.getsockname()[1]} is ours; loading libraries, then the engine", file=sys.stderr, flush=True)
        from system.app.service.listening import listen  # only now: it takes seconds, and the extra

        listen(options, common.settings_of(settings), token, bound)
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
    """Make sure that what a command stands on is installed; if not, an ``AccessError`` says how to install it."""
    missing = [name for name in libraries if not find_spec(name)]
    if missing:
        raise AccessError(f"{what} needs {', '.join(missing)}; install them with: pip install '.[{extra}]'")
