"""``factgraph serve``: load the engine once and answer over HTTP until told to stop."""

import argparse
import ipaddress
import os
import socket
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from system.app import options
from system.app.service.access import VARIABLE, AccessError, read_token

LIBRARIES = ("fastapi", "prometheus_client", "sse_starlette", "uvicorn")
WAITING = 2048  # connections that the system keeps until they are answered


def command(arguments: Sequence[str]) -> int:
    """Serve until SIGINT or SIGTERM.

    Raises:
        AccessError: a library is missing, the port is taken, or the service may not be opened without a token.
    """
    args = options.parse(parser(), arguments)
    require_libraries("the service", LIBRARIES, "serve")
    token = read_token(args.token_file, args.host)
    if args.stores and not args.stores.is_dir():
        raise AccessError(f"--stores {args.stores} not found; expected a folder with files NAME.json")
    with bind(args.host, args.port) as bound:
        print(f"port {bound.getsockname()[1]} is ours; loading libraries, then the engine", file=sys.stderr, flush=True)
        from system.app.service.listening import listen  # only now: it takes seconds, and the extra

        listen(args, token, bound)
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


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = argparse.ArgumentParser(
        prog="factgraph serve",
        description="Answer claims over HTTP: submit, follow the thoughts, read the verdict and its report.",
    )
    add_listening(made, "claims")
    made.add_argument("--stores", type=Path, help="folder of stores NAME.json that claims can use")
    made.add_argument(
        "--jobs",
        type=Path,
        default=Path("output/jobs.sqlite"),
        metavar="FILE",
        help="file that keeps finished claims across restarts (default: output/jobs.sqlite)",
    )
    made.add_argument(
        "--kept", type=_at_least_one, default=100, metavar="N", help="finished claims to keep (default: 100)"
    )
    options.add_settings(made)
    return made


def add_listening(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options that say where a service listens, whom it trusts, and how much it takes.

    Args:
        what: waits in its queue.
    """
    parser.add_argument("--host", default="127.0.0.1", help="address to bind; any but loopback needs a token")
    parser.add_argument("--port", type=_port, default=8000, help="port to bind (default: 8000)")
    parser.add_argument("--token-file", type=Path, help=f"file with the bearer token (or set {VARIABLE})")
    parser.add_argument(
        "--forwarded-allow-ips",
        type=_networks,
        default="",
        metavar="ADDRESSES",
        help="proxies that are trusted to name the client in X-Forwarded-For: IP addresses or networks, "
        "comma-separated (default: none)",
    )
    parser.add_argument(
        "--queue", type=_at_least_one, default=16, metavar="N", help=f"{what} that may wait (default: 16)"
    )
    parser.add_argument("--body", type=_positive, default=8.0, metavar="MIB", help="largest request (default: 8 MiB)")


def _networks(text: str) -> str:
    for one in text.split(",") if text else ():
        try:
            ipaddress.ip_network(one.strip())
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"expected IP addresses or networks, got {one!r} ({error})") from error
    return text


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value < 2**16:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to {2**16 - 1}, got {value}")
    return value


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
