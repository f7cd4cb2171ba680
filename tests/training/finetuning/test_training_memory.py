import re
from dataclasses import replace

import pytest
import torch
from peft import get_peft_model
from transformers import AutoModelForCausalLM

from scripts.benchmarks.shapes import QWEN_14B
from system.hardware.memory import GIB, skeleton
from training import TrainingError
from training.finetuning.base import TRAINED, Precision, choose_precision, load_base, plan_training
from training.finetuning.recipes import RECIPES
from training.finetuning.trainers import lora


@pytest.fixture(scope="module")
def qwen_14b():
    """The architecture of Qwen2.5-14B, without weights."""
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(QWEN_14B)


@pytest.mark.parametrize("task", RECIPES)
def test_the_14b_model_is_trained_in_4_bits_on_a_small_gpu(qwen_14b, task):
    assert choose_precision(qwen_14b, RECIPES[task], 22 * GIB, gpu=True).precision is Precision.NF4
    assert choose_precision(qwen_14b, RECIPES[task], 80 * GIB, gpu=True).precision is Precision.BFLOAT16


def test_too_little_memory_names_the_context_that_would_fit(qwen_14b):
    recipe = RECIPES["moderator"]
    with pytest.raises(TrainingError, match="frozen weights, nf4") as raised:
        choose_precision(qwen_14b, recipe, 18 * GIB, gpu=True)
    context = int(re.search(r"--context (\d+) would fit", str(raised.value))[1])
    assert choose_precision(qwen_14b, replace(recipe, context=context), 18 * GIB, gpu=True).fits
    with pytest.raises(TrainingError):
        choose_precision(qwen_14b, replace(recipe, context=context + 1), 18 * GIB, gpu=True)
    with pytest.raises(TrainingError, match="take a smaller base"):
        choose_precision(qwen_14b, recipe, 8 * GIB, gpu=True)


@pytest.mark.slow
def test_counts_weights_and_adapter_as_loaded(tiny_model):
    model = load_base(str(tiny_model / "base"), Precision.FLOAT32)
    plan = plan_training(skeleton(str(tiny_model / "base")), RECIPES["qg"], Precision.FLOAT32, GIB)
    assert plan.weights == sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())
    trained = get_peft_model(model, lora(RECIPES["qg"])).get_nb_trainable_parameters()[0]
    assert plan.adapter == trained * TRAINED[Precision.FLOAT32]
