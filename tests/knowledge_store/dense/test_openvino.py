"""OpenVINO computes, and tells nobody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.processes import PATIENCE

ROOT = Path(__file__).resolve().parents[3]

ENCODE = """
import sys
from knowledge_store.dense.encoder import SentenceEncoder
assert SentenceEncoder("all-MiniLM-L6-v2", runtime="openvino").encode(["One."]).shape == (1, 384)
assert "openvino" in sys.modules
assert not [name for name in sys.modules if name.startswith("openvino_telemetry.")]
"""


@pytest.mark.slow
def test_sends_no_telemetry_and_leaves_no_id_in_the_home_folder(tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path), "CUDA_VISIBLE_DEVICES": ""}
    subprocess.run([sys.executable, "-c", ENCODE], cwd=ROOT, env=environment, check=True, timeout=PATIENCE)
    assert not (tmp_path / "intel").exists()
