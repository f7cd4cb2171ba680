"""Connections that would keep others out, over real sockets."""

import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
from bridge import Answers
from processes import PATIENCE
from serving import engine_of, listening

from system.app.service.guards import bounded


def connect(address):
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)


def test_idle_connections_do_not_keep_others_out():
    with (
        listening(engine_of(Answers()), http=bounded(PATIENCE, per_address=4), connections=6) as address,
        ExitStack() as idle,
    ):
        first = idle.enter_context(connect(address))
        for _ in range(10):
            idle.enter_context(connect(address))
        assert httpx2.get(f"{address}healthz", timeout=PATIENCE).status_code == 200
        assert first.recv(1) == b""  # the oldest made room


def test_an_incomplete_request_is_dropped():
    with listening(engine_of(Answers()), http=bounded(seconds=0.3)) as address:
        for beginning in (
            b"",
            b"GET /healthz HT",
            b"POST /claims HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
        ):
            with connect(address) as slow:
                slow.sendall(beginning)
                assert slow.recv(1) == b""


def test_a_stream_outlasts_the_limit_of_a_request():
    with listening(engine_of(Answers()), http=bounded(seconds=0.1)) as address, httpx2.Client() as client:
        order = {"claim": "The Aster bridge opened in 1932.", "documents": [{"text": "It opened in 1932."}]}
        job = client.post(f"{address}claims", json=order, timeout=PATIENCE).json()["id"]
        stream = client.get(f"{address}claims/{job}/thoughts", timeout=PATIENCE).text
        assert "event: done" in stream
