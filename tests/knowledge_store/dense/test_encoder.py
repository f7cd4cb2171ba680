"""The real encoder: unit vectors, quiet, shared by threads."""

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from time import sleep
from typing import ClassVar, Literal

import numpy as np
import pytest
import safetensors.torch
import torch

from knowledge_store.dense.encoder import EncoderUnavailable, SentenceEncoder
from knowledge_store.dense.loading import bundled_model
from knowledge_store.settings import RetrievalSettings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def minilm() -> SentenceEncoder:
    return SentenceEncoder("all-MiniLM-L6-v2", device="cpu", runtime="torch")


def test_loading_and_encoding_are_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    SentenceEncoder("all-MiniLM-L6-v2", device="cpu").encode(["A text."])
    assert capfd.readouterr() == ("", "")


def test_vectors_have_unit_length(minilm: SentenceEncoder) -> None:
    vectors = minilm.encode(["A text.", "A much longer text about fish and prices.", ""])
    assert vectors.shape == (3, minilm.dimension) == (3, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_similar_meanings_are_near(minilm: SentenceEncoder) -> None:
    passages = minilm.encode(["Fish became cheaper in May.", "The bridge was opened by the king."])
    scores = passages @ minilm.encode_queries(["Did the price of cod fall?"])[0]
    assert scores[0] > scores[1] + 0.2


def test_no_texts_give_no_rows(minilm: SentenceEncoder) -> None:
    assert minilm.encode([]).shape == (0, 384)


def test_threads_encode_one_after_the_other(minilm: SentenceEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = Lock()

    def encode(texts: list[str], **_: object) -> list[list[float]]:
        assert inside.acquire(blocking=False), "two threads at a time"
        sleep(0.02)
        inside.release()
        return [[1.0]] * len(texts)

    monkeypatch.setattr(minilm._model, "encode", encode)
    with ThreadPoolExecutor(4) as pool:
        assert len(list(pool.map(minilm.encode, [["A text."]] * 8))) == 8


def test_the_cache_tells_queries_from_passages_where_the_model_does(
    minilm: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[tuple[list[str], str | None]] = []

    def encode(texts: list[str], prompt_name: str | None = None, **_: object) -> list[list[float]]:
        encoded.append((texts, prompt_name))
        return [[1.0]] * len(texts)

    monkeypatch.setattr(minilm._model, "encode", encode)
    monkeypatch.setattr(minilm, "dimension", 1)
    symmetric = minilm.cached()
    symmetric.encode(["A text."]), symmetric.encode_queries(["A text."])
    assert encoded == [(["A text."], None)]
    monkeypatch.setattr(minilm, "_query_prompt", "query")
    asymmetric = minilm.cached()
    asymmetric.encode(["A text."]), asymmetric.encode_queries(["A text."])
    assert encoded[1:] == [(["A text."], None), (["A text."], "query")]


def test_a_folder_can_be_loaded_and_its_vectors_are_normalized(minilm: SentenceEncoder, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    transformer, pooling = list(minilm._model)[:2]  # without the layer that normalizes
    SentenceTransformer(modules=[transformer, pooling]).save(str(tmp_path))
    vectors = SentenceEncoder(str(tmp_path), device="cpu").encode(["A text about fish."])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.allclose(vectors, minilm.encode(["A text about fish."]), atol=1e-5)


def test_reports_an_unknown_encoder(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnavailable, match="cannot be loaded"):
        SentenceEncoder(str(tmp_path), device="cpu")


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
def own_architecture(tmp_path: Path) -> Path:
    """The bundled model as an architecture of its own, whose code lies beside its weights."""
    folder = tmp_path / tmp_path.name  # transformers caches code by the name of its folder
    bundled = bundled_model("all-MiniLM-L6-v2")
    assert bundled is not None
    shutil.copytree(bundled, folder)
    (folder / "configuration.py").write_text(CONFIGURATION)
    (folder / "modeling.py").write_text(MODEL)
    config = json.loads((folder / "config.json").read_text())
    own = {"AutoConfig": "configuration.OwnConfig", "AutoModel": "modeling.OwnModel"}
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "own", "auto_map": own}))
    return folder


def test_custom_code_runs_only_if_trusted(own_architecture: Path, minilm: SentenceEncoder) -> None:
    with pytest.raises(
        EncoderUnavailable, match="if you trust its authors, download it to a folder and set encoder_code"
    ):
        SentenceEncoder.of(RetrievalSettings(encoder=str(own_architecture)))
    encoder = SentenceEncoder.of(RetrievalSettings(encoder=str(own_architecture), encoder_code=True))
    assert np.allclose(encoder.encode(["A text about fish."]), minilm.encode(["A text about fish."]), atol=1e-5)


def test_custom_code_is_not_run_from_a_hub() -> None:
    with pytest.raises(EncoderUnavailable, match=r"'hf download maker/own --revision COMMIT --local-dir FOLDER'"):
        SentenceEncoder("maker/own", trusted=True)


def test_custom_code_is_not_run_from_another_repository(own_architecture: Path) -> None:
    config = json.loads((own_architecture / "config.json").read_text())
    config["auto_map"]["AutoModel"] = "maker/other--modeling.OwnModel"
    (own_architecture / "config.json").write_text(json.dumps(config))
    with pytest.raises(EncoderUnavailable, match="code from another repository"):
        SentenceEncoder(str(own_architecture), trusted=True)


@pytest.mark.parametrize(
    ("runtime", "message"),
    [
        ("torch", r"cannot encode a sentence \(IndexError: index 94742186\)"),
        ("openvino", "try --encoder-runtime torch"),
    ],
)
def test_failing_custom_code_is_a_one_line_error(
    own_architecture: Path, runtime: Literal["torch", "openvino"], message: str
) -> None:
    code = MODEL.replace("length = input_ids.shape[1]", "raise IndexError('index 94742186')")
    (own_architecture / "modeling.py").write_text(code)
    with pytest.raises(EncoderUnavailable, match=message):
        SentenceEncoder(str(own_architecture), trusted=True, runtime=runtime, device="cpu")


@pytest.mark.parametrize("scale", [0.0, float("nan")])
def test_rejects_an_encoder_whose_vectors_make_no_sense(tmp_path: Path, scale: float) -> None:
    folder = tmp_path / "damaged"
    bundled = bundled_model("all-MiniLM-L6-v2")
    assert bundled is not None
    shutil.copytree(bundled, folder)
    file = next(folder.glob("*.safetensors"))
    weights = safetensors.torch.load_file(file)
    weights["embeddings.word_embeddings.weight"] *= scale
    safetensors.torch.save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(EncoderUnavailable, match="of 3 known questions, 0 are nearest to their own answer"):
        SentenceEncoder(str(folder), device="cpu", runtime="torch")


def test_finds_the_bundled_model() -> None:
    folder = bundled_model("all-MiniLM-L6-v2")
    assert folder is not None and (folder / "config.json").is_file()
    assert bundled_model("another") is None


def test_openvino_gives_the_same_vectors(minilm: SentenceEncoder, capfd: pytest.CaptureFixture[str]) -> None:
    fast = SentenceEncoder("all-MiniLM-L6-v2", device="cpu", runtime="openvino")
    assert capfd.readouterr() == ("", "")
    texts = ["A text.", "A much longer text about fish and prices. " * 60, "", *(f"word {n} " * n for n in range(40))]
    assert np.abs(fast.encode(texts) - minilm.encode(texts)).max() < 1e-5
    assert np.abs(fast.encode_queries(["Cod?"]) - minilm.encode_queries(["Cod?"])).max() < 1e-5


def test_reports_missing_openvino(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(EncoderUnavailable, match="pip install openvino"):
        SentenceEncoder("all-MiniLM-L6-v2", device="cpu", runtime="openvino")


def test_the_runtime_is_that_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setitem(sys.modules, "openvino", None)
    SentenceEncoder.of(RetrievalSettings(encoder_runtime="torch"))
    with pytest.raises(EncoderUnavailable, match="openvino"):
        SentenceEncoder.of(RetrievalSettings(encoder_runtime="openvino"))


@pytest.mark.parametrize(("device", "halved"), [("cuda", True), ("cpu", False)])
def test_a_gpu_computes_in_half_precision(device: str, halved: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Model:
        prompts: ClassVar[dict[str, str]] = {}
        device: torch.device
        max_seq_length = 256

        def half(self) -> None:
            calls.append("half")

        def encode(self, texts: list[str], **_: object) -> list[list[float]]:
            return np.eye(len(texts))

    Model.device = torch.device(device)
    monkeypatch.setattr("sentence_transformers.SentenceTransformer", lambda *_, **__: Model())
    SentenceEncoder("all-MiniLM-L6-v2", runtime="torch")
    assert calls == ["half"] * halved


def test_leaves_onednn_on_for_a_language_model_in_another_thread(minilm, monkeypatch) -> None:
    seen = []
    encode = minilm._model.encode
    monkeypatch.setattr(
        minilm._model,
        "encode",
        lambda *a, **options: seen.append(torch.backends.mkldnn.enabled) or encode(*a, **options),
    )
    minilm.encode(["A text."])
    assert seen == [True]
