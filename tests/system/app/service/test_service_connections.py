"""Connections that would keep others out, over real sockets."""

import socket
import threading
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import orjson

from system.app.service.guards import HEAD, Bounds
from system.app.service.streams import PER_JOB
from tests.helpers.bridge import Answers
from tests.helpers.processes import PATIENCE
from tests.helpers.serving import Gate, answering, engine_of, listening


def connect(address, source="127.0.0.1"):
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE, source_address=(source, 0))


def test_idle_connections_do_not_keep_others_out():
    with listening(engine_of(Answers()), bounds=Bounds(PATIENCE, per_address=4)) as address, ExitStack() as idle:
        first = idle.enter_context(connect(address))
        for _ in range(10):
            idle.enter_context(connect(address))
        assert httpx2.get(f"{address}healthz", timeout=PATIENCE).status_code == 200
        assert first.recv(1) == b""  # the oldest made room


def test_an_incomplete_request_is_refused():
    with listening(engine_of(Answers()), bounds=Bounds(seconds=0.3)) as address:
        beginnings = b"GET /healthz HT", b"POST /claims HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
        for beginning in beginnings:
            assert refused(address, beginning) == (408, "expected the whole request within 0.3 seconds")
        with connect(address) as idle:
            assert idle.recv(1) == b""


def refused(address, sent):
    """Status and detail of what is answered before the connection is closed."""
    with connect(address) as client:
        client.sendall(sent)
        head, _, body = b"".join(iter(lambda: client.recv(2**16), b"")).partition(b"\r\n\r\n")
    status, *fields = head.decode().split("\r\n")
    assert "content-type: application/json" in map(str.lower, fields)
    return int(status.split()[1]), orjson.loads(body)["detail"] if body else ""


CHUNKED = b"Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
MALFORMED = {
    b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"x" * 160: 400,  # the greeting of TLS
    b"GET / HTTP/1.1\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n": 400,
    b"POST /claims HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n": 400,
    b"POST /claims HTTP/1.1\r\n" + CHUNKED: 400,
    b"GET / HTTP/1.1\r\n" + CHUNKED: 400,
    b"POST /claims HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n": 501,
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (HEAD + 1): 431,
}


def test_what_is_no_request_is_refused_as_any_other_error(capsys):
    with listening(engine_of(Answers())) as address:
        for sent, status in MALFORMED.items():
            found, detail = refused(address, sent)
            assert found == status and "expected" in detail, sent
    assert "Traceback" not in capsys.readouterr().err


def test_a_stream_outlasts_the_limit_of_a_request():
    with listening(engine_of(Answers()), bounds=Bounds(seconds=0.1)) as address, httpx2.Client() as client:
        order = {"claim": "The Aster bridge opened in 1932.", "documents": [{"text": "It opened in 1932."}]}
        job = client.post(f"{address}claims", json=order, timeout=PATIENCE).json()["id"]
        stream = client.get(f"{address}claims/{job}/thoughts", timeout=PATIENCE).text
        assert "event: done" in stream


def test_a_request_that_waits_behind_a_stream_does_not_end_it():
    gate = Gate()
    with listening(engine_of(gate), bounds=Bounds(seconds=0.1)) as address, ExitStack() as stack:
        job = submitted(address)
        stream = stack.enter_context(connect(address))
        stream.sendall(f"GET /claims/{job}/thoughts HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HT".encode())
        assert b"200 OK" in stream.recv(2**16)
        with connect(address) as idle:
            assert idle.recv(1) == b""  # the stream is older, so that its time is over too
        gate.opened.set()
        assert b"event: done" in b"".join(iter(lambda: stream.recv(2**16), b""))


def test_idle_connections_of_many_addresses_keep_nobody_out():
    bounds = Bounds(PATIENCE, per_address=4, most=8)
    with listening(engine_of(Answers()), bounds=bounds) as address, ExitStack() as idle:
        for number in range(2, 6):
            for _ in range(4):
                idle.enter_context(connect(address, f"127.0.0.{number}"))
        assert httpx2.get(f"{address}healthz", timeout=PATIENCE).status_code == 200


