"""One way to check claims: a run and the library agree, on a fake clock that makes time short."""

import asyncio
from functools import partial

import orjson
import pytest

from factgraph import FactChecker
from system.check import Engine
from system.checker import each
from system.models.scripted import ScriptedModel
from system.runner.run import LocalChecker
from tests.helpers import fake_time
from tests.helpers.bridge import CLAIM, PAGES, Answers, BagOfWords, settings_with

SECONDS = (110.0, 1.0, 1.0, 600.0, 1.0)  # of the first question of each claim
CLAIMS = [CLAIM.model_copy(update={"id": number}) for number in range(len(SECONDS))]


@pytest.fixture
def make_engine(slow_engine):
    return partial(slow_engine, SECONDS)


async def by_run(engine, folder):
    async with LocalChecker(engine, folder, CLAIMS) as checker:
        return [result async for result, _ in each(checker.check, CLAIMS, checker.places, in_order=True)]


async def by_library(engine, folder):
    return [checked.result async for checked in FactChecker(engine=engine).acheck_many(CLAIMS, store=folder)]


def test_run_and_library_agree(make_engine, tmp_path):
    short = {"run__budget": 60.0, "run__max_concurrent_claims": 2, "graph__depth": 1}
    given = []
    for check in (by_run, by_library):
        results = fake_time.run(check(make_engine(**short), tmp_path))
        given.append([(one.claim.id, one.verdict, one.timing.cut_short) for one in results])
    assert given[0] == given[1]
    assert [cut for *_, cut in given[0]] == [False, False, False, True, False]  # 110 s are within what two share


@pytest.mark.parametrize("check", [by_run, by_library])
def test_one_store_for_all_claims_is_read_once(tmp_path, check):
    store, answers = tmp_path / "store.json", Answers()
    store.write_bytes(b"\n".join(orjson.dumps({"url": url, "url2text": [text]}) for url, text in PAGES))

    def script(request):
        store.unlink(missing_ok=True)  # whoever opens it again finds nothing
        return answers(request)

    settings = settings_with(run__max_concurrent_claims=1)  # so the last are not ranked yet
    results = asyncio.run(check(Engine(ScriptedModel(script), BagOfWords(), settings), store))
    assert [one.failures for one in results] == [()] * len(CLAIMS)
    assert not store.exists()
