"""The promise of each reader for any input: a result that can be written and read again, or an error naming the file.

A target's check returns where the promise is kept and raises where it is not; bounds of time and memory are those of
whoever calls it. ``tests/test_fuzz_targets.py`` runs the same checks without atheris.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from threading import Thread
from typing import TypeVar

import orjson

from knowledge_store.pages.fetching import Fetcher, FetchError
from knowledge_store.pages.page import Flaws
from knowledge_store.pages.store import read_pages
from submission.ev2r.judging import ReplyJournal
from submission.ev2r.replies import Unit, UnreadableReply
from submission.ev2r.replies import read_reply as read_judge_reply
from submission.files import SubmissionError
from submission.read import read_predictions, read_scored_gold
from submission.validate import validate
from submission.write import write_json
from system.averitec.claims import METADATA, ClaimsError, read_claims
from system.averitec.gold import read_gold
from system.files.journal import Journal, JournalError
from system.graph.records import ClaimResult, Cost
from system.models.base import Completion, ErrorKind, ModelError
from system.models.prompting import read_reply
from system.settings import RunSettings, Settings, SettingsError, load, load_calibration
from system.strategies import STRATEGIES
from system.strategies.base import named
from system.tasks.base import registered
from tests.fuzz import seeds, stores

R = TypeVar("R")

STRATEGY_OBJECTS = [named(name) for name in STRATEGIES]  # importing them registers their tasks
TASKS = tuple(task for task in registered() if task.__module__.startswith(("system.", "submission.")))


@dataclass(frozen=True)
class Target:
    """A reader to be fuzzed.

    Attributes:
        check: raises where the input in a folder of its own breaks what the reader promises.
        seeds: inputs to begin with, sound ones and the flaws that are known.
        seconds: that one input may take.
    """

    check: Callable[[bytes, Path], None]
    seeds: tuple[bytes, ...]
    seconds: int = 5


def _claims(data: bytes, folder: Path) -> None:
    for name in ("claims.json", "claims.txt"):
        path = _write(folder / name, data)
        claims = _or_error(path, ClaimsError, lambda path=path: read_claims(path))
        if claims is None:
            continue
        fields = {"text": "claim", **METADATA}
        again = [{known: getattr(claim, field) for field, known in fields.items()} for claim in claims]
        assert read_claims(_write(folder / "again.json", orjson.dumps(again))) == claims


def _store(data: bytes, folder: Path) -> None:
    flaws = Flaws()
    pages = list(read_pages(_write(folder / "store.json", data), flaws))
    assert len(pages) <= data.count(b"\n") + 1
    lines = (orjson.dumps({"url": page.url, "url2text": page.sentences}) for page in pages)
    again = list(read_pages(_write(folder / "again.json", b"\n".join(lines)), Flaws()))
    assert [(page.url, page.sentences) for page in again] == [(page.url, page.sentences) for page in pages]


class _AnsweringServer:
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


_server = cache(_AnsweringServer)


def _fetch(data: bytes, folder: Path) -> None:
    """A server's answers, after that to the request for its robots.txt; redirects lead back to it."""
    server = _server()
    server.robots, _, server.page = data.partition(seeds.THEN)
    here = server.address.encode()
    server.robots, server.page = (part.replace(b"http://here", here) for part in (server.robots, server.page))
    try:
        response = Fetcher(2.0, 4096, robots=True, admits=lambda address: address.is_loopback).fetch(server.address)
    except FetchError as error:
        assert str(error)
    else:
        assert len(response.body) <= 4096 and response.suffix


def _reply(data: bytes, folder: Path) -> None:
    """The first byte chooses the task; bytes that are not UTF-8 become lone surrogates, as JSON may hold them."""
    task = TASKS[data[0] % len(TASKS)].model_construct() if data else TASKS[0].model_construct()
    result = read_reply(task, data[1:].decode("utf-8", "surrogateescape"), Cost(), "prompt")
    if isinstance(result, Completion):
        assert task.reply_type.model_validate_json(result.reply.model_dump_json()) == result.reply
        result.raw.encode()
    else:
        assert isinstance(result, ModelError) and result.kind is ErrorKind.MALFORMED_REPLY
        assert result.message.startswith(task.name)
        (result.raw + result.message).encode()


def _csv(data: bytes, folder: Path) -> None:
    path = _write(folder / "submission.csv", data)
    _or_error(path, SubmissionError, lambda: read_predictions(path))
    _or_error(path, SubmissionError, lambda: read_scored_gold(path))
    validate(path)
    validate(path, ["A claim."])


