"""The ``got`` strategy on bundled claims: the real vLLM, all three adapters, the AWQ base where it has a kernel."""

import json
import sys

import pytest
import torch

from tests.helpers.processes import ROOT, run_command

pytestmark = [pytest.mark.slow, pytest.mark.vllm]

CLAIMS = 2  # vLLM's LoRA on a CPU is slow: it copies an adapter's matrices for every token


def test_bundled_claims_are_checked(tiny_model, tiny_adapters, tmp_path):
    pytest.importorskip("vllm", reason="needs vLLM: pip install '.[gpu]', or '.[cpu]' without a GPU")
    kernel = torch.cuda.is_available() or torch.cpu._is_avx512_supported()
    weights = tiny_model / ("awq" if kernel else "base")
    command = [sys.executable, "-m", "system", "--backend", "vllm", "--model", str(weights)]
    command += ["--adapters", *(f"{name}={folder}" for name, folder in tiny_adapters.items())]
    command += ["--branches", "2", "--depth", "2", "--top-k", "2"]
    command += ["--limit", str(CLAIMS), "--max-concurrent-claims", "2", "--budget", "300", "--trace"]
    run_command([*command, "--output", str(tmp_path)], cwd=ROOT)
    rows = json.loads((tmp_path / "submission.json").read_text())
    assert [row["claim_id"] for row in rows] == list(range(CLAIMS))
    lines = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text().splitlines()]
    assert {line["adapter"] for line in lines} - {"none"} == {*tiny_adapters}  # answers that miss are not merged
    assert all(line["tokens_in"] and line["tokens_out"] and line["decode_seconds"] >= 0 for line in lines)
    assert sum(line["tokens_cached"] for line in lines) > sum(line["tokens_in"] for line in lines) / 10
    assert not [line for line in lines if "error" in line]
