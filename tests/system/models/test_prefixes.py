"""How prompts begin, kept for the next ones."""

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicSlidingWindowLayer

from system.models.prefixes import SHARED, UNREAD, Prefixes
from system.tasks.base import Adapter

IDS = list(range(100, 140))


def cache_of(ids):
    """A cache of two layers whose keys and values tell the tokens."""
    keys = torch.tensor(ids, dtype=torch.float32)[None, None, :, None]
    return DynamicCache([(keys + layer, -keys - layer) for layer in range(2)])


def kept(*prompts, tokens=1000):
    prefixes = Prefixes(tokens)
    for ids in prompts:
        prefixes.keep(Adapter.NONE, ids, cache_of(ids))
    return prefixes


def test_the_longest_common_beginning_is_found():
    prefixes = kept([*IDS, 1, 2], [*IDS[:30], 3])
    length, cache = prefixes.find(Adapter.NONE, [*IDS, 9, 9])
    assert length == len(IDS)
    for layer, number in zip(cache.layers, range(2), strict=True):
        assert layer.keys.flatten().tolist() == [token + number for token in IDS]
        assert layer.values.flatten().tolist() == [-token - number for token in IDS]


def test_the_last_token_is_left_to_be_read():
    assert kept(IDS).find(Adapter.NONE, IDS).length == len(IDS) - 1


def test_nothing_is_found_for_another_adapter_or_a_short_beginning():
    prefixes = kept(IDS)
    assert prefixes.find(Adapter.VERDICT_PREDICTION, IDS) is UNREAD
    assert prefixes.find(Adapter.NONE, [*IDS[: SHARED - 1], 0, 0]) is UNREAD
    assert prefixes.find(Adapter.NONE, [*IDS[:SHARED], 0, 0]).length == SHARED
    assert kept().find(Adapter.NONE, IDS) is UNREAD


def test_reading_on_leaves_what_is_kept_as_it_was():
    prefixes = kept(IDS)
    cache = prefixes.find(Adapter.NONE, [*IDS, 1]).cache
    more = torch.zeros(1, 1, 3, 1)
    cache.update(more, more, 0)
    cache.batch_repeat_interleave(4)
    again = prefixes.find(Adapter.NONE, [*IDS, 1]).cache
    assert again.layers[0].keys.shape == (1, 1, len(IDS), 1)


def test_what_was_used_last_is_kept():
    one, two, three = ([number] * 20 for number in (1, 2, 3))
    prefixes = kept(one, two, tokens=40)
    assert prefixes.find(Adapter.NONE, [*one, 0]).length == 20
    prefixes.keep(Adapter.NONE, three, cache_of(three))
    assert [prefixes.find(Adapter.NONE, [*ids, 0]).length for ids in (one, two, three)] == [20, 0, 20]


def test_a_prompt_takes_the_place_of_its_own_beginning():
    prefixes = kept(IDS[:20], IDS, tokens=len(IDS))
    assert prefixes.find(Adapter.NONE, [*IDS, 0]).length == len(IDS)


def test_a_cache_that_forgets_is_not_kept():
    cache = cache_of(IDS)
    cache.layers[1] = DynamicSlidingWindowLayer(sliding_window=8)
    prefixes = Prefixes(1000)
    prefixes.keep(Adapter.NONE, IDS, cache)
    assert prefixes.find(Adapter.NONE, [*IDS, 0]) is UNREAD


def test_no_more_tokens_are_kept_than_asked_for():
    assert kept(IDS, tokens=len(IDS) - 1).find(Adapter.NONE, [*IDS, 0]) is UNREAD
