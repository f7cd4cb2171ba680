"""Vectors of a store's passages, computed before a run: those of STORE.json lie beside it, in STORE.npz.

Each is found by the hash of its text, so that a store or a size of passages that has changed does no harm.
"""

import logging
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from knowledge_store.dense.encoder import Encoder, Vectors
from knowledge_store.pages.page import Passage

log = logging.getLogger(__name__)


def prepare(store: Path, passages: Sequence[Passage], encoder: Encoder, name: str) -> int:
    """Embed passages with the encoder of a name, and write the vectors in half precision; return how many."""
    texts = list(dict.fromkeys(passage.text for passage in passages))
    new = store.with_suffix(".new.npz")
    marks = np.array([*map(_mark, texts)], np.uint64)
    np.savez(new, encoder=name, marks=marks, vectors=encoder.encode(texts).astype(np.float16))
    new.replace(store.with_suffix(".npz"))
    return len(texts)


class Prepared:
    """What was computed for a store by the encoder of a name; nothing, if its file is missing or of no use."""

    def __init__(self, store: Path | None, name: str) -> None:
        file = store and store.with_suffix(".npz")
        self._vectors: dict[int, Vectors] = {}
        try:
            if file and file.exists():
                with np.load(file) as arrays:
                    if arrays["encoder"] != name:
                        raise ValueError(f"made by the encoder {arrays['encoder']}, expected {name}")
                    vectors = arrays["vectors"].astype(np.float32)
                    self._vectors = dict(zip(arrays["marks"].tolist(), vectors, strict=True))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            log.warning("%s: not used (%s); run 'python -m submission embed' again", file, error)

    def of(self, text: str) -> Vectors | None:
        """The vector of a passage's text."""
        return self._vectors.get(_mark(text)) if self._vectors else None


def _mark(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
