"""The promise of each reader for any input: a result that can be written and read again, or an error naming the file.

A target's check returns if the promise is kept and raises if it is not; ``tests/test_fuzz_targets.py`` runs them.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler
from math import isfinite
from pathlib import Path
from typing import NamedTuple, TypeVar

import orjson
from torch import nn

from knowledge_store.isolation import Limits
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.fetching import Fetcher, FetchError
from knowledge_store.pages.page import Flaws, Page
from knowledge_store.pages.store import read_pages
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive
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
from system.models.adapters import check_adapter
from system.models.base import Completion, ErrorKind, ModelError, ModelUnavailable
from system.models.prompting import read_reply
from system.settings import RunSettings, Settings, SettingsError, load, load_calibration
from tests.fuzz import seeds
from tests.helpers.local_site import Site

R = TypeVar("R")
GOLD_ERRORS = (ClaimsError, SubmissionError)  # a file of claims, and one to score, may be wrong


class Target(NamedTuple):
    """A reader to be fuzzed: ``check`` raises if an input, in a folder of its own, breaks the reader's promise."""

    check: Callable[[bytes, Path], None]
    seeds: tuple[bytes, ...]


def _or_error(path: Path, kind: type[Exception] | tuple[type[Exception], ...], read: Callable[[Path], R]) -> R | None:
    """The value read, or None if it is refused with an error of the right kind that names the file."""
    try:
        return read(path)
    except kind as error:
        assert path.name in str(error), f"the message does not name {path.name}: {error}"
        return None


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _claims(data: bytes, folder: Path) -> None:
    for name in ("claims.json", "claims.txt"):
        claims = _or_error(_write(folder / name, data), ClaimsError, read_claims)
        if claims is None:
            continue
        fields = {"text": "claim", **METADATA}
        again = [{known: getattr(claim, field) for field, known in fields.items()} for claim in claims]
        assert read_claims(_write(folder / "again.json", orjson.dumps(again))) == claims


def _store(data: bytes, folder: Path) -> None:
    pages = list(read_pages(_write(folder / "store.json", data), Flaws()))
    assert len(pages) <= data.count(b"\n") + 1
    lines = (orjson.dumps({"url": page.url, "url2text": page.sentences}) for page in pages)
    again = list(read_pages(_write(folder / "again.json", b"\n".join(lines)), Flaws()))
    assert [(page.url, page.sentences) for page in again] == [(page.url, page.sentences) for page in pages]


class _AnsweringSite(Site):
    """Answers requests for robots.txt with one string of bytes and all others with another, and hangs up."""

    robots = page = b""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            request.wfile.write(self.robots if request.path == "/robots.txt" else self.page)


_server = cache(_AnsweringSite)


def _fetch(data: bytes, folder: Path) -> None:
    """A server's answers, after that to the request for its robots.txt; redirects lead back to it."""
    server = _server()
    server.robots, _, server.page = data.replace(b"http://here", server.address.encode()).partition(seeds.THEN)
    try:
        response = Fetcher(2.0, 4096, robots=True, admits=lambda address: address.is_loopback).fetch(server.address)
    except FetchError as error:
        assert str(error)
    else:
        assert len(response.body) <= 4096 and response.suffix


def _reply(data: bytes, folder: Path) -> None:
    """Bytes that are not UTF-8 become lone surrogates, as JSON may hold them."""
    task = seeds.TASKS[(data or b"\0")[0] % len(seeds.TASKS)].model_construct()
    read = read_reply(task, data[1:].decode("utf-8", "surrogateescape"), Cost(), "prompt")
    if isinstance(read, Completion):
        assert task.reply_type.model_validate_json(read.reply.model_dump_json()) == read.reply
        read.raw.encode()
    else:
        assert isinstance(read, ModelError) and read.kind is ErrorKind.MALFORMED_REPLY
        assert read.message.startswith(task.name)
        (read.raw + read.message).encode()


def _csv(data: bytes, folder: Path) -> None:
    path = _write(folder / "submission.csv", data)
    _or_error(path, SubmissionError, read_predictions)
    _or_error(path, GOLD_ERRORS, read_scored_gold)
    validate(path)
    validate(path, ["A claim."])


def _predictions(data: bytes, folder: Path) -> None:
    path = _write(folder / "submission.json", data)
    predicted = _or_error(path, SubmissionError, read_predictions)
    validate(path, ["A claim."])
    if predicted is not None:
        write_json(predicted, path)  # reads it back


