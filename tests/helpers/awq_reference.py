"""AutoAWQ's GEMM format read nibble by nibble, after its documentation: independent of the code that writes it."""

import numpy as np
import torch
from safetensors.torch import load_file

_PLACE = {0: 0, 2: 1, 4: 2, 6: 3, 1: 4, 3: 5, 5: 6, 7: 7}  # column of eight -> place in the word, lowest first


def dequantize(qweight, qzeros, scales, group=128):
    """Weight (out, in) float32 of a packed linear layer."""

    def unpack(words):
        words = words.numpy().view(np.uint32)
        columns = [(words >> (4 * _PLACE[column])) & 15 for column in range(8)]
        return np.stack(columns, axis=-1).reshape(words.shape[0], -1).astype(np.float32)

    q, zeros = unpack(qweight), unpack(qzeros)
    rows = np.arange(q.shape[0]) // group
    return ((q - zeros[rows]) * scales.float().numpy()[rows]).T


def dequantized_weights(folder):
    """State dict in float32 of a saved AWQ model."""
    packed = load_file(folder / "model.safetensors")
    layers = {name.removesuffix(".qweight") for name in packed if name.endswith(".qweight")}
    state = {name: tensor.float() for name, tensor in packed.items() if name.rpartition(".")[0] not in layers}
    for layer in layers:
        weight = dequantize(*(packed[f"{layer}.{part}"] for part in ("qweight", "qzeros", "scales")))
        state[f"{layer}.weight"] = torch.from_numpy(np.ascontiguousarray(weight))
        if f"{layer}.bias" in packed:
            state[f"{layer}.bias"] = packed[f"{layer}.bias"].float()
    return state
