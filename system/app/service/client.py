"""Ask a service of the same user that already runs on this machine; see ``local`` for the other side.

It imports nothing large, so that the command line can ask before it loads an engine.
"""

import json
import os
import socket
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowledge_store.pages.documents import STANDARD_INPUT, DocumentsError
from system import __version__

if TYPE_CHECKING:
    from system.graph.records import Claim
    from system.settings import Settings

CONNECT = 2.0  # seconds to wait for a connection


def socket_path() -> Path:
    """Return the place of the user's socket."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or Path.home() / ".cache"
    return Path(folder) / "factgraph" / "service.sock"


def ask_running_service(
    claim: "Claim", documents: Sequence[str], settings: "Settings", *, fetch: bool = False
) -> dict[str, Any] | None:
    """Have a running service check a claim.

    Args:
        documents: paths and web addresses; paths are made absolute.
        settings: the service answers only if it has the same.

    Returns:
        ``result`` and ``graph`` as JSON; None if there is no such service, it cannot check the claim, or there were
        failures. Then the caller checks by itself, and the user sees the errors.

    Raises:
        DocumentsError: the service found no text to search.
    """
    path = socket_path()
    if {*STANDARD_INPUT} & {*documents} or not is_private(path.parent) or not (connection := connect(path)):
        return None
    absolute = {one: one if "://" in one else str(Path(one).absolute()) for one in documents}
    question = {
        "version": __version__,
        "settings": settings.for_documents().model_dump(mode="json"),
        "claim": claim.model_dump(mode="json"),
        "documents": list(absolute.values()),
        "fetch": fetch,
    }
    try:
        with connection, connection.makefile("rwb") as stream:
            stream.write(json.dumps(question).encode() + b"\n")
            stream.flush()
            text = stream.readline().decode()
        for given, whole in sorted(absolute.items(), key=lambda one: -len(one[1])):  # as the user named them
            text = text.replace(_quoted(whole), _quoted(given))
        answer: dict[str, Any] = json.loads(text)
    except (OSError, ValueError):
        return None
    if problem := answer.get("problem"):
        raise DocumentsError(problem)
    return None if answer.get("result", {"failures": True})["failures"] else answer


def _quoted(path: str) -> str:
    return json.dumps(path, ensure_ascii=False)[1:-1]


def is_private(folder: Path) -> bool:
    """Return whether a folder is the user's own, and nobody else may enter it."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def connect(path: Path) -> socket.socket | None:
    """Connect to a socket; return None if nothing answers on it."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(CONNECT)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    connection.settimeout(None)
    return connection
