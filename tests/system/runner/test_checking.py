"""One way to check claims: a run, the library and a comparison agree, on a fake clock that makes time short."""

import asyncio
from functools import partial

import orjson
import pytest

from factgraph import FactChecker
from system.app.variants import ComparisonJournal, Variant, run_variants
from system.check import Engine
from system.models.scripted import ScriptedModel
from system.runner.checker import LocalChecker
from system.runner.checking import check_all
from system.strategies.debate.tasks import Argue
from tests.helpers import fake_time
from tests.helpers.bridge import CLAIM, PAGES, Answers, BagOfWords, settings_with

SECONDS = (110.0, 1.0, 1.0, 600.0, 1.0)  # of the first question of each claim
CLAIMS = [CLAIM.model_copy(update={"id": number}) for number in range(len(SECONDS))]


@pytest.fixture
def make_engine(slow_engine):
    return partial(slow_engine, SECONDS)


async def by_run(engine, folder):
    async with LocalChecker(engine, folder, CLAIMS) as checker:
        return [result async for result, _ in check_all(checker, CLAIMS, in_order=True)]


async def by_library(engine, folder):
    return [checked.result async for checked in FactChecker(engine=engine).acheck_many(CLAIMS, store=folder)]


async def by_comparison(engine, store):
    variants = [Variant("first", engine.settings), Variant("second", engine.settings)]
    folder = store if store.is_dir() else store.parent
    with ComparisonJournal(folder / "journal.jsonl", {}, resume=False) as journal:
        return (await run_variants(engine, variants, CLAIMS, store, 1, journal))["second"][0]


def test_run_library_and_comparison_agree(make_engine, tmp_path):
    short = {"run__budget": 60.0, "run__reserve": 0.0, "run__max_concurrent_claims": 2, "graph__depth": 1}
    given = []
    for check in (by_run, by_library, by_comparison):
        results = fake_time.run(check(make_engine(**short), tmp_path))
        given.append([(one.claim.id, one.verdict, one.timing.cut_short) for one in results])
    assert given[0] == given[1] == given[2]
    assert [cut for *_, cut in given[0]] == [False, False, False, True, False]  # 110 s are within what two share


def test_no_claim_takes_longer_than_the_limit(make_engine, tmp_path):
    short = {"run__budget": 60.0, "run__reserve": 0.0, "run__max_concurrent_claims": 2, "graph__depth": 1}
    results = fake_time.run(by_run(make_engine(**short, run__claim_limit=100.0), tmp_path))
    assert [one.timing.cut_short for one in results] == [True, False, False, True, False]


@pytest.mark.parametrize(("evidence", "runs"), [("none", 1), ("retrieved", 3)])
def test_only_what_samples_is_repeated(make_engine, tmp_path, evidence, runs):
    engine = make_engine(debate__evidence=evidence, graph__questions=2, run__budget=6e6)
    variants = [Variant("debatecv", engine.settings.model_copy(update={"strategy": "debatecv"}))]
    with ComparisonJournal(tmp_path / "journal.jsonl", {}, resume=False) as journal:
        found = fake_time.run(run_variants(engine, variants, CLAIMS[:2], tmp_path, 3, journal))
    assert [len(repeat) for repeat in found["debatecv"]] == [2] * runs
    argued = {(r.task.claim.id, r.seed) for r in engine.model.requests if isinstance(r.task, Argue)}
    assert len(argued) == 2 * runs


@pytest.mark.parametrize("check", [by_run, by_library, by_comparison])
def test_one_store_for_all_claims_is_read_once(tmp_path, check):
    store, answers = tmp_path / "store.json", Answers()
    store.write_bytes(b"\n".join(orjson.dumps({"url": url, "url2text": [text]}) for url, text in PAGES))

    def script(request):
        store.unlink(missing_ok=True)  # whoever opens it again finds nothing
        return answers(request)

    settings = settings_with(run__max_concurrent_claims=1, run__prefetch=1)  # so the last are not ranked yet
    results = asyncio.run(check(Engine(ScriptedModel(script), BagOfWords(), settings), store))
    assert [one.failures for one in results] == [()] * len(CLAIMS)
    assert not store.exists()
