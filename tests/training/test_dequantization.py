"""Each format against a packing of its own that follows the format's description, value by value."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from training import TrainingError
from training.dequantization import dequantize, dequantized
from training.finetuning.card import name_of

OUT, INPUTS, GROUP = 8, 16, 8
AWQ = {"quant_method": "awq", "version": "gemm", "bits": 4, "group_size": GROUP}


def word(nibbles):
    """An int32 of eight values, the first in the lowest bits."""
    value = sum(nibble << (4 * place) for place, nibble in enumerate(nibbles))
    return value - 2**32 if value >= 2**31 else value


def rows_of_words(values):
    return torch.tensor([[word(row[i : i + 8]) for i in range(0, len(row), 8)] for row in values], dtype=torch.int32)


def expected(q, zeros, scales):
    """Weight (out, in); q (out, in), zeros and scales (out, groups)."""
    rows = range(OUT)
    return torch.tensor(
        [[(q[o][i] - zeros[o][i // GROUP]) * scales[o][i // GROUP] for i in range(INPUTS)] for o in rows]
    )


def matrix(rows, columns, values):
    return st.lists(st.lists(values, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


nibbles = st.integers(0, 15)
scale = st.sampled_from([0.25, 0.5, 1.0, 2.0])
layers = st.tuples(
    matrix(OUT, INPUTS, nibbles), matrix(OUT, INPUTS // GROUP, nibbles), matrix(OUT, INPUTS // GROUP, scale)
)


def transposed(values):
    return [list(column) for column in zip(*values, strict=True)]


def interleaved(row):
    """AutoAWQ's order: the even ones of eight columns, then the odd ones."""
    return [row[i + place] for i in range(0, len(row), 8) for place in (0, 2, 4, 6, 1, 3, 5, 7)]


def autoawq(q, zeros, scales):
    return {
        "a.qweight": rows_of_words([interleaved(row) for row in transposed(q)]),
        "a.qzeros": rows_of_words([interleaved(row) for row in transposed(zeros)]),
        "a.scales": torch.tensor(transposed(scales)),
    }


def compressed(q, zeros, scales):
    return {
        "a.weight_packed": rows_of_words(q),
        "a.weight_zero_point": rows_of_words(transposed(zeros)).T.contiguous(),
        "a.weight_scale": torch.tensor(scales),
        "a.weight_shape": torch.tensor([OUT, INPUTS]),
    }


@pytest.mark.parametrize("pack", [autoawq, compressed])
@given(layer=layers)
def test_unpacks_the_packed_weights(pack, layer):
    bias = torch.ones(OUT)
    found = dequantized(pack(*layer) | {"a.bias": bias})
    assert found.keys() == {"a.weight", "a.bias"}
    torch.testing.assert_close(found["a.weight"], expected(*layer), rtol=0, atol=0)


def checkpoint(folder, config):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    layer = ([[3] * INPUTS] * OUT, [[1, 1]] * OUT, [[0.5, 0.5]] * OUT)
    save_file(autoawq(*layer), folder / "model.safetensors")
    (folder / "tokenizer.json").write_text("{}")
    return str(folder)


def test_a_checkpoint_becomes_a_model_without_quantization(tmp_path):
    model = checkpoint(tmp_path / "awq", {"hidden_size": 16, "quantization_config": AWQ})
    dequantize(model, tmp_path / "base")
    assert json.loads((tmp_path / "base" / "config.json").read_text()) == {"hidden_size": 16, "dequantized_from": "awq"}
    assert name_of(str(tmp_path / "base")) == "awq"  # what cards call the base
    index = json.loads((tmp_path / "base" / "model.safetensors.index.json").read_text())
    assert index["weight_map"] == {"a.weight": "model.safetensors"}
    assert (tmp_path / "base" / "tokenizer.json").exists()


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
