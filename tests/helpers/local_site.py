"""Web servers on this machine, for tests."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


class Handler(BaseHTTPRequestHandler):
    """Logs nothing; reads and sends JSON. Subclasses say what ``get`` and ``post`` do."""

    def do_GET(self) -> None:
        self.get()

    def do_POST(self) -> None:
        self.post()

    def received(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def send(self, content: object, status: int = 200) -> None:
        page(json.dumps(content).encode(), "application/json", status)(self)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(handler: type[Handler], **attributes: object) -> Iterator[Any]:
    """A server on a free port, with attributes that its handler reads."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        vars(server).update(attributes, address=f"http://127.0.0.1:{server.server_port}")
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def page(body: bytes = b"<p>It rained.</p>", kind: str = "text/html; charset=utf-8", status: int = 200) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return answer


def redirect(to: str) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", to)
        request.end_headers()

    return answer


class Site:
    """A web server on this machine; what it was asked for is in ``asked``. Answers are by path, or any query's too."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        site = self

        class SiteHandler(Handler):
            def answer(self) -> None:
                site.answer(self)

            do_GET = do_HEAD = do_POST = do_PUT = answer  # noqa: N815

        self._stack = ExitStack()
        self.address = self._stack.enter_context(serving(SiteHandler)).address

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        found = self.answers.get(request.path) or self.answers.get(request.path.partition("?")[0])
        (found or page(status=404))(request)

    def close(self) -> None:
        self._stack.close()
