"""Progress bars on standard error."""

import sys
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm


def progress_bar(iterable: Iterable[Any] | None = None, *, disable: bool | None = False, **options: Any) -> "tqdm[Any]":
    """A bar of ``tqdm``, with its options; it shows nothing if the program has no standard error (``2>&-``)."""
    return tqdm(iterable, disable=disable if sys.stderr else True, **options)
