import json
from pathlib import Path

import pytest
import torch
from peft import LoraConfig
from safetensors.torch import save_file
from torch import nn

from system.models.adapters import NORM, base_mark, check_adapters, mark_adapter, served_rank
from system.models.base import ModelUnavailable
from system.tasks.base import Adapter

ALL = [adapter for adapter in Adapter if adapter is not Adapter.NONE]


CONFIG = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"]}


def tensors_of(rank=4, inputs=8, outputs=6, modules=("model.q_proj", "model.v_proj")):
    shapes = {"A": (rank, inputs), "B": (outputs, rank)}
    named = ((module, *item) for module in modules for item in shapes.items())
    return {f"base_model.model.{module}.lora_{name}.weight": torch.ones(shape) for module, name, shape in named}


def write_adapter(folder, tensors=None, **config):
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps(CONFIG | config))
    save_file(tensors_of() if tensors is None else tensors, folder / "adapter_model.safetensors")
    return str(folder)


@pytest.fixture
def base():
    linear = {name: nn.Linear(8, 6, device="meta") for name in ("q_proj", "v_proj")}
    return nn.ModuleDict({"model": nn.ModuleDict(linear)})


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"inputs": 16}, r"lora_A.weight has shape \(4, 16\), the base model needs \(4, 8\)"),
        ({"outputs": 5}, r"lora_B.weight has shape \(5, 4\), the base model needs \(6, 4\)"),
        ({"modules": ["model.layers.9.q_proj"]}, "matches no linear layer of the base model"),
    ],
)
def test_adapter_of_another_base_is_refused(base, tmp_path, wrong, fault):
    folder = write_adapter(tmp_path / "a", tensors_of(**wrong))
    with pytest.raises(ModelUnavailable, match=f"adapter verdict_prediction in .*: .*{fault}.*; train or give one"):
        check_adapters({Adapter.VERDICT_PREDICTION: folder}, base)


def test_an_adapter_of_another_base_of_the_same_shape_is_refused(base, tmp_path):
    norm = torch.tensor([0.5, 1.25, -3.0])
    for name, tensor in (("mine", norm), ("half", norm.half()), ("other", norm + 1)):
        (tmp_path / name).mkdir()
        save_file({NORM: tensor}, tmp_path / name / "model.safetensors")
    mark = base_mark(str(tmp_path / "mine"))
    assert mark == base_mark(str(tmp_path / "half")) != "" == base_mark(str(tmp_path))
    folder = write_adapter(tmp_path / "a")
    adapters = dict.fromkeys(ALL, folder)
    check_adapters(adapters, base, mark)  # it does not say
    mark_adapter(Path(folder), str(tmp_path / "mine"))
    check_adapters(adapters, base, mark)
    check_adapters(adapters, base)
    mark_adapter(Path(folder), str(tmp_path / "other"))
    with pytest.raises(ModelUnavailable, match=f"it was trained on another base model .* this one has {mark:.12}"):
        check_adapters(adapters, base, mark)


@pytest.mark.parametrize(
    ("config", "tensors", "fault"),
    [
        (None, tensors_of(), "expected adapter_config.json as PEFT writes it"),
        ("no json", tensors_of(), "adapter_config.json: "),
        ("[]", tensors_of(), "adapter_config.json: "),
        (json.dumps(CONFIG | {"peft_type": "IA3"}), tensors_of(), "adapter_config.json: peft_type"),
        (json.dumps(CONFIG | {"r": None}), tensors_of(), "adapter_config.json: r: "),
        (json.dumps(CONFIG), None, "cannot read adapter_model.safetensors"),
        (json.dumps(CONFIG), {}, "holds no tensor"),
        (json.dumps(CONFIG), tensors_of() | {"more": torch.ones(1)}, "more matches no linear layer"),
    ],
)
def test_a_folder_without_a_fitting_adapter_is_named(base, tmp_path, config, tensors, fault):
    if config is not None:
        (tmp_path / "adapter_config.json").write_text(config)
    if tensors is not None:
        save_file(tensors, tmp_path / "adapter_model.safetensors")
    with pytest.raises(ModelUnavailable, match=f"in {tmp_path}: .*{fault}"):
        check_adapters({Adapter.VERDICT_PREDICTION: str(tmp_path)}, base)


def test_configurations_as_peft_writes_them_are_allowed(base, tmp_path):
    check_adapters({}, base)
    written = json.loads(json.dumps(LoraConfig(**CONFIG).to_dict(), default=list))
    folder = write_adapter(tmp_path / "a", **written)
    check_adapters({Adapter.VERDICT_PREDICTION: folder}, base)
    assert served_rank({Adapter.VERDICT_PREDICTION: folder}) == 8
