"""The time of a run on a fake clock, where the mean over the run counts; and that a run and the library agree."""

import asyncio

import orjson
import pytest

from factgraph import FactChecker
from system.checker import each
from system.collection import Ranked, StoreCollection
from system.graph.records import Label
from system.runner.run import LocalChecker
from system.settings import CLAIM_LIMIT
from system.strategies.steps.tasks import AskQuestion
from tests.helpers import fake_time
from tests.helpers.bridge import CLAIM, PAGES, Answers, engine_of, store_of


def claims_of(count):
    return [CLAIM.model_copy(update={"id": number}) for number in range(count)]


async def by_run(engine, store, count):
    claims = claims_of(count)
    async with LocalChecker(engine, store, claims) as checker:
        return [result async for result, _ in each(checker.check, claims, checker.places, in_order=True)]


async def by_library(engine, store, count):
    return [checked.result async for checked in FactChecker(engine=engine).acheck_many(claims_of(count), store=store)]


@pytest.fixture
def check_claims(monkeypatch, tmp_path):
    """Check claims, two at a time, the first question of each in so many seconds: results, and the run's seconds.

    Stores are ranked in no time.
    """

    async def ranked(*_):
        return Ranked(store_of(PAGES))

    monkeypatch.setattr(StoreCollection, "rank", ranked)
    monkeypatch.setattr("system.check.RESERVE", 0.0)
    answers = Answers()

    def check(*seconds, door=by_run, places=2):
        async def script(request):
            if isinstance(request.task, AskQuestion):
                await asyncio.sleep(seconds[request.task.claim.id])
            return answers(request)

        async def run():
            engine = engine_of(script, graph__depth=1, run__budget=60.0, run__max_concurrent_claims=places)
            results = await door(engine, tmp_path, len(seconds))
            return results, asyncio.get_running_loop().time()

        return fake_time.run(run())

    return check


def test_does_not_cut_claims_while_the_run_is_ahead(check_claims):
    """Two in flight have two minutes each, and more once others begin after fast ones."""
    results, seconds = check_claims(150.0, 1.0, 1.0, 1.0, 200.0)
    assert not any(result.timing.cut_short for result in results)
    assert [result.verdict.label for result in results] == [Label.SUPPORTED] * 5
    assert seconds == 203.0


def test_keeps_the_mean_where_every_claim_is_slow(check_claims):
    results, seconds = check_claims(*[600.0] * 6)
    assert all(result.timing.cut_short for result in results)
    assert seconds == pytest.approx(6 * 60.0)


@pytest.mark.parametrize(("places", "longest"), [(2, 2 * 2 * 60.0), (8, CLAIM_LIMIT)])
def test_a_hanging_claim_ends_even_if_the_run_is_far_ahead(check_claims, places, longest):
    results, seconds = check_claims(*[1.0] * 100, 1e9, *[1.0] * 100, places=places)
    assert [result.claim.id for result in results if result.timing.cut_short] == [100]
    assert results[100].timing.seconds == pytest.approx(longest)
    assert seconds == pytest.approx(100 // places + longest)


def test_run_and_library_agree(check_claims):
    run, library = (check_claims(110.0, 1.0, 1.0, 600.0, 1.0, door=door)[0] for door in (by_run, by_library))
    assert [one.verdict for one in run] == [one.verdict for one in library]
    for results in (run, library):
        assert [one.timing.cut_short for one in results] == [False, False, False, True, False]


@pytest.mark.parametrize("door", [by_run, by_library])
def test_one_store_for_all_claims_is_read_once(tmp_path, door):
    store, answers = tmp_path / "store.json", Answers()
    store.write_bytes(b"\n".join(orjson.dumps({"url": url, "url2text": [text]}) for url, text in PAGES))

    def script(request):
        store.unlink(missing_ok=True)  # whoever opens it again finds nothing
        return answers(request)

    engine = engine_of(script, run__max_concurrent_claims=1)  # so the last are not ranked yet
    results = asyncio.run(door(engine, store, 5))
    assert [one.failures for one in results] == [()] * 5
    assert not store.exists()
