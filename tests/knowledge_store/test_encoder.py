"""The real encoder: unit vectors, quiet, shared by threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from knowledge_store.encoder import EncoderUnavailable, SentenceEncoder, bundled_model

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def minilm() -> SentenceEncoder:
    return SentenceEncoder("all-MiniLM-L6-v2", device="cpu")


def test_loading_and_encoding_are_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    SentenceEncoder("all-MiniLM-L6-v2", device="cpu").encode(["A text."])
    assert capfd.readouterr() == ("", "")


def test_rows_have_length_one(minilm: SentenceEncoder) -> None:
    vectors = minilm.encode(["A text.", "A much longer text about fish and prices.", ""])
    assert vectors.shape == (3, minilm.dimension) == (3, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_meaning_is_near(minilm: SentenceEncoder) -> None:
    passages = minilm.encode(["Fish became cheaper in May.", "The bridge was opened by the king."])
    scores = passages @ minilm.encode_queries(["Did the price of cod fall?"])[0]
    assert scores[0] > scores[1] + 0.2


def test_nothing_is_no_row(minilm: SentenceEncoder) -> None:
    assert minilm.encode([]).shape == (0, 384)


def test_threads_get_what_one_thread_gets(minilm: SentenceEncoder) -> None:
    texts = [f"Text number {number} " * (number + 1) for number in range(8)]
    alone = [minilm.encode([text]) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: minilm.encode([text]), texts))
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(alone, together, strict=True))


def test_an_unknown_encoder_is_told(tmp_path: object) -> None:
    with pytest.raises(EncoderUnavailable, match="could not be loaded"):
        SentenceEncoder(str(tmp_path), device="cpu")


def test_the_bundled_model_is_found() -> None:
    folder = bundled_model("all-MiniLM-L6-v2")
    assert folder is not None and (folder / "config.json").is_file()
    assert bundled_model("another") is None
