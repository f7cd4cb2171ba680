"""The cache gives back what was ranked, and only for the same store, claim and settings."""

from collections.abc import Callable
from datetime import date
from errno import ENOSPC
from pathlib import Path

import pytest

from knowledge_store import ranking
from knowledge_store.bm25.passages import Candidates
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings

Write = Callable[..., Path]

PAGES = [["A bridge in Oslo."], ["नमस्ते दुनिया"], [], ["Fish."], ["fish."]]


@pytest.fixture
def ranked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The claims that were ranked, rather than recalled."""
    claims: list[str] = []

    class Spy(Candidates):
        def __init__(self, claim: str, settings: RetrievalSettings) -> None:
            claims.append(claim)
            super().__init__(claim, settings)

    monkeypatch.setattr(ranking, "Candidates", Spy)
    return claims


@pytest.fixture
def settings(tmp_path: Path) -> RetrievalSettings:
    return RetrievalSettings(ranking_cache=str(tmp_path / "kept"))


def test_what_is_recalled_is_what_was_ranked(
    write_store: Write, settings: RetrievalSettings, ranked: list[str]
) -> None:
    path = write_store(*PAGES)
    first = rank(path, "fish", settings)
    assert rank(path, "fish", settings) == first
    assert ranked == ["fish"]


def test_ranks_again_for_another_claim_date_setting_or_store(
    write_store: Write, settings: RetrievalSettings, ranked: list[str]
) -> None:
    path = write_store(*PAGES)
    rank(path, "fish", settings)
    rank(path, "bridge", settings)
    rank(path, "fish", settings, date(2020, 1, 1))
    rank(path, "fish", settings.model_copy(update={"chunk_size": 500}))
    path = write_store(*PAGES, ["A page more."])
    assert len(rank(path, "fish", settings).passages) == 4
    assert ranked == ["fish", "bridge", "fish", "fish", "fish"]


def test_without_a_folder_nothing_is_kept(write_store: Write, ranked: list[str], tmp_path: Path) -> None:
    path = write_store(*PAGES)
    for _ in range(2):
        rank(path, "fish", RetrievalSettings())
    assert ranked == ["fish", "fish"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_store_is_not_kept(settings: RetrievalSettings, tmp_path: Path) -> None:
    assert rank(tmp_path / "7.json", "fish", settings).passages == ()
    assert not Path(settings.ranking_cache).exists()


@pytest.mark.parametrize("damage", [b"", b"[", b"[]", b"\0\0", b"{}"])
def test_a_damaged_ranking_is_made_again(
    write_store: Write, settings: RetrievalSettings, ranked: list[str], damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_store(*PAGES)
    first = rank(path, "fish", settings)
    (kept,) = Path(settings.ranking_cache).iterdir()
    kept.write_bytes(damage)
    assert rank(path, "fish", settings).passages == first.passages
    assert rank(path, "fish", settings).passages == first.passages
    assert ranked == ["fish", "fish"], "the second replaces the damaged one"
    assert f"{kept}: the kept ranking cannot be read" in caplog.text


def test_a_ranking_that_cannot_be_kept_is_a_warning(
    write_store: Write, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        assert rank(write_store(*PAGES), "fish", RetrievalSettings(ranking_cache=str(folder))).passages
    assert caplog.text.count("the ranking is not kept") == 2


def test_a_full_disk_leaves_no_part_of_a_ranking(
    write_store: Write, settings: RetrievalSettings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert rank(write_store(*PAGES), "fish", settings).passages
    assert list(Path(settings.ranking_cache).iterdir()) == []
    assert "the ranking is not kept (No space left on device)" in caplog.text


def test_half_a_surrogate_pair_in_a_claim_is_no_obstacle(write_store: Write, settings: RetrievalSettings) -> None:
    assert rank(write_store(*PAGES), "fish \ud83d", settings).passages
