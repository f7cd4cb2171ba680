"""Fixtures of the runner's tests."""

import asyncio

import orjson
import pytest

from system.check import Engine
from system.collection import Ranked, StoreCollection
from system.models.scripted import ScriptedModel
from system.strategies.steps.tasks import AskQuestion
from tests.helpers.bridge import PAGES, Answers, BagOfWords, settings_with, store_of
from tests.helpers.bridge_run import CLAIMS


@pytest.fixture
def folder(tmp_path):
    """An output folder with a store for each claim of ``bridge_run.py``."""
    stores = tmp_path / "stores"
    stores.mkdir()
    for claim in CLAIMS:
        lines = [{"claim_id": str(claim.id), "url": url, "url2text": [text]} for url, text in PAGES]
        (stores / f"{claim.id}.json").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    return tmp_path


@pytest.fixture
def slow_engine(monkeypatch):
    """Engines that rank in no time, and ask the first question of each claim in so many seconds."""

    async def ranked(*_):
        return Ranked(store_of(PAGES))

    monkeypatch.setattr(StoreCollection, "rank", ranked)
    monkeypatch.setattr("system.check.RESERVE", 0.0)
    answers = Answers()

    def engine(seconds, **changes):
        async def script(request):
            if isinstance(request.task, AskQuestion):
                await asyncio.sleep(seconds[request.task.claim.id])
            return answers(request)

        return Engine(ScriptedModel(script), BagOfWords(), settings_with(**changes))

    return engine
