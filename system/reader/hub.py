"""Any sentence-pair model of transformers as a reader, by the names of its labels. It needs torch."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knowledge_store.turns import Turns, batches
from system.reader.base import Probabilities, ReaderUnavailable, Relation

_NAMES = {
    Relation.SUPPORTED: {"entailment", "entail", "entails", "supports", "supported", "support", "true"},
    Relation.REFUTED: {"contradiction", "contradict", "contradicts", "refutes", "refuted", "refute", "false"},
    Relation.NOT_ENOUGH: {"neutral", "nei", "notenoughinfo", "notenoughinformation", "notenough", "notenoughevidence"},
}
_LONGEST = 256


class HubReader:
    """A model of a folder or a name on the hub, on the GPU if there is one; it gives no labels of claims.

    Raises:
        ReaderUnavailable: torch is missing, there is no such model, or its labels are not those of entailment.
    """

    language = ""  # models on the hub do not say in one way which language they read
    thresholds = (0.7, 0.7)

    def __init__(self, name: str) -> None:
        try:
            import torch
            from safetensors import SafetensorError
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
        except ImportError as error:
            raise ReaderUnavailable(
                f"reader {name}: {error}; install the extra hub (scripts/setup.sh hub), or take the bundled reader"
            ) from error
        local = Path(name).is_dir()
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(name, local_files_only=local)
            model: Any = AutoModelForSequenceClassification.from_pretrained(name, local_files_only=local)
        except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
            reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
            raise ReaderUnavailable(
                f"reader {name}: cannot be loaded ({reason[0]}); give 'mpnet', a folder with a sentence-pair model, "
                "or the name of one on the model hub, for instance cross-encoder/nli-deberta-v3-xsmall"
            ) from error
        self._torch = torch
        self._columns = _columns(name, model.config.id2label)
        positions = getattr(model.config, "max_position_embeddings", _LONGEST)
        self._longest = min(_LONGEST, self._tokenizer.model_max_length, positions if positions > 0 else _LONGEST)
        self._model = model.eval().to("cuda" if torch.cuda.is_available() else "cpu")
        self._batch_tokens = 16_384 if torch.cuda.is_available() else 1024
        self._turns = Turns("reader")

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """See ``Reader``."""
        result = np.zeros((len(pairs), len(Relation)), np.float32)
        result[:, Relation.NOT_ENOUGH] = 1
        sizes = {place: size for place, pair in enumerate(pairs) if (size := self._size(*pair))}
        chosen = [*batches(sizes, lambda place: sizes[place], self._batch_tokens)]
        texts = ([pairs[place] for place in places] for places in chosen)
        for places, found in zip(chosen, self._turns.map(self._read, texts), strict=True):
            result[places] = found
        return result

    def labels(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """See ``Reader``."""
        raise ReaderUnavailable(
            "this reader gives no AVeriTeC labels; take the bundled one (--verifier mpnet), or a language model"
        )

    def _size(self, passage: str, statement: str) -> int:
        """Tokens of a pair; 0 if there is nothing to read, or the statement is too long."""
        if not (passage.strip() and statement.strip()):
            return 0
        size = len(self._tokenizer(statement[: self._longest * 100], truncation=False, verbose=False)["input_ids"])
        return 0 if size > self._longest * 3 // 4 else min(self._longest, size + len(passage) // 3)

    def _read(self, texts: Sequence[tuple[str, str]]) -> Probabilities:
        inputs = self._tokenizer(
            [passage[: self._longest * 100] for passage, _ in texts], [statement for _, statement in texts],
            truncation="only_first", max_length=self._longest, padding=True, return_tensors="pt",
        )  # fmt: skip
        with self._torch.inference_mode():
            logits = self._model(**inputs.to(self._model.device)).logits[:, self._columns]
        found: Probabilities = logits.float().softmax(-1).cpu().numpy()
        return found


def _columns(name: str, labels: dict[int, str]) -> list[int]:
    """The model's columns in the order of ``Relation``.

    Raises:
        ReaderUnavailable: they are other labels.
    """
    plain = {re.sub(r"[^a-z]", "", label.lower()): index for index, label in labels.items()}
    columns = [next((plain[known] for known in _NAMES[relation] if known in plain), -1) for relation in Relation]
    if -1 in columns or len(labels) != len(Relation):
        raise ReaderUnavailable(
            f"reader {name}: its labels are {', '.join(labels.values())}; expected three, as entailment, contradiction "
            "and neutral, or SUPPORTS, REFUTES and NOT ENOUGH INFO: give a model of natural language inference"
        )
    return columns
