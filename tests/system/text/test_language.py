"""Languages that a model does not read."""

import errno
import logging
from collections.abc import Iterator

import pytest

from system.text import language
from system.text.language import other_language

GERMAN = "Die Brücke wurde 1931 für den Verkehr geöffnet."


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    caches = language._identifier, language.other_language
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_a_full_disk_costs_the_language_and_nothing_else(monkeypatch, caplog) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("py3langid.langid.LanguageIdentifier.from_modelpath", full)
    with caplog.at_level(logging.WARNING):
        assert [other_language(GERMAN, "en") for _ in range(2)] == ["", ""]
    assert [record.getMessage() for record in caplog.records] == [
        "cannot tell languages (No space left on device); make room for temporary files, see TMPDIR"
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "de"), ("Le pont fut ouvert en 1932.", "fr"), ("El puente se abrió en 1932.", "es"),
        ("A ponte foi aberta em 1932.", "pt"), ("Anna Berg got 900 votes.", ""), ("2019 41,200 2020 12,900 x", ""),
    ],
)  # fmt: skip
def test_another_language_is_told_where_it_is_sure(text, language) -> None:
    assert other_language(text, "en") == language
