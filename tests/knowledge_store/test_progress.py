"""A bar is shown where there is something to show it on."""

import sys

import pytest

from knowledge_store.progress import progress_bar


def test_without_a_standard_error_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert list(progress_bar([1, 2], disable=None)) == [1, 2]
    with progress_bar(total=2) as bar:
        bar.update()
