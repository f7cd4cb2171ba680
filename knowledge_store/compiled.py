"""Compiled functions."""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a function at its first call, to machine code that does not hold the interpreter's lock.

    The code is kept beside the source, or in the user's cache folder, so that the first call on a machine takes
    seconds, the first call in a process some hundredths of one.
    """
    return cast(Function, njit(nogil=True, cache=True)(function))
