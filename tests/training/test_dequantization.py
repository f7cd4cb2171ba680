"""Each format against a packing that follows the format's description, value by value."""

import json

import pytest
import torch
from safetensors.torch import save_file

from tests.helpers.tiny_model import pack
from training import TrainingError
from training.dequantization import dequantize, dequantized
from training.finetuning.card import name_of

OUT, INPUTS, GROUP = 8, 16, 8
AWQ = {"quant_method": "awq", "version": "gemm", "bits": 4, "group_size": GROUP}


def words(values):
    """Int32 of eight values of a row each, the first in the lowest bits."""
    shifted = values.reshape(len(values), -1, 8).long() << (4 * torch.arange(8))
    return shifted.sum(-1).to(torch.int32)


def autoawq(q, zeros, scales):
    return {"a.qweight": pack(q.T), "a.qzeros": pack(zeros.T), "a.scales": scales.T}


def compressed(q, zeros, scales):
    packed = {"a.weight_packed": words(q), "a.weight_zero_point": words(zeros.T).T, "a.weight_scale": scales}
    return packed | {"a.weight_shape": torch.tensor(q.shape)}


@pytest.mark.parametrize("pack", [autoawq, compressed])
@pytest.mark.parametrize("seed", range(5))
def test_unpacks_the_packed_weights(pack, seed):
    chance = torch.Generator().manual_seed(seed)
    q, zeros = (torch.randint(16, (OUT, size), generator=chance) for size in (INPUTS, INPUTS // GROUP))
    scales = 2.0 ** torch.randint(-2, 2, zeros.shape, generator=chance)
    bias = torch.ones(OUT)
    found = dequantized(pack(q, zeros, scales) | {"a.bias": bias})
    expected = (q - zeros.repeat_interleave(GROUP, 1)) * scales.repeat_interleave(GROUP, 1)
    assert found.keys() == {"a.weight", "a.bias"} and found["a.bias"] is bias
    torch.testing.assert_close(found["a.weight"], expected, rtol=0, atol=0)


def checkpoint(folder, config):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    groups = (OUT, INPUTS // GROUP)
    packed = autoawq(torch.full((OUT, INPUTS), 3), torch.ones(groups), torch.full(groups, 0.5))
    save_file({name: tensor.contiguous() for name, tensor in packed.items()}, folder / "model.safetensors")
    (folder / "tokenizer.json").write_text("{}")
    return str(folder)


def test_a_checkpoint_becomes_a_model_without_quantization(tmp_path):
    model, base = checkpoint(tmp_path / "awq", {"hidden_size": 16, "quantization_config": AWQ}), tmp_path / "base"
    dequantize(model, base)
    assert json.loads((base / "config.json").read_text()) == {"hidden_size": 16, "dequantized_from": "awq"}
    assert name_of(str(base)) == "awq"  # what cards call the base
    index = json.loads((base / "model.safetensors.index.json").read_text())
    assert index["weight_map"] == {"a.weight": "model.safetensors"}
    assert (base / "tokenizer.json").exists()


@pytest.mark.parametrize("method", [None, {"quant_method": "gptq"}, AWQ | {"version": "gemv"}])
def test_rejects_another_format(tmp_path, method):
    model = checkpoint(tmp_path / "other", {"quantization_config": method})
    with pytest.raises(TrainingError, match="expected a 4-bit checkpoint of AutoAWQ"):
        dequantize(model, tmp_path / "base")
    assert not (tmp_path / "base").exists()


def test_names_a_missing_checkpoint(tmp_path):
    with pytest.raises(TrainingError, match="no/such/checkpoint: not found as a folder or on the model hub"):
        dequantize("no/such/checkpoint", tmp_path / "base")
    with pytest.raises(TrainingError, match=r"config\.json not found"):
        dequantize(str(tmp_path), tmp_path / "base")
