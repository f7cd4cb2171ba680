import json
from pathlib import Path

import pytest
import torch
from peft import LoraConfig
from safetensors.torch import save_file
from torch import nn

from system.models.adapters import NORM, base_mark, check_adapter, check_adapters, mark_adapter, served_rank
from system.models.base import ModelUnavailable
from system.tasks.base import Adapter

ALL = [adapter for adapter in Adapter if adapter is not Adapter.NONE]


EVIL = "(.+)+!"  # which takes time exponential in the length of a name
CONFIG = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"]}
LORA_A, LORA_B = (f"base_model.model.model.v_proj.lora_{matrix}.weight" for matrix in "AB")


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


def test_fitting_adapters_pass_silently(base, tmp_path, caplog):
    check_adapters(dict.fromkeys(ALL, write_adapter(tmp_path / "a")), base)
    assert not caplog.records


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
    for number, name in enumerate(("mine", "other"), start=1):
        (tmp_path / name).mkdir()
        save_file({NORM: torch.full((8,), float(number))}, tmp_path / name / "model.safetensors")
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
        save_file({NORM: tensor}, tmp_path / name / "model.safetensors")
    assert base_mark(str(tmp_path / "full")) == base_mark(str(tmp_path / "half")) != "" == base_mark(str(tmp_path))


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({LORA_B: None}, f"{LORA_B} is missing"),
        ({LORA_A: None, LORA_B: None}, f"{LORA_A} is missing"),
        (dict.fromkeys(tensors_of()), "is missing"),
        ({LORA_A: torch.ones(4, 8, dtype=torch.int32)}, f"{LORA_A} has type I32"),
        ({LORA_A: torch.full((4, 8), torch.nan)}, f"{LORA_A} has a weight of nan"),
        ({LORA_A: torch.ones(0, 8)}, rf"{LORA_A} has shape \(0, 8\), the base model needs"),
        ({"more": torch.ones(0)}, "more matches no linear layer"),
        ({LORA_B: torch.full((6, 4), -1e30)}, f"{LORA_B} has a weight of 1e\\+30, expected finite ones"),
    ],
)
def test_refuses_tensors_that_are_missing_or_not_finite(base, tmp_path, changed, fault):
    tensors = {name: tensor for name, tensor in (tensors_of() | changed).items() if tensor is not None}
    with pytest.raises(ModelUnavailable, match=fault):
        check_adapters({Adapter.VERDICT_PREDICTION: write_adapter(tmp_path / "a", tensors)}, base)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[]", "expected an object"),
        ("5", "expected an object"),
        ("[" * 100_000, "expected adapter_config"),
        ('{"r": null}', "peft_type 'LORA'"),
        (json.dumps(CONFIG | {"r": None}), "r: expected a valid integer"),
        (json.dumps(CONFIG | {"r": {"r": [[]]}}), "r: expected a valid integer"),
        (json.dumps(CONFIG).replace("8", "1e400"), "lora_alpha: expected a finite number"),
        (json.dumps(CONFIG | {"peft_type": "IA3"}), "expected an object with peft_type 'LORA', got 'IA3'"),
        (json.dumps(CONFIG | {"use_dora": True}), "use_dora: expected plain LoRA"),
        (json.dumps(CONFIG | {"use_later": {"a": 1}}), "use_later: expected a field of PEFT"),
        (json.dumps(CONFIG | {"init_lora_weights": "pissa"}), "init_lora_weights"),
        (json.dumps(CONFIG | {"lora_dropout": 5}), "lora_dropout: expected 0 to 1"),
        (json.dumps(CONFIG | {"lora_dropout": -1}), "lora_dropout: expected 0 to 1"),
        (json.dumps(CONFIG | {"lora_dropout": 1}), "lora_dropout: expected 0 to 1"),
        (json.dumps(CONFIG | {"target_modules": "("}), "target_modules: expected a list of names"),
        (json.dumps(CONFIG | {"target_modules": EVIL}), "target_modules: expected a list of names"),
        (json.dumps(CONFIG | {"target_modules": [EVIL]}), "target_modules: expected a list of names"),
        (json.dumps(CONFIG | {"exclude_modules": EVIL}), "exclude_modules: expected a list of names"),
        (json.dumps(CONFIG | {"layers_to_transform": [0], "layers_pattern": EVIL}), "layers_pattern: expected a list"),
        (
            json.dumps(CONFIG | {"layers_to_transform": [0], "layers_pattern": [EVIL]}),
            "layers_pattern: expected a list",
        ),
        (json.dumps(CONFIG | {"target_modules": ["nowhere"]}), "names no linear layer"),
        (json.dumps(CONFIG | {"megatron_config": {"a": 1}, "megatron_core": "antigravity"}), "megatron_config"),
    ],
)
def test_refuses_configurations_that_are_not_plain_lora(base, tmp_path, content, fault):
    folder = write_adapter(tmp_path / "a")
    (tmp_path / "a" / "adapter_config.json").write_text(content)
    with pytest.raises(ModelUnavailable, match=f"adapter.*{folder}: .*{fault}"):
        check_adapters({Adapter.VERDICT_PREDICTION: folder}, base)


