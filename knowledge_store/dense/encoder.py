"""The bi-encoder: texts to unit vectors, so that an inner product is a cosine."""

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.loading import UntrustedCode, load_model
from knowledge_store.settings import RetrievalSettings, Runtime

Vectors = NDArray[np.float32]
Cache = OrderedDict[str, NDArray[np.float32]]

# oneDNN keeps code and buffers for the last 1,024 shapes of a batch: gigabytes after some hundred claims. Switching it
# off instead would do so for the language model too, which may be at work in another thread.
for _bound in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_bound, "64")


# Questions and answers that share no word, from subjects far apart.
KNOWN_PAIRS = (
    ("Did the price of cod fall?", "Fish became cheaper in May."),
    ("Who leads the government?", "The prime minister took office on Monday."),
    ("How do stars form?", "Clouds of gas collapse under their own gravity."),
)
MARGIN = 0.02  # by which the cosine of a question to its own answer must exceed that to any other


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


class SentenceEncoder:
    """A sentence-transformers model. Threads may share it: one encodes at a time, as tokenizers ask.

    Args:
        name: "all-MiniLM-L6-v2" (carried by a package), a folder, or a name on the model hub.
        device: "cpu", "cuda", …; None chooses.
        trusted: whether to run the model's own code; the model must then be a folder.
        runtime: what computes on a CPU. On a GPU, torch does in any case, in half precision, whose vectors have a
            length of 1 to three digits.

    Raises:
        EncoderUnavailable: the model cannot be found or loaded, its vectors make no sense, or OpenVINO is missing.
    """

    def __init__(
        self, name: str, device: str | None = None, *, trusted: bool = False, runtime: Runtime = "openvino"
    ) -> None:
        try:
            self._model = load_model(name, device, trusted=trusted)
        except (OSError, ValueError, ImportError) as error:
            raise EncoderUnavailable(_explained(name, error)) from error
        if self._model.device.type == "cuda":
            self._model.half()
        elif runtime == "openvino":
            self._accelerate(name)
        self._lock = Lock()
        self._query_prompt = next((p for p in ("s2p_query", "query") if self._model.prompts.get(p)), None)
        self.dimension = self._check(name)

    @classmethod
    def of(cls, settings: RetrievalSettings) -> "SentenceEncoder":
        """The encoder that the settings name."""
        return cls(settings.encoder, trusted=settings.encoder_code, runtime=settings.encoder_runtime)

    def _accelerate(self, name: str) -> None:
        from knowledge_store.dense.openvino import run_on_openvino

        try:
            run_on_openvino(self._model)
        except ImportError as error:
            raise EncoderUnavailable(
                "encoder_runtime is openvino, which is not installed; run 'pip install openvino', or choose torch"
            ) from error
        except Exception as error:  # it traces the model, whose code can fail in any way
            raise EncoderUnavailable(
                f"encoder {name!r} cannot run on OpenVINO ({type(error).__name__}); try --encoder-runtime torch"
            ) from error

    def _check(self, name: str) -> int:
        """Encode a few known questions and answers, which also warms the model up; the dimension of its vectors.

        Raises:
            EncoderUnavailable: the model cannot compute them, or does not place answers near their questions.
        """
        questions, answers = zip(*KNOWN_PAIRS, strict=True)
        try:
            vectors = self._encode(answers, None)
            cosines = self._encode(questions, self._query_prompt) @ vectors.T
        except Exception as error:  # code that a model brings can fail in any way
            raise EncoderUnavailable(
                f"encoder {name!r} is loaded but cannot encode a sentence ({type(error).__name__}: {error}); "
                "try another version of transformers, or another encoder"
            ) from error
        own = cosines.diagonal()
        others = np.where(np.eye(len(own), dtype=bool), -np.inf, cosines).max(axis=1)
        if not (np.isfinite(cosines).all() and (own > others + MARGIN).all()):
            raise EncoderUnavailable(
                f"encoder {name!r} does not work: of {len(own)} known questions, {int((own > others + MARGIN).sum())} "
                "are nearest to their own answer; its files are damaged, or it was trained for something else"
            )
        return int(vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        return self._encode(texts, None)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self._encode(texts, self._query_prompt)

    def _encode(self, texts: Sequence[str], prompt_name: str | None) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        with self._lock:
            vectors = self._model.encode(
                list(texts), prompt_name=prompt_name, normalize_embeddings=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float32)


def _explained(name: str, error: Exception) -> str:
    """Why an encoder is not loaded, and the remedy."""
    if isinstance(error, UntrustedCode):
        return f"encoder {name!r} is not loaded: {error}"
    if "trust_remote_code" in str(error):
        remedy = "it needs its own code: if you trust its authors, download it to a folder and set encoder_code"
    else:
        remedy = "give a folder with a sentence-transformers model, or 'all-MiniLM-L6-v2', which is installed"
    return f"encoder {name!r} cannot be loaded ({str(error).splitlines()[0]}); {remedy}"
