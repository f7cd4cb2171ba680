"""Progress bars on standard error."""

import sys
from collections.abc import Iterable
from typing import Any, NoReturn, TypeVar, overload

from tqdm import tqdm

T = TypeVar("T")


@overload
def progress_bar(iterable: Iterable[T], *, disable: bool | None = False, **options: Any) -> "tqdm[T]": ...
@overload
def progress_bar(iterable: None = None, *, disable: bool | None = False, **options: Any) -> "tqdm[NoReturn]": ...
def progress_bar(iterable: Any = None, *, disable: bool | None = False, **options: Any) -> "tqdm[Any]":
    """A bar of ``tqdm``, with its options; it shows nothing if the program has no standard error (``2>&-``)."""
    return tqdm(iterable, disable=disable if sys.stderr else True, **options)
