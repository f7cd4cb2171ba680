"""One store for several claims, which a worker reads once: what each claim gets, and what a bad one does to them."""

import asyncio

import orjson
import pytest

from knowledge_store.isolation import TookTooLong, Workers
from system import collection
from system.collection import StoreCollection, document_collection
from system.graph.records import Claim
from tests.helpers.bridge import settings_with

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


def settings(**retrieval):
    return settings_with(retrieval=retrieval, run__workers=1)


def ranked(collection, claims=CLAIMS):
    """Each claim's ranking by a collection that is opened for all."""

    async def rank_all():
        await collection.open(claims)
        try:
            return await asyncio.gather(*map(collection.rank, claims))
        finally:
            collection.close()

    return asyncio.run(rank_all())


@pytest.mark.parametrize("changes", [{}, {"later_pages": False}])
def test_each_claim_gets_what_it_gets_alone(store, monkeypatch, changes):
    monkeypatch.chdir(store.parent)
    collection = StoreCollection(store, settings(chunk_size=40, **changes))
    alone = [found for claim in CLAIMS for found in ranked(collection, [claim])]
    for one, expected in zip(ranked(collection), alone, strict=True):
        assert one.store.passages == expected.store.passages
        assert one.store.report == expected.store.report and one.store.report.flaws and not one.failures


def test_a_shared_store_that_takes_too_long_fails_all(store, monkeypatch):
    calls = []

    def call(*work, **_):
        calls.append(work)
        raise TookTooLong("took over 4 s")

    monkeypatch.setattr(Workers, "call", call)
    for one in ranked(StoreCollection(store, settings())):
        assert not one.store.passages and one.failures[0].unanswered
        assert one.failures[0].message == f"{store}: took over 4 s"
    assert len(calls) == 1  # claims that wait for it do not wait again


def test_a_missing_shared_store_fails_each_claim_by_name(tmp_path):
    found = ranked(StoreCollection(tmp_path / "absent.json", settings()))
    messages = [[failure.message for failure in one.failures] for one in found]
    assert messages == [[f"{tmp_path / 'absent.json'}: missing file"]] * len(CLAIMS)


def test_a_store_that_takes_too_much_memory_is_named(store, monkeypatch):
    monkeypatch.setattr(collection, "MEMORY", 2**20)
    monkeypatch.setattr(collection, "PER_BYTE", 0)
    store.write_bytes(orjson.dumps({"url": "https://a.example/", "url2text": ["It opened in 1932. " * 2**20]}))
    (one,) = ranked(StoreCollection(store, settings()), CLAIMS[:1])
    assert one.failures[0].unanswered and one.failures[0].message.startswith(f"{store}: ")


def test_warnings_go_to_the_claim_whose_own_documents_they_are_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (both := ["left.txt", "right.pdf"]):
        tmp_path.joinpath(name).write_text("The café opened in 1932.", "cp1252")

    async def warnings(*cases):
        opened = (document_collection(names, settings(), own=own) for names, own in cases)
        return [found.warnings for found in await asyncio.gather(*(one.ranked(CLAIMS[0]) for one in opened))]

    (one,), (two, three), none = asyncio.run(warnings((both[:1], True), (both, True), (both, False)))
    assert one == two == "left.txt: not UTF-8, read as cp1252" and three.startswith("right.pdf: skipped") and not none
