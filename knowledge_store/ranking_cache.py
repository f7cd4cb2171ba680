"""Rankings kept on disk, so that a store need not be read again for the same claim and settings."""

from dataclasses import asdict
from datetime import date
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import orjson

from knowledge_store.passages import Passage
from knowledge_store.ranking import RankedStore, rank_store
from knowledge_store.reading import Flaw, ReadingReport
from knowledge_store.settings import RetrievalSettings

VERSION = 1  # of the first stage: raised when it ranks otherwise, so that what is kept is made anew


def rank_store_or_recall(path: Path, claim: str, settings: RetrievalSettings, day: date | None = None) -> RankedStore:
    """Rank a store, or recall how it was ranked before, where ``settings.ranking_cache`` names a folder.

    What is recalled says how long ranking took then. A store that was written to since, or whose path is another, is
    ranked anew. See ``rank_store``.
    """
    if not settings.ranking_cache or not path.is_file():
        return rank_store(path, claim, settings, day)
    kept = Path(settings.ranking_cache) / f"{_key(path, claim, settings, day)}.json"
    if kept.is_file():
        return _read(kept.read_bytes())
    ranked = rank_store(path, claim, settings, day)
    _write(kept, orjson.dumps(asdict(ranked), option=orjson.OPT_NON_STR_KEYS))
    return ranked


def _key(path: Path, claim: str, settings: RetrievalSettings, day: date | None) -> str:
    file = path.stat()
    state = [VERSION, str(path.resolve()), file.st_size, file.st_mtime_ns, claim, day]
    return blake2b(
        orjson.dumps([*state, settings.model_dump(mode="json", exclude={"ranking_cache"})]), digest_size=16
    ).hexdigest()


def _read(data: bytes) -> RankedStore:
    kept: dict[str, Any] = orjson.loads(data)
    report = kept["report"]
    return RankedStore(
        passages=tuple(Passage(**passage) for passage in kept["passages"]),
        scores=tuple(kept["scores"]),
        report=ReadingReport(**{**report, "flaws": {Flaw(name): count for name, count in report["flaws"].items()}}),
        seconds=kept["seconds"],
    )


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: several processes may share the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    Path(file.name).replace(path)