def _gold(data: bytes, folder: Path) -> None:
    path = _write(folder / "dev.json", data)
    scored = _or_error(path, GOLD_ERRORS, read_scored_gold) or []
    for one in [*scored, *(_or_error(path, ClaimsError, read_gold) or [])]:
        one.model_dump_json()


def _journal(data: bytes, folder: Path) -> None:
    """A journal resumes, and what is appended to it is still there."""
    path = _write(folder / "journal.jsonl", data)
    before = _or_error(path, JournalError, _resume)
    if before is None:
        return
    assert _resume(path, seeds.RESULT) == [*before, seeds.RESULT] == _resume(path)


def _resume(path: Path, *more: ClaimResult) -> list[ClaimResult]:
    with Journal(path, seeds.IDENTITY, resume=True) as journal:
        for result in more:
            journal.append(result)
        return journal.finished


def _judgements(data: bytes, folder: Path) -> None:
    path = _write(folder / "judgements.jsonl", data)
    if _or_error(path, JournalError, _kept) is None:
        return
    with ReplyJournal(path) as journal:
        journal.keep("a key", "a reply")
    assert _kept(path)["a key"] == "a reply"


def _kept(path: Path) -> dict[str, str]:
    with ReplyJournal(path) as journal:
        return dict(journal.replies)


def _judge_reply(data: bytes, folder: Path) -> None:
    for unit in Unit:
        with suppress(UnreadableReply):
            judgement = read_judge_reply(data.decode("utf-8", "surrogateescape"), unit)
            assert isfinite(judgement.precision) and isfinite(judgement.recall)


def _settings(data: bytes, folder: Path) -> None:
    path = _write(folder / "mine.toml", data)
    for overrides in ({}, {"depth": 2, "strategy": "rag"}):
        settings = _or_error(path, SettingsError, lambda path, overrides=overrides: load(str(path), overrides))
        if settings is not None:
            assert Settings.model_validate_json(settings.model_dump_json()) == settings


def _calibration(data: bytes, folder: Path) -> None:
    path = _write(folder / "calibration.json", data)
    settings = Settings(run=RunSettings(calibration=str(path)))
    calibration = _or_error(path, SettingsError, lambda _: load_calibration(settings))
    if calibration is not None:
        assert all(0 <= calibration.of(confidence) <= 1 for confidence in (0.0, 0.3, 1.0))


def _adapter(data: bytes, folder: Path) -> None:
    """One file of an adapter, the other is sound: it fits, or an error names the folder."""
    place = folder / "fits-or-not"
    place.mkdir(exist_ok=True)
    for number, (name, sound) in enumerate(seeds.ADAPTER_FILES.items()):
        mutated = data and data[0] % 2 == number
        (place / name).write_bytes(data[1:] if mutated else sound)
    layer = nn.ModuleDict({"q_proj": nn.Linear(8, 6, device="meta")})
    _or_error(place, ModelUnavailable, lambda place: check_adapter(place, layer))


def _archive(data: bytes, folder: Path) -> None:
    """A damaged archive: pages that can be cited, or an error that names it; so when more is indexed."""
    file = folder / "archive.sqlite"
    for left in folder.glob(f"{file.name}*"):  # SQLite leaves a journal beside a file
        left.unlink()

    def search_and_add(file: Path) -> None:
        for page in list(Archive.open(file).search("Which bridge opened in 1932?", None, 5, Flaws())):
            orjson.dumps((page.url, page.sentences))
        Archive(file).add([Page(0, "https://a.example", ("It opened in 1933.",))])

    _or_error(_write(file, data), SearchError, search_and_add)


def _document(data: bytes, folder: Path) -> None:
    """A document, read in a worker: pages that can be cited."""
    suffix = seeds.ENDINGS[(data or b"\0")[0] % len(seeds.ENDINGS)]
    file = _write(folder / f"document{suffix}", data[1:])
    limits = Limits(seconds=2.0, memory=2**29)
    for page in (
        _or_error(file, DocumentsError, lambda file: list(read_documents([file], Flaws(), limits=limits))) or []
    ):
        assert page.text.strip() and file.name in page.url
        orjson.dumps((page.url, page.sentences))


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
    "adapter": Target(_adapter, seeds.ADAPTERS),
    "archive": Target(_archive, seeds.ARCHIVES),
    "documents": Target(_document, seeds.DOCUMENTS),
}