def _predictions(data: bytes, folder: Path) -> None:
    path = _write(folder / "submission.json", data)
    predicted = _or_error(path, SubmissionError, lambda: read_predictions(path))
    validate(path, ["A claim."])
    if predicted is not None:
        write_json(predicted, path)  # reads it back


def _gold(data: bytes, folder: Path) -> None:
    path = _write(folder / "dev.json", data)
    for one in _or_error(path, SubmissionError, lambda: read_scored_gold(path)) or ():
        one.model_dump_json()
    for claim in _or_error(path, ClaimsError, lambda: read_gold(path)) or ():
        claim.model_dump_json()


def _journal(data: bytes, folder: Path) -> None:
    """A journal resumes, and when it is cut at some byte every whole record before that is still there."""
    path = _write(folder / "journal.jsonl", data)
    before = _or_error(path, JournalError, lambda: _resume(path))
    if before is None:
        return
    assert _resume(path, seeds.RESULT) == [*before, seeds.RESULT] == _resume(path)
    whole = path.read_bytes()
    cut = whole[: int.from_bytes(data[-2:]) % (len(whole) + 1)]
    path.write_bytes(cut)
    assert _resume(path) == [*before, seeds.RESULT][: max(0, cut.count(b"\n") - 1)]


def _resume(path: Path, *more: ClaimResult) -> list[ClaimResult]:
    with Journal(path, seeds.IDENTITY, resume=True) as journal:
        for result in more:
            journal.append(result)
        return journal.finished


def _judgements(data: bytes, folder: Path) -> None:
    path = _write(folder / "judgements.jsonl", data)
    if _or_error(path, JournalError, lambda: _kept(path, "a key")) is None:
        return
    with ReplyJournal(path) as journal:
        journal.keep("a key", "a reply")
    assert _kept(path, "a key") == ("a reply",)


def _kept(path: Path, key: str) -> tuple[str | None]:
    with ReplyJournal(path) as journal:
        return (journal.replies.get(key),)


def _judge_reply(data: bytes, folder: Path) -> None:
    raw = data.decode("utf-8", "surrogateescape")
    for unit in Unit:
        try:
            judgement = read_judge_reply(raw, unit)
        except UnreadableReply:
            continue
        assert isfinite(judgement.precision) and isfinite(judgement.recall)


def _settings(data: bytes, folder: Path) -> None:
    path = _write(folder / "mine.toml", data)
    for overrides in ({}, {"depth": 2, "strategy": "rag"}):
        settings = _or_error(path, SettingsError, lambda overrides=overrides: load(str(path), overrides))
        if settings is not None:
            assert Settings.model_validate_json(settings.model_dump_json()) == settings


def _calibration(data: bytes, folder: Path) -> None:
    path = _write(folder / "calibration.json", data)
    settings = Settings(run=RunSettings(calibration=str(path)))
    calibration = _or_error(path, SettingsError, lambda: load_calibration(settings))
    if calibration is not None:
        assert all(0 <= calibration.of(confidence) <= 1 for confidence in (0.0, 0.3, 1.0))


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _or_error(path: Path, kind: type[Exception] | tuple[type[Exception], ...], read: Callable[[], R]) -> R | None:
    """The value read, or None where it is refused with an error of the right kind that names the file."""
    try:
        return read()
    except kind as error:
        assert path.name in str(error), f"the message does not name {path.name}: {error}"
        return None


TARGETS = {
    "claims": Target(_claims, seeds.CLAIMS),
    "store": Target(_store, seeds.STORES),
    "fetch": Target(_fetch, seeds.ANSWERS),
    "reply": Target(_reply, seeds.REPLIES),
    "csv": Target(_csv, seeds.TABLES),
    "predictions": Target(_predictions, seeds.PREDICTIONS),
    "gold": Target(_gold, seeds.GOLD),
    "journal": Target(_journal, seeds.JOURNALS),
    "judgements": Target(_judgements, seeds.JUDGEMENTS),
    "judge-reply": Target(_judge_reply, seeds.JUDGE_REPLIES),
    "settings": Target(_settings, seeds.SETTINGS),
    "calibration": Target(_calibration, seeds.CALIBRATIONS),
    "adapter": Target(stores.adapter, stores.ADAPTERS),
    "archive": Target(stores.archive, stores.ARCHIVES),
    "documents": Target(stores.document, stores.DOCUMENTS, seconds=60),  # a worker starts, and ends it after two
}