def test_empty_values_of_what_plain_lora_leaves_out_are_its_defaults(base, tmp_path):
    empty = {"rank_pattern": None, "alpha_pattern": None, "trainable_token_indices": [], "use_later": None, "later": []}
    config = check_adapter(write_adapter(tmp_path / "a", **empty), base)
    assert (config.rank_pattern, config.alpha_pattern, config.trainable_token_indices) == ({}, {}, None)


OLD = {
    "auto_mapping": {"base_model_class": "LlamaForCausalLM", "parent_library": "transformers", "unsloth_fixed": True},
    "alpha_pattern": {}, "base_model_name_or_path": "a", "bias": "none", "fan_in_fan_out": False,
    "inference_mode": True, "init_lora_weights": True, "layer_replication": None, "layers_pattern": None,
    "layers_to_transform": None, "loftq_config": {}, "lora_dropout": 0.05, "megatron_config": None,
    "megatron_core": "megatron.core", "modules_to_save": None, "rank_pattern": {}, "revision": "unsloth",
    "task_type": "CAUSAL_LM", "use_dora": False, "use_rslora": False,
}  # fmt: skip
"""The fields of PEFT 0.10, as Unsloth fills them."""


@pytest.mark.parametrize("written", [OLD, LoraConfig(**CONFIG).to_dict()], ids=["old", "new"])
def test_configurations_as_peft_writes_them_are_allowed(base, tmp_path, written):
    folder = write_adapter(tmp_path / "a", **json.loads(json.dumps(written, default=list)))
    assert check_adapter(folder, base).r == 4


def test_all_linear_layers_less_those_named_are_allowed(base, tmp_path):
    config = {"target_modules": "all-linear", "exclude_modules": ["nowhere"]}
    check_adapters({Adapter.VERDICT_PREDICTION: write_adapter(tmp_path / "a", **config)}, base)


def test_the_rank_of_a_folder_without_an_adapter_is_an_error(tmp_path):
    (tmp_path / "adapter_config.json").write_text("[]")
    with pytest.raises(ModelUnavailable, match=f"{tmp_path}: .*expected an object"):
        served_rank({Adapter.VERDICT_PREDICTION: str(tmp_path)})


@pytest.mark.parametrize("content", [None, "no json"])
def test_rejects_a_folder_that_is_not_an_adapter(base, tmp_path, content):
    if content:
        (tmp_path / "adapter_config.json").write_text(content)
    with pytest.raises(ModelUnavailable, match=r"expected adapter_config\.json and adapter_model\.safetensors"):
        check_adapters({Adapter.VERDICT_PREDICTION: str(tmp_path)}, base)
