"""The cache gives back what was ranked, and only for the same store, claim and settings."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from knowledge_store import ranking_cache
from knowledge_store.ranking import rank_store
from knowledge_store.ranking_cache import rank_store_or_recall
from knowledge_store.settings import RetrievalSettings

Write = Callable[..., Path]

PAGES = [["A bridge in Oslo."], ["नमस्ते दुनिया"], [], ["Fish."], ["fish."]]


@pytest.fixture
def ranked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The claims that were ranked, rather than recalled."""
    claims: list[str] = []

    def spy(path: Path, claim: str, *others: object) -> object:
        claims.append(claim)
        return rank_store(path, claim, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(ranking_cache, "rank_store", spy)
    return claims


@pytest.fixture
def settings(tmp_path: Path) -> RetrievalSettings:
    return RetrievalSettings(ranking_cache=str(tmp_path / "kept"))


def test_what_is_recalled_is_what_was_ranked(
    write_store: Write, settings: RetrievalSettings, ranked: list[str]
) -> None:
    path = write_store(*PAGES)
    first = rank_store_or_recall(path, "fish", settings)
    assert rank_store_or_recall(path, "fish", settings) == first
    assert ranked == ["fish"]


def test_another_claim_date_setting_or_store_is_ranked_anew(
    write_store: Write, settings: RetrievalSettings, ranked: list[str]
) -> None:
    path = write_store(*PAGES)
    rank_store_or_recall(path, "fish", settings)
    rank_store_or_recall(path, "bridge", settings)
    rank_store_or_recall(path, "fish", settings, date(2020, 1, 1))
    rank_store_or_recall(path, "fish", settings.model_copy(update={"chunk_size": 500}))
    path = write_store(*PAGES, ["A page more."])
    assert len(rank_store_or_recall(path, "fish", settings).passages) == 4
    assert ranked == ["fish", "bridge", "fish", "fish", "fish"]


def test_without_a_folder_nothing_is_kept(write_store: Write, ranked: list[str], tmp_path: Path) -> None:
    path = write_store(*PAGES)
    for _ in range(2):
        rank_store_or_recall(path, "fish", RetrievalSettings())
    assert ranked == ["fish", "fish"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_store_is_not_kept(settings: RetrievalSettings, tmp_path: Path) -> None:
    assert rank_store_or_recall(tmp_path / "7.json", "fish", settings).passages == ()
    assert not Path(settings.ranking_cache).exists()
