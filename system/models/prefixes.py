"""Keys and values of how prompts begin, kept for the next ones that begin alike.

Instructions and claim stand first in every prompt (``system.models.prompting``), so that they are read once. This is
the automatic prefix caching of vLLM and SGLang (Zheng et al., 2024, "SGLang", section 3), for plain caches.
"""

from typing import Any, NamedTuple

from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from system.models.constraints import common_prefix
from system.tasks.base import Adapter

SHARED = 16
"""Tokens that prompts must begin with alike before it pays to read them apart."""


class Prefix(NamedTuple):
    """What is read of a prompt: so many tokens, and their keys and values. Who reads on changes it."""

    length: int
    cache: Any


UNREAD = Prefix(0, None)


class Prefixes:
    """The prompts that were read last.

    Args:
        tokens: how many are kept, all prompts together.
    """

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._kept: dict[tuple[Adapter, tuple[int, ...]], list[tuple[Tensor, Tensor]]] = {}  # the latest last

    def find(self, adapter: Adapter, ids: list[int]) -> Prefix:
        """The longest known beginning of a prompt, without its last token: reading that tells what comes next."""
        lengths = {key: len(common_prefix([key[1], ids[:-1]])) for key in self._kept if key[0] == adapter}
        best = max(lengths, key=lengths.__getitem__, default=None)
        if best is None or lengths[best] < SHARED:
            return UNREAD
        layers = self._kept[best] = self._kept.pop(best)
        length = lengths[best]
        return Prefix(
            length, DynamicCache([(keys[..., :length, :], values[..., :length, :]) for keys, values in layers])
        )

    def keep(self, adapter: Adapter, ids: list[int], cache: Any) -> None:
        """Keep what was read of one prompt; a cache that forgets what is far back is not."""
        if len(ids) > self._tokens or not all(type(layer) is DynamicLayer for layer in cache.layers):
            return
        new = (adapter, tuple(ids))
        for known in [key for key in self._kept if key[0] == adapter and new[1][: len(key[1])] == key[1]]:
            del self._kept[known]
        self._kept[new] = [(layer.keys, layer.values) for layer in cache.layers]
        while sum(len(known) for _, known in self._kept) > self._tokens:
            del self._kept[next(iter(self._kept))]
