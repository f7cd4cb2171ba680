"""The bi-encoder: texts to unit vectors, so that an inner product is a cosine.

Example: ``SentenceEncoder.of(RetrievalSettings()).encode(["A text."])``, (1, 384) float32.
"""

import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.openvino import BUNDLED, CPU_BATCH, NAME, OpenVinoModel
from knowledge_store.settings import RetrievalSettings
from knowledge_store.turns import Turns, batches

Vectors = NDArray[np.float32]
Cache = OrderedDict[str, Vectors]

GPU_BATCH = 64_000  # characters
# Of a text. A batch of 32 such texts takes some 0.6 GiB of activations in an encoder of 0.6 B parameters.
MAX_TOKENS = 512
# Questions and answers that share no word, from subjects far apart.
KNOWN_PAIRS = (
    ("Did the price of cod fall?", "Fish became cheaper in May."),
    ("Who leads the government?", "The prime minister took office on Monday."),
    ("How do stars form?", "Clouds of gas collapse under their own gravity."),
)

# oneDNN keeps code and buffers for the last 1,024 shapes of a batch: gigabytes after some hundred claims. Switching it
# off instead would do so for the language model too, which may be at work in another thread.
for _bound in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_bound, "64")


class EncoderUnavailable(Exception):
    """The encoder cannot be loaded; the message says what is missing and what to do."""


class Encoder(Protocol):
    """Turns texts into vectors."""

    dimension: int

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed passages or sentences: (len(texts), dimension) float32, each row of length 1."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; differs from ``encode`` only for models with a query prompt."""


class HubModel:
    """A sentence-transformers model, used as ``OpenVinoModel``; on a GPU it computes in half precision."""

    def __init__(self, name: str) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # the terminal is the run's
        self._model = SentenceTransformer(name, local_files_only=Path(name).is_dir())
        self._model.max_seq_length = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        self.batch = CPU_BATCH
        if self._model.device.type == "cuda":
            self._model.half()
            self.batch = GPU_BATCH
        self._query_prompt = next((p for p in ("s2p_query", "query") if self._model.prompts.get(p)), None)
        self.symmetric = self._query_prompt is None

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> Vectors:
        """See ``Encoder``."""
        prompt = self._query_prompt if queries else None
        vectors = self._model.encode(
            list(texts), prompt_name=prompt, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)


class SentenceEncoder:
    """A model that embeds each text once. Threads may share it: they take turns at its batches.

    It keeps the ``capacity`` last used vectors of passages, and of queries: 20,000 of MiniLM take 30 MB.
    """

    def __init__(self, model: OpenVinoModel | HubModel, dimension: int, capacity: int = 20_000) -> None:
        self._model, self._capacity, self.dimension = model, capacity, dimension
        self._passages: Cache = OrderedDict()
        self._queries: Cache = self._passages if model.symmetric else OrderedDict()
        self._turns = Turns("encoder")  # one thread: tokenizers require it, and no cache needs a lock

    @classmethod
    def of(cls, settings: RetrievalSettings) -> "SentenceEncoder":
        """Load the encoder that the settings name: the installed MiniLM, a folder, or a name on the model hub.

        Raises ``EncoderUnavailable`` if the model cannot be found or loaded, or its vectors make no sense.
        """
        name = settings.encoder
        try:
            model: OpenVinoModel | HubModel = OpenVinoModel(BUNDLED) if name == NAME else HubModel(name)
        except (OSError, RuntimeError, ValueError, KeyError, ImportError) as error:
            raise EncoderUnavailable(_explained(name, error)) from error
        return cls(model, _checked(name, model))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        return self._look_up(texts, self._passages, queries=False)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode_queries``."""
        return self._look_up(texts, self._queries, queries=True)

    def _look_up(self, texts: Sequence[str], cache: Cache, *, queries: bool) -> Vectors:
        def embed(batch: Sequence[str]) -> dict[str, Vectors]:
            if missing := [text for text in batch if text not in cache]:
                cache.update(zip(missing, self._model.encode(missing, queries=queries), strict=True))
            for text in batch:
                cache.move_to_end(text)
            vectors = {text: cache[text] for text in batch}
            while len(cache) > self._capacity:
                cache.popitem(last=False)
            return vectors

        found: dict[str, Vectors] = {}
        for vectors in self._turns.map(embed, batches(dict.fromkeys(texts), len, self._model.batch)):
            found |= vectors
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)


def _checked(name: str, model: OpenVinoModel | HubModel) -> int:
    """Check that known answers are nearest to their questions, warm up, and return the vectors' dimension."""
    questions, answers = zip(*KNOWN_PAIRS, strict=True)
    try:
        vectors = model.encode(answers)
        cosines = model.encode(questions, queries=True) @ vectors.T
    except Exception as error:  # a model that fits its library badly can fail in any way
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


def _explained(name: str, error: Exception) -> str:
    said = (str(error).splitlines() or [type(error).__name__])[0]
    if name == NAME:
        remedy = "install this package again"
    elif isinstance(error, ImportError):
        remedy = f"install sentence-transformers, or use {NAME!r}, which needs no torch"
    elif "trust_remote_code" in str(error):
        remedy = "code that comes with an encoder is not run: give one that transformers knows"
    else:
        remedy = f"give a folder with a sentence-transformers model, or {NAME!r}, which is installed"
    return f"encoder {name!r} cannot be loaded ({said}); {remedy}"