class Torrent:
    """Answers with more than fits between the two sides."""

    def __init__(self):
        self.begun, self.ended = threading.Semaphore(0), threading.Semaphore(0)

    async def __call__(self, scope, receive, send):
        assert scope["type"] == "http"
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": bytes(2**24), "more_body": True})
        self.begun.release()
        await send({"type": "http.response.body"})
        self.ended.release()


def ask(address, stack, source="127.0.0.1"):
    """A connection that has sent a request."""
    sock = stack.enter_context(connect(address, source))
    sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return sock


def test_a_response_that_is_not_read_is_dropped():
    app = Torrent()
    with answering(app, Bounds(seconds=0.3)) as address, ExitStack() as stack:
        ask(address, stack)
        assert app.ended.acquire(timeout=PATIENCE)


def test_clients_that_do_not_read_keep_nobody_out():
    app = Torrent()
    with answering(app, Bounds(PATIENCE, per_address=2, most=4)) as address, ExitStack() as stack:
        crowds = ["127.0.0.2", "127.0.0.3"]
        for source in 2 * crowds:
            ask(address, stack, source)
            assert app.begun.acquire(timeout=PATIENCE)
        for source in ("127.0.0.1", *crowds):
            assert ask(address, stack, source).recv(15) == b"HTTP/1.1 200 OK"


def follow(address, job, stack, source="127.0.0.1", events="claims/{}/thoughts", **headers):
    """The status of a further stream of events, which stays open."""
    sock = stack.enter_context(connect(address, source))
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    sock.sendall(f"GET /{events.format(job)} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())
    return int(sock.recv(12).split()[1])


def submitted(address):
    order = {"claim": "The Aster bridge opened in 1932.", "documents": [{"text": "It opened in 1932."}]}
    return httpx2.post(f"{address}claims", json=order, timeout=PATIENCE).json()["id"]


def test_streams_count_by_claim_and_leave_other_requests_alone():
    gate = Gate()
    with listening(engine_of(gate), bounds=Bounds(PATIENCE, per_address=4)) as address, ExitStack() as stack:
        jobs = submitted(address), submitted(address)
        for job in jobs:
            assert [follow(address, job, stack) for _ in range(PER_JOB + 1)] == [200] * PER_JOB + [429]
        assert httpx2.get(f"{address}healthz", timeout=PATIENCE).status_code == 200
        gate.opened.set()


def test_streams_of_a_text_leave_other_requests_alone():
    gate, events = Gate(), "texts/{}/statements"
    with listening(engine_of(gate), bounds=Bounds(PATIENCE, per_address=4)) as address, ExitStack() as stack:
        order = {"text": "The Aster bridge opened in 1932.", "documents": [{"text": "It opened in 1932."}]}
        job = httpx2.post(f"{address}texts", json=order, timeout=PATIENCE).json()["id"]
        statuses = [follow(address, job, stack, events=events) for _ in range(PER_JOB + 1)]
        assert statuses == [200] * PER_JOB + [429]
        assert httpx2.get(f"{address}healthz", timeout=PATIENCE).status_code == 200
        gate.opened.set()


def test_the_clients_of_a_trusted_proxy_count_apart():
    gate, proxies = Gate(), "127.0.0.2"
    bounds = Bounds(PATIENCE, per_address=4)
    with listening(engine_of(gate), bounds=bounds, proxies=proxies) as address, ExitStack() as stack:
        job = submitted(address)
        for client in ("10.0.0.1", "10.0.0.2"):
            for status in [200] * PER_JOB + [429]:
                assert follow(address, job, stack, "127.0.0.2", **{"X-Forwarded-For": client}) == status
        own = [follow(address, job, stack, **{"X-Forwarded-For": f"10.0.1.{n}"}) for n in range(PER_JOB + 1)]
        assert own[-1] == 429  # nobody else is believed
        for _ in range(6):
            stack.enter_context(connect(address, "127.0.0.2"))  # idle, of other clients
        assert httpx2.get(f"{address}healthz", timeout=PATIENCE).status_code == 200
        gate.opened.set()


def test_an_upgrade_to_a_websocket_is_answered_as_any_request():
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "eA==",
    }
    with listening(engine_of(Answers())) as address:
        assert httpx2.get(f"{address}healthz", headers=headers, timeout=PATIENCE).status_code == 200
