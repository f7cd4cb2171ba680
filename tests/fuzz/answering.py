"""A web server on this machine that answers with any bytes, for the target of fetched pages."""

import socket
from contextlib import suppress
from threading import Thread


class AnsweringServer:
    """Answers requests for robots.txt with one string of bytes and all others with another, and hangs up."""

    def __init__(self) -> None:
        self.robots = self.page = b""
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._server.accept()
            with connection, suppress(OSError):
                connection.settimeout(1.0)
                asked = connection.recv(65536)
                connection.sendall(self.robots if asked.startswith(b"GET /robots.txt ") else self.page)
