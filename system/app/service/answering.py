"""Answer at a port that is bound already, until told to stop: the same bounds for every application."""

import socket
from contextlib import suppress
from dataclasses import replace

import uvicorn
from starlette.types import ASGIApp

from system.app.commands.serve import Listening
from system.app.service.guards import USUAL, Bounds, bounded, trusted

GOODBYE = 5  # seconds that open connections have when the service stops


def answer(app: ASGIApp, args: Listening, bound: socket.socket, path: str, token: str) -> None:
    """Say where an application is, and serve it until SIGINT or SIGTERM.

    Args:
        args: where to listen.
        path: where clients begin.
        token: that they need; empty where only this machine reaches it.
    """
    shown = f"[{args.host}]" if ":" in args.host else args.host
    who = "with a token" if token else "this machine only"
    print(f"http://{shown}:{bound.getsockname()[1]}{path} ({who})", flush=True)
    with suppress(KeyboardInterrupt):  # which uvicorn raises again once it has stopped
        uvicorn.Server(configured(app, args.forwarded_allow_ips)).run(sockets=[bound])


def configured(app: ASGIApp, proxies: str = "", bounds: Bounds = USUAL) -> uvicorn.Config:
    """How uvicorn answers for an application.

    Args:
        proxies: whose ``X-Forwarded-For`` is believed: addresses and networks, comma-separated.
        bounds: of connections; those of the proxies are exempt.
    """
    return uvicorn.Config(
        app,
        http=bounded(replace(bounds, proxies=trusted(proxies))),
        ws="none",  # no address speaks it, and uvicorn keeps the connections that ask for it for good
        log_level="warning",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        server_header=False,
        timeout_graceful_shutdown=GOODBYE,
    )
