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


def prepare(store: Path, passages: Sequence[Passage], encoder: Encoder, name: str) -> None:
    """Embed passages with the encoder of a name, and write the vectors in half precision."""
    vectors = encoder.encode([passage.text for passage in passages]).astype(np.float16)
    new = store.with_suffix(".new.npz")
    np.savez(new, encoder=name, marks=np.array([mark(one.text) for one in passages], np.uint64), vectors=vectors)
    new.replace(store.with_suffix(".npz"))


def prepared(store: Path, name: str) -> dict[int, Vectors]:
    """The vectors of a store by the marks of their texts; none, if it has none of the encoder of this name."""
    file = store.with_suffix(".npz")
    try:
        with np.load(file) as arrays:
            if arrays["encoder"] != name:
                raise ValueError(f"expected the encoder {name}, got {arrays['encoder']}")
            return dict(zip(arrays["marks"].tolist(), arrays["vectors"].astype(np.float32), strict=True))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        log.warning("%s: not used (%s); run 'factgraph embed' again", file, error)
        return {}


def mark(text: str) -> int:
    """A hash of a passage's text."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
