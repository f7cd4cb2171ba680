"""Right before fast: vLLM on the AWQ base against dequantized weights with PEFT in float32, adapter by adapter.

vllm-project/vllm#42488 reports adapters on an AWQ base that fail in silence.
"""

import asyncio

import pytest
import torch
from safetensors.torch import load_file

from system.settings import EngineSettings
from system.tasks.base import Adapter
from training.dequantization import dequantized

# The warnings of vLLM and what it imports are not ours to mend.
pytestmark = [pytest.mark.slow, pytest.mark.vllm, pytest.mark.filterwarnings("default")]

ENGINE = EngineSettings(context=2048)
TOLERANCE = 0.03  # of a log-probability: float16 against float32 through two layers


@pytest.fixture(scope="module")
def model(tiny_model, tiny_adapters):
    pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    from system.models.vllm import VllmModel

    if not (torch.cuda.is_available() or torch.cpu._is_avx512_supported()):
        pytest.skip("needs a processor with AVX-512, or a GPU: vLLM multiplies AWQ weights on no other")
    loaded = VllmModel(str(tiny_model / "awq"), tiny_adapters, ENGINE, dtype="float16")
    yield loaded
    asyncio.run(loaded.close())


@pytest.fixture(scope="module")
def prompts(tiny_model, tasks):
    from system.models.prompting import ChatTokenizer

    chat = ChatTokenizer(str(tiny_model / "awq"), ENGINE.context)
    return [chat.prompt(task, adapter=True).ids for task in tasks.values()]


@pytest.fixture(scope="module")
def reference(tiny_model, tiny_adapters, prompts):
    """Log-probabilities of the token after each prompt, (prompts, vocabulary), by adapter."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    packed = load_file(tiny_model / "awq" / "model.safetensors")
    weights = dequantized({name: one.float() if one.is_floating_point() else one for name, one in packed.items()})
    tables = {}
    for adapter in Adapter:
        reader = AutoModelForCausalLM.from_pretrained(str(tiny_model / "base"), dtype=torch.float32)
        reader.load_state_dict(weights)
        if adapter in tiny_adapters:
            reader = PeftModel.from_pretrained(reader, tiny_adapters[adapter])
        with torch.inference_mode():
            logits = [reader.eval()(torch.tensor([ids])).logits[0, -1] for ids in prompts]
        tables[adapter] = torch.stack(logits).log_softmax(-1)
    return tables


def next_tokens(model, jobs):
    """vLLM's log-probabilities of the 20 likeliest next tokens of (adapter, prompt), all in one batch."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    sampling = SamplingParams(temperature=0, max_tokens=1, logprobs=20, output_kind=RequestOutputKind.FINAL_ONLY)

    async def run():
        return await asyncio.gather(*(model._run(ids, sampling, model._loras.get(adapter)) for adapter, ids in jobs))

    return [output.outputs[0].logprobs[0] for output in model._loop.submit(run()).result()]


@pytest.mark.parametrize("together", [True, False])
def test_log_probabilities_are_the_dequantized_bases(model, prompts, reference, together):
    rows = [(adapter, row) for adapter in Adapter for row in range(len(prompts))]
    for batch in [rows] if together else [[one] for one in rows]:
        tables = next_tokens(model, [(adapter, prompts[row]) for adapter, row in batch])
        for (adapter, row), table in zip(batch, tables, strict=True):
            assert len(table) >= 20
            ours = torch.tensor([token.logprob for token in table.values()])
            torch.testing.assert_close(ours, reference[adapter][row, list(table)], rtol=0, atol=TOLERANCE)


def test_adapters_differ_by_far_more_than_the_tolerance(reference, tiny_adapters):
    names = [Adapter.NONE, *tiny_adapters]
    for one in range(len(names)):
        for other in range(one):
            assert (reference[names[one]] - reference[names[other]]).abs().max() > 10 * TOLERANCE
