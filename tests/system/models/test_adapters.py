import json
from pathlib import Path

import pytest
import torch
from peft import LoraConfig
from safetensors.torch import save_file
from torch import nn

from system.models.adapters import NORM, base_mark, check_adapter, mark_adapter, served_rank, skeleton
from system.models.base import ModelUnavailable

CONFIG = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"]}


def tensors_of(inputs=8, outputs=6, modules=("model.q_proj", "model.v_proj")):
    shapes = {"A": (4, inputs), "B": (outputs, 4)}
    named = ((module, *item) for module in modules for item in shapes.items())
    return {f"base_model.model.{module}.lora_{name}.weight": torch.ones(shape) for module, name, shape in named}


@pytest.fixture
def base():
    linear = {name: nn.Linear(8, 6, device="meta") for name in ("q_proj", "v_proj")}
    return nn.ModuleDict({"model": nn.ModuleDict(linear)})


def write_adapter(folder, config, tensors):
    if config is not None:
        (folder / "adapter_config.json").write_text(json.dumps(config))
    if tensors is not None:
        save_file(tensors, folder / "adapter_model.safetensors")


@pytest.mark.parametrize(
    ("config", "tensors", "fault"),
    [
        (CONFIG, tensors_of(inputs=16), r"lora_A.weight has shape \(4, 16\), the base model needs \(4, 8\)"),
        (CONFIG, tensors_of(outputs=5), r"lora_B.weight has shape \(5, 4\), the base model needs \(6, 4\)"),
        (CONFIG, tensors_of(modules=["model.layers.9.q_proj"]), "matches no linear layer of the base model"),
        (CONFIG, tensors_of() | {"more": torch.ones(1)}, "more matches no linear layer"),
        (CONFIG, {}, "holds no tensor"),
        (CONFIG, None, "cannot read adapter_model.safetensors"),
        (CONFIG | {"peft_type": "IA3"}, tensors_of(), "adapter_config.json: peft_type"),
        (CONFIG | {"r": None}, tensors_of(), "adapter_config.json: r: "),
        ([], tensors_of(), "adapter_config.json: "),
        (None, tensors_of(), "expected adapter_config.json as PEFT writes it"),
    ],
)
def test_a_folder_without_a_fitting_adapter_is_named(base, tmp_path, config, tensors, fault):
    write_adapter(tmp_path, config, tensors)
    with pytest.raises(ModelUnavailable, match=f"adapter in {tmp_path}: .*{fault}.*; train or give one"):
        check_adapter(tmp_path, base)


@pytest.mark.parametrize("content", ["", "[]", "{}", "[" * 5000, '{"model_type": "llama", "hidden_size": 1e400}'])
def test_a_folder_without_a_model_is_named(tmp_path, content):
    if content:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(ModelUnavailable, match=rf"model .{tmp_path}. cannot be read: .*; give a folder with config"):
        skeleton(str(tmp_path))


def test_an_adapter_of_another_base_of_the_same_shape_is_refused(base, tmp_path):
    norm = torch.tensor([0.5, 1.25, -3.0])
    for name, tensor in (("mine", norm), ("half", norm.half()), ("other", norm + 1)):
        (tmp_path / name).mkdir()
        save_file({NORM: tensor}, tmp_path / name / "model.safetensors")
    mark = base_mark(str(tmp_path / "mine"))
    assert mark == base_mark(str(tmp_path / "half")) != "" == base_mark(str(tmp_path))
    write_adapter(tmp_path, CONFIG, tensors_of())
    check_adapter(tmp_path, base, mark)  # it does not say
    mark_adapter(tmp_path, str(tmp_path / "mine"))
    check_adapter(tmp_path, base, mark)
    check_adapter(tmp_path, base)
    mark_adapter(tmp_path, str(tmp_path / "other"))
    with pytest.raises(ModelUnavailable, match=f"it was trained on another base model .* this one has {mark:.12}"):
        check_adapter(tmp_path, base, mark)


@pytest.mark.parametrize(("rank", "served"), [(4, 8), (16, 16), (65, 128)])
def test_configurations_as_peft_writes_them_are_read(tmp_path, rank, served):
    config = LoraConfig(**CONFIG | {"r": rank}).to_dict()
    write_adapter(Path(tmp_path), json.loads(json.dumps(config, default=list)), None)
    assert served_rank([str(tmp_path)]) == served
