import json
from pathlib import Path

import pytest
import torch
from safetensors.numpy import save_file
from torch import nn

from system.models.adapters import NORM, base_mark, check_adapters, mark_adapter
from system.models.base import ModelUnavailable
from system.tasks.base import Adapter

ALL = [adapter for adapter in Adapter if adapter is not Adapter.NONE]


def write_adapter(folder, rank=4, inputs=8, outputs=6, module="model.q_proj"):
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"r": rank}))
    matrices = {"A": torch.zeros(rank, inputs), "B": torch.zeros(outputs, rank)}
    tensors = {f"base_model.model.{module}.lora_{name}.weight": m.numpy() for name, m in matrices.items()}
    save_file(tensors, folder / "adapter_model.safetensors")
    return str(folder)


@pytest.fixture
def base():
    return nn.ModuleDict({"model": nn.ModuleDict({"q_proj": nn.Linear(8, 6, device="meta")})})


def test_fitting_adapters_pass_silently(base, tmp_path, caplog):
    check_adapters(dict.fromkeys(ALL, write_adapter(tmp_path / "a")), base)
    assert not caplog.records


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"inputs": 16}, r"lora_A.weight has shape \(4, 16\), the base model needs \(4, 8\)"),
        ({"outputs": 5}, r"lora_B.weight has shape \(5, 4\), the base model needs \(6, 4\)"),
        ({"module": "model.layers.9.q_proj"}, "matches no linear layer of the base model"),
    ],
)
def test_adapter_of_another_base_is_refused(base, tmp_path, wrong, fault):
    folder = write_adapter(tmp_path / "a", **wrong)
    with pytest.raises(ModelUnavailable, match=f"adapter verdict_prediction in .*: .*{fault}.*; train or give one"):
        check_adapters({Adapter.VERDICT_PREDICTION: folder}, base)


def test_an_adapter_of_another_base_of_the_same_shape_is_refused(base, tmp_path):
    for number, name in enumerate(("mine", "other"), start=1):
        (tmp_path / name).mkdir()
        save_file({NORM: torch.full((8,), float(number)).numpy()}, tmp_path / name / "model.safetensors")
    mark = base_mark(str(tmp_path / "mine"))
    folder = write_adapter(tmp_path / "a")
    adapters = dict.fromkeys(ALL, folder)
    check_adapters(adapters, base, mark)  # it does not say
    mark_adapter(Path(folder), str(tmp_path / "mine"))
    check_adapters(adapters, base, mark)
    check_adapters(adapters, base)
    mark_adapter(Path(folder), str(tmp_path / "other"))
    with pytest.raises(ModelUnavailable, match=f"it was trained on another base model .* this one has {mark:.12}"):
        check_adapters(adapters, base, mark)


def test_a_mark_survives_a_change_of_precision(tmp_path):
    norm = torch.tensor([0.5, 1.25, -3.0])
    for name, tensor in (("full", norm), ("half", norm.half())):
        (tmp_path / name).mkdir()
        save_file({NORM: tensor.numpy()}, tmp_path / name / "model.safetensors")
    assert base_mark(str(tmp_path / "full")) == base_mark(str(tmp_path / "half")) != "" == base_mark(str(tmp_path))


@pytest.mark.parametrize("content", [None, "{}", "no json"])
def test_rejects_a_folder_that_is_not_an_adapter(base, tmp_path, content):
    if content:
        (tmp_path / "adapter_config.json").write_text(content)
    with pytest.raises(ModelUnavailable, match=r"expected adapter_config\.json and adapter_model\.safetensors"):
        check_adapters({Adapter.VERDICT_PREDICTION: str(tmp_path)}, base)
