"""One store for several claims, which a worker reads once: what each claim gets, and what a bad one does to them."""

import asyncio

import orjson
import pytest

from knowledge_store.isolation import Workers
from knowledge_store.settings import RetrievalSettings
from system.graph.records import Claim
from system.runner import ranking_pool
from system.runner.ranking_pool import RankingPool

TEXTS = ["The Aster bridge opened in 1932.", "A zebra crossed the Aster bridge.", "Nobody opened the bridge again."]
DATES = ["25-8-2020", "1-6-2021", ""]
CLAIMS = [Claim(id=i, text=text, date=day) for i, (text, day) in enumerate(zip(TEXTS, DATES, strict=True))]
PAGES = [
    {"url": "https://a.example/2021/01/05/bridge", "url2text": ["The Aster bridge opened in 1932.", "It is long."]},
    {"url": "https://b.example/", "url2text": ["Zebras cross every bridge.", "A zebra is no horse."]},
    {"url": "https://c.example/", "url2text": []},
]


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "store.json"
    path.write_bytes(b"\n".join(map(orjson.dumps, PAGES)) + b"\n{broken")
    return path


def ranked(pool, store, claims=CLAIMS):
    """Each claim's ranking where the store is shared."""

    async def rank_all():
        with pool.for_claims(store, claims) as rank:
            return await asyncio.gather(*map(rank, claims))

    return asyncio.run(rank_all())


@pytest.mark.parametrize("changes", [{}, {"later_pages": False}, {"claim_copies": False}, {"ranking_cache": "cache"}])
def test_each_claim_gets_what_it_gets_alone(store, monkeypatch, changes):
    monkeypatch.chdir(store.parent)
    with RankingPool(RetrievalSettings(chunk_size=40, chunk_overlap=5, **changes), 1, 60.0) as pool:
        shared = ranked(pool, store)
        alone = [asyncio.run(pool.rank(store, claim)) for claim in CLAIMS]
    for (ranking, failures), (expected, _) in zip(shared, alone, strict=True):
        assert (ranking.passages, ranking.scores) == (expected.passages, expected.scores)
        assert ranking.report == expected.report and ranking.report.flaws and not failures


def test_rankings_of_a_shared_store_are_cached(store, tmp_path):
    with RankingPool(RetrievalSettings(ranking_cache=str(tmp_path / "cache")), 1, 60.0) as pool:
        first, second = ranked(pool, store), ranked(pool, store)
    assert first == second  # the seconds included
    assert len(list((tmp_path / "cache").iterdir())) == len(CLAIMS)


def test_a_shared_store_that_takes_too_long_fails_all(store, monkeypatch):
    calls = []
    call = Workers.call
    monkeypatch.setattr(Workers, "call", lambda *work, **more: calls.append(work) or call(*work, **more))
    with RankingPool(RetrievalSettings(), 1, 1e-4) as pool:
        found = ranked(pool, store)
    for ranking, (failure,) in found:
        assert not ranking.passages and failure.unanswered
        assert failure.message == f"{store}: took over 0.0001 s"
    assert len(calls) == 1  # whoever waited does not wait again


def test_a_missing_shared_store_fails_each_claim_by_name(tmp_path):
    with RankingPool(RetrievalSettings(), 1, 60.0) as pool:
        found = ranked(pool, tmp_path / "absent.json")
    assert [[one.message for one in failures] for _, failures in found] == [
        [f"{tmp_path / 'absent.json'}: missing file"] for _ in CLAIMS
    ]


def test_a_store_that_takes_too_much_memory_is_named(store, monkeypatch):
    monkeypatch.setattr(ranking_pool, "MEMORY", 2**20)
    monkeypatch.setattr(ranking_pool, "PER_BYTE", 0)
    store.write_bytes(orjson.dumps({"url": "https://a.example/", "url2text": ["It opened in 1932. " * 2**20]}))
    with RankingPool(RetrievalSettings(), 1, 60.0) as pool:
        _, (failure,) = asyncio.run(pool.rank(store, CLAIMS[0]))
    assert failure.unanswered and failure.message.startswith(f"{store}: ")
