"""How relevant a passage is to a query, in [0, 1]: a cross-encoder, or a bi-encoder's cosine where there is none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder
from training.errors import TrainingError

BI_ENCODER = "bi-encoder"


class Relevance(Protocol):
    """Scores passages for queries."""

    name: str

    def scores(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
        """(queries, passages) float64 in [0, 1]."""
        ...


class CrossEncoderRelevance:
    """A cross-encoder of sentence-transformers with one output, read as a logit.

    Args:
        name: folder, or name on the model hub.

    Raises:
        TrainingError: it cannot be loaded, or it has more than one output.
    """

    def __init__(self, name: str) -> None:
        from sentence_transformers import CrossEncoder

        try:
            self._model: Any = CrossEncoder(name, local_files_only=Path(name).is_dir())
        except (OSError, ValueError) as error:
            raise TrainingError(
                f"cross-encoder {name!r} could not be loaded ({str(error).splitlines()[0]}); give a folder with one, "
                f"or score with the encoder of retrieval, which the data card will say: --scorer {BI_ENCODER}"
            ) from error
        if self._model.num_labels != 1:
            raise TrainingError(f"cross-encoder {name!r} has {self._model.num_labels} outputs; give one that has one")
        self.name = name

    def scores(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
        """See ``Relevance.scores``."""
        from torch.nn import Sigmoid

        pairs = [(query, passage) for query in queries for passage in passages]
        found = self._model.predict(pairs, activation_fn=Sigmoid(), show_progress_bar=False)
        return np.asarray(found, dtype=np.float64).reshape(len(queries), len(passages))


class BiEncoderRelevance:
    """The cosine of the vectors that retrieval searches with; negative ones count 0."""

    name = BI_ENCODER

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def scores(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
        """See ``Relevance.scores``."""
        cosines = self._encoder.encode_queries(queries) @ self._encoder.encode(passages).T
        return np.clip(cosines.astype(np.float64), 0.0, 1.0)


def load_relevance(name: str, encoder: Encoder) -> Relevance:
    """The scorer of a name.

    Raises:
        TrainingError: see ``CrossEncoderRelevance``.
    """
    return BiEncoderRelevance(encoder) if name == BI_ENCODER else CrossEncoderRelevance(name)
