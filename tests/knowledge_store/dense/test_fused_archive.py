"""An archive finds by words and by vectors."""

import multiprocessing
import os
import resource
import sqlite3
import sys
from contextlib import closing
from hashlib import blake2b

import numpy as np
import pytest

from knowledge_store.dense import archive as module
from knowledge_store.dense.archive import OpenBookSearch, add_vectors, encoder_of
from knowledge_store.pages.page import Flaws, Page
from knowledge_store.ranking import OpenBook
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive
from knowledge_store.settings import RetrievalSettings
from tests.helpers.word_encoder import BagOfWords

pytest.importorskip("faiss", reason="needs faiss-cpu")
SETTINGS = RetrievalSettings()
TEXTS = ("The automobile stopped.", "A car was red.", "Bananas are yellow.", "It rained in Oslo.")


class Synonyms(BagOfWords):
    """Knows that a car is an automobile."""

    def encode_queries(self, texts):
        return super().encode_queries([text.replace("automobile", "car") for text in texts])


def pages(texts):
    return [Page(number, f"https://{number}.example/", (text,)) for number, text in enumerate(texts)]


@pytest.fixture
def archive(tmp_path):
    archive = Archive(tmp_path / "a.sqlite")
    archive.add(pages(TEXTS))
    assert add_vectors(archive, Synonyms(), SETTINGS) == 4
    return archive


@pytest.fixture(autouse=True)
def fresh():
    """Forget the indexes that this process has open, and what it warned of."""
    module._index.cache_clear()
    module._warn_once.cache_clear()


def searching(archive, settings=SETTINGS):
    return OpenBookSearch(OpenBook(archive.path, "", None), settings, BagOfWords.dimension)


def found(archive, query, limit=10):
    return [page.url[8:-9] for page in searching(archive).find(query, Synonyms().encode_queries([query])[0], limit)]


def test_finds_what_shares_no_word_with_the_query(archive):
    assert [page.url for page in archive.search("automobile", None, 10, Flaws())] == ["https://0.example/"]
    assert found(archive, "automobile", 2) == ["0", "1"]


def test_what_both_ways_find_comes_first(archive):
    archive.add([Page(9, "https://9.example/", ("Oslo Oslo Oslo",))])
    assert found(archive, "it rained in Oslo")[:2] == ["3", "9"], "found by words although it has no vector yet"


def test_without_faiss_the_extra_is_named(archive, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(SearchError, match=r"needs FAISS; install it with: pip install '\.\[archive\]'"):
        add_vectors(archive, Synonyms(), SETTINGS)


def test_a_page_that_changes_loses_its_vectors(archive):
    archive.add([Page(2, "https://2.example/", ("A car crashed.",)), Page(4, "https://4.example/", ("My car.",))])
    assert found(archive, "yellow bananas", 1) != ["2"]
    assert add_vectors(archive, Synonyms(), SETTINGS) == 2
    assert sorted(found(archive, "automobile", 4)) == ["0", "1", "2", "4"]


def test_embedding_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PAGES", 1)
    archive = Archive(tmp_path / "a.sqlite")
    archive.add(pages(TEXTS))

    class Stopped(Synonyms):
        def encode(self, texts):
            if len(self.embedded) == 2:
                raise KeyboardInterrupt
            return super().encode(texts)

    with pytest.raises(KeyboardInterrupt):
        add_vectors(archive, Stopped(), SETTINGS)
    encoder = Synonyms()
    assert add_vectors(archive, encoder, SETTINGS) == 2
    assert encoder.embedded == [*TEXTS[2:]]
    assert found(archive, "automobile", 2) == ["0", "1"]


def test_a_full_disk_keeps_what_is_written_and_goes_on_later(tmp_path):
    archive = Archive(tmp_path / "a.sqlite")
    archive.add(pages(TEXTS))
    many = pages([f"page{number} " * 200 for number in range(300)])

    def on_a_small_disk():
        size = archive.path.stat().st_size + 20_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        with pytest.raises(SearchError, match="make room"):
            archive.add(many)
        os._exit(0)

    process = multiprocessing.get_context("fork").Process(target=on_a_small_disk)
    process.start()
    process.join()
    assert process.exitcode == 0
    assert archive.add(many) == (296, 4)


class Hashed(BagOfWords):
    """Gives every text a direction of its own."""

    def encode_queries(self, texts):
        seeds = [int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") for text in texts]
        drawn = [np.random.default_rng(seed).standard_normal(self.dimension, dtype=np.float32) for seed in seeds]
        return np.array([vector / np.linalg.norm(vector) for vector in drawn])


def test_every_page_is_the_nearest_to_its_own_text(tmp_path):
    archive, encoder = Archive(tmp_path / "a.sqlite"), Hashed()
    texts = [f"number{number}" for number in range(200)]
    archive.add(pages(texts[:-1]))
    for wanted in (texts[:-1:9], texts[-1:]):  # made, then added to
        archive.add(pages(texts)[-1:] if wanted == texts[-1:] else [])
        add_vectors(archive, encoder, SETTINGS)
        for text, vector in zip(wanted, encoder.encode_queries(wanted), strict=True):
            assert [page.text for page in searching(archive).find("", vector, 1)] == [text]


@pytest.mark.parametrize("harm", ["UPDATE vectors SET vector = x'00'", "UPDATE vectors SET vector = 7"])
def test_vectors_that_cannot_be_read_leave_the_search_by_words(archive, harm, caplog):
    with closing(sqlite3.connect(archive.path)) as connection, connection:
        connection.execute(harm)
    assert found(archive, "yellow bananas", 2) == ["2"]
    assert "searched by words alone" in caplog.text and "the file is damaged" in caplog.text


def test_vectors_of_another_encoder_are_refused_and_not_used(archive, caplog):
    other = RetrievalSettings(encoder="another")
    with pytest.raises(SearchError, match=r"expected vectors of another .* has those of all-MiniLM-L6-v2"):
        add_vectors(archive, Synonyms(), other)
    vector = Synonyms().encode_queries(["automobile"])[0]
    assert [page.number for page in searching(archive, other).find("automobile", vector)] == [1]
    assert "searched by words alone" in caplog.text
    assert encoder_of(archive) == SETTINGS.encoder
