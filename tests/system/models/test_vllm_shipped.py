"""The shipped adapter on the real weights of profile ``cpu``: vLLM labels as transformers does."""

import asyncio
from pathlib import Path

import pytest

import system
from system.hardware.weights import SMOLLM2, find
from system.models.base import Request
from system.settings import EngineSettings
from system.strategies.steps.tasks.judge_claim import LabelClaim
from system.tasks.base import Adapter
from training.check import example_tasks

# The warnings of vLLM and what it imports are not ours to mend.
pytestmark = [pytest.mark.slow, pytest.mark.vllm, pytest.mark.filterwarnings("default")]

ENGINE = EngineSettings(context=2048, batched_tokens=2048, dtype="float32")
FOLDER = Path(system.__file__).parent / "adapters" / "smollm2-135m"
ADAPTERS = {Adapter.VERDICT_PREDICTION: str(FOLDER / Adapter.VERDICT_PREDICTION)}


def test_the_shipped_adapter_labels_as_in_transformers():
    pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    folder = find(SMOLLM2.name)
    if folder is None:
        pytest.skip("needs SmolLM2-135M: python -m system fetch --profile cpu")
    from system.models.transformers import TransformersModel
    from system.models.vllm import VllmModel

    tasks = example_tasks(Adapter.VERDICT_PREDICTION, 8)
    labels = [Request(LabelClaim(claim=task.claim, pairs=task.pairs)) for task in tasks]

    def ask(kind):
        async def answer():  # the model is made where a loop runs already, as in a notebook
            model = kind(str(folder), ADAPTERS, ENGINE)
            try:
                return await model.generate(labels)
            finally:
                await model.close()

        return asyncio.run(answer())

    expected, results = ask(TransformersModel), ask(VllmModel)
    assert len({result.reply.label for result in expected}) > 1
    assert [result.reply for result in results] == [result.reply for result in expected]
    for result, reference in zip(results, expected, strict=True):
        assert result.probabilities == pytest.approx(reference.probabilities, abs=0.01)
