"""Answer at a port that is bound already, until told to stop: the same bounds for every application."""

import argparse
import socket
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from system.app.service.guards import Bounds, bounded, trusted

GOODBYE = 5  # seconds that open connections have when the service stops


def answer(app: ASGIApp, args: argparse.Namespace, bound: socket.socket, path: str, token: str) -> None:
    """Say where an application is, and serve it until SIGINT or SIGTERM.

    Args:
        args: with the options of ``add_listening``.
        path: where clients begin.
        token: that they need; empty where only this machine reaches it.
    """
    shown = f"[{args.host}]" if ":" in args.host else args.host
    who = "with a token" if token else "this machine only"
    print(f"http://{shown}:{bound.getsockname()[1]}{path} ({who})", flush=True)
    config = uvicorn.Config(
        app,
        http=bounded(Bounds(proxies=trusted(args.forwarded_allow_ips))),
        log_level="warning",
        proxy_headers=bool(args.forwarded_allow_ips),
        forwarded_allow_ips=args.forwarded_allow_ips,
        server_header=False,
        timeout_graceful_shutdown=GOODBYE,
    )
    with suppress(KeyboardInterrupt):  # which uvicorn raises again once it has stopped
        uvicorn.Server(config).run(sockets=[bound])
