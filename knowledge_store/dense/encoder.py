"""The bi-encoder: texts to unit vectors, so that an inner product is a cosine.

Example: ``SentenceEncoder.of(RetrievalSettings()).cached().encode(["A text."])``, (1, 384) float32.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.loading import HubModel, UntrustedCode
from knowledge_store.dense.openvino import BUNDLED, CPU_BATCH, NAME, OpenVinoModel
from knowledge_store.settings import RetrievalSettings
from knowledge_store.turns import Turns, batches

Vectors = NDArray[np.float32]
Cache = OrderedDict[str, Vectors]
Encode = Callable[[Sequence[str]], Vectors]

# Questions and answers that share no word, from subjects far apart.
KNOWN_PAIRS = (
    ("Did the price of cod fall?", "Fish became cheaper in May."),
    ("Who leads the government?", "The prime minister took office on Monday."),
    ("How do stars form?", "Clouds of gas collapse under their own gravity."),
)


class EncoderUnavailable(Exception):
    """The encoder cannot be loaded; the message says what is missing and what to do."""


class Encoder(Protocol):
    """Turns texts into vectors."""

    dimension: int

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed passages or sentences: (len(texts), dimension) float32, each row of length 1."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; differs from ``encode`` only for models with a query prompt."""


class CachingEncoder:
    """Another encoder that embeds each text once, within bounds. Threads may share it: they take turns at its batches.

    It keeps the ``capacity`` last used vectors of passages, and of queries (20,000 of MiniLM take 30 MB), and embeds
    ``batch`` characters in a turn. If ``symmetric``, a text has the same vector as a passage and as a query.
    """

    def __init__(
        self, encoder: Encoder, capacity: int = 20_000, batch: int = CPU_BATCH, *, symmetric: bool = False
    ) -> None:
        self._encoder, self._capacity, self._batch = encoder, capacity, batch
        self._passages: Cache = OrderedDict()
        self._queries: Cache = self._passages if symmetric else OrderedDict()
        self._turns = Turns("encoder")  # one thread, so that no cache needs a lock
        self.dimension = encoder.dimension

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        return self._look_up(texts, self._passages, self._encoder.encode)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self._look_up(texts, self._queries, self._encoder.encode_queries)

    def _look_up(self, texts: Sequence[str], cache: Cache, encode: Encode) -> Vectors:
        def embed(batch: Sequence[str]) -> dict[str, Vectors]:
            if missing := [text for text in batch if text not in cache]:
                cache.update(zip(missing, encode(missing), strict=True))
            for text in batch:
                cache.move_to_end(text)
            vectors = {text: cache[text] for text in batch}
            while len(cache) > self._capacity:
                cache.popitem(last=False)
            return vectors

        found: dict[str, Vectors] = {}
        for vectors in self._turns.map(embed, batches(dict.fromkeys(texts), len, self._batch)):
            found |= vectors
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)


class SentenceEncoder:
    """The encoder of a name: "all-MiniLM-L6-v2", which comes with this package, a folder, or a name on the model hub.

    Threads may share it: one encodes at a time, because tokenizers require it. Its own code, if any, runs only if
    it is ``trusted`` and a folder.

    Raises:
        EncoderUnavailable: the model cannot be found or loaded, or its vectors make no sense.
    """

    def __init__(self, name: str, device: str | None = None, *, trusted: bool = False) -> None:
        self._lock = Lock()
        try:
            self._model = OpenVinoModel(BUNDLED) if name == NAME else HubModel(name, device, trusted=trusted)
        except (OSError, RuntimeError, ValueError, KeyError, ImportError) as error:
            raise EncoderUnavailable(_explained(name, error)) from error
        self.dimension = self._check(name)

    @classmethod
    def of(cls, settings: RetrievalSettings) -> "SentenceEncoder":
        """The encoder that the settings name."""
        return cls(settings.encoder, trusted=settings.encoder_code)

    def cached(self) -> CachingEncoder:
        """An encoder of the same vectors that embeds each text once."""
        return CachingEncoder(self, batch=self._model.batch, symmetric=self._model.symmetric)

    def _check(self, name: str) -> int:
        """Check that known answers are nearest to their questions, warm up, and return the vectors' dimension."""
        questions, answers = zip(*KNOWN_PAIRS, strict=True)
        try:
            vectors = self.encode(answers)
            cosines = self.encode_queries(questions) @ vectors.T
        except Exception as error:  # code that a model brings can fail in any way
            raise EncoderUnavailable(
                f"encoder {name!r} is loaded but cannot encode a sentence ({type(error).__name__}: {error}); "
                "try another version of transformers, or another encoder"
            ) from error
        if not (cosines.argmax(axis=1) == np.arange(len(cosines))).all():  # also if there is a NaN
            raise EncoderUnavailable(
                f"encoder {name!r} does not work: known questions are not nearest to their own answers; "
                "its files are damaged, or it was trained for something else"
            )
        return int(vectors.shape[1])

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> Vectors:
        """See ``Encoder.encode``."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        with self._lock:
            return self._model.encode(list(texts), queries=queries)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self.encode(texts, queries=True)


def _explained(name: str, error: Exception) -> str:
    said = (str(error).splitlines() or [type(error).__name__])[0]
    if isinstance(error, UntrustedCode):
        return f"encoder {name!r} is not loaded: {error}"
    if name == NAME:
        remedy = "install this package again"
    elif isinstance(error, ImportError):
        remedy = f"install sentence-transformers, or use {NAME!r}, which needs no torch"
    elif "trust_remote_code" in str(error):
        remedy = "it needs its own code: if you trust its authors, download it to a folder and set encoder_code"
    else:
        remedy = f"give a folder with a sentence-transformers model, or {NAME!r}, which is installed"
    return f"encoder {name!r} cannot be loaded ({said}); {remedy}"
