"""LoRA adapters merged into weights of their own, side by side: to change the adapter is to exchange pointers.

Beside the weights an adapter costs a layer two more products and its share of Python, at every step; merged, nothing.
The price is memory: each adapter keeps a copy of the layers that it changes.
"""

from collections.abc import Mapping
from typing import Any

from peft import PeftModel
from peft.tuners.lora import LoraLayer
from torch import Tensor

from system.tasks.base import Adapter


class MergedAdapters:
    """The weights of a model with each of its adapters, and without.

    Args:
        base: the model, whose layers are left as they were.
        adapters: folders in PEFT's format.
    """

    def __init__(self, base: Any, adapters: Mapping[Adapter, str]) -> None:
        weights = {name: _merged(base, folder) for name, folder in adapters.items()}
        changed = {layer for merged in weights.values() for layer in merged}
        self._layers = {name: module for name, module in base.named_modules() if name in changed}
        own = {name: layer.weight.data for name, layer in self._layers.items()}
        self._weights = {Adapter.NONE: own} | {name: own | merged for name, merged in weights.items()}
        self._now = Adapter.NONE

    def __contains__(self, adapter: Adapter) -> bool:
        return adapter is not Adapter.NONE and adapter in self._weights

    def use(self, adapter: Adapter) -> None:
        """Give the model the weights of an adapter; its own for one that is absent."""
        wanted = adapter if adapter in self else Adapter.NONE
        if wanted is not self._now:
            for name, layer in self._layers.items():
                layer.weight.data = self._weights[wanted][name]
            self._now = wanted


def _merged(base: Any, folder: str) -> dict[str, Tensor]:
    """Weights of the layers that an adapter changes, by the layer's name in the base model."""
    with_adapter = PeftModel.from_pretrained(base, folder)
    merged = {}
    for name, layer in with_adapter.get_base_model().named_modules():
        if isinstance(layer, LoraLayer):
            weight = layer.get_base_layer().weight.data
            delta = layer.get_delta_weight("default")  # type: ignore[attr-defined]
            merged[name] = (weight.float() + delta.float()).to(weight.dtype)
    with_adapter.unload()
    return merged
