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
from knowledge_store.turns import Turns, batches

Vectors = NDArray[np.float32]
Cache = OrderedDict[str, Vectors]
Encode = Callable[[Sequence[str]], Vectors]

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
BATCH = 1000
"""Characters of a batch on the CPU, padding included; larger ones are no faster, and other claims wait for each."""

GPU_BATCH = 64_000
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
    """Another encoder that embeds each text once, within bounds. Threads may share it: they take turns at its batches.

    Args:
        encoder: embeds what is not cached.
        capacity: vectors kept of passages, and as many of queries; the least recently used go first. 20,000 vectors of
            384 numbers take 30 MB.
        batch: characters that are embedded in a turn, padding included; a longer text is a turn by itself.
        symmetric: whether a text has one vector, be it a passage or a query.
    """

    def __init__(
        self, encoder: Encoder, capacity: int = 20_000, batch: int = BATCH, *, symmetric: bool = False
    ) -> None:
        self._encoder = encoder
        self._capacity = capacity
        self._batch = batch
        self._passages: Cache = OrderedDict()
        self._queries: Cache = self._passages if symmetric else OrderedDict()
        self._lock = Lock()  # of the caches
        self._turns = Turns("encoder")
        self.dimension = encoder.dimension

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        return self._look_up(texts, self._passages, self._encoder.encode)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self._look_up(texts, self._queries, self._encoder.encode_queries)

    def _look_up(self, texts: Sequence[str], cache: Cache, encode: Encode) -> Vectors:
        def embed(batch: Sequence[str]) -> dict[str, Vectors]:
            vectors = self._cached(batch, cache)  # by others, meanwhile
            if missing := [text for text in batch if text not in vectors]:
                vectors |= zip(missing, encode(missing), strict=True)
                self._keep(vectors, cache)
            return vectors

        found = self._cached(texts, cache)
        missing = dict.fromkeys(text for text in texts if text not in found)
        for vectors in self._turns.map(embed, batches(missing, len, self._batch)):
            found |= vectors
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)

    def _cached(self, texts: Sequence[str], cache: Cache) -> dict[str, Vectors]:
        with self._lock:
            found = {text: cache[text] for text in texts if text in cache}
            for text in found:
                cache.move_to_end(text)
        return found

    def _keep(self, vectors: dict[str, Vectors], cache: Cache) -> None:
        with self._lock:
            cache.update(vectors)
            while len(cache) > self._capacity:
                cache.popitem(last=False)


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

    def cached(self) -> CachingEncoder:
        """An encoder of the same vectors that embeds each text once."""
        batch = BATCH if self._model.device.type == "cpu" else GPU_BATCH
        return CachingEncoder(self, batch=batch, symmetric=self._query_prompt is None)

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
