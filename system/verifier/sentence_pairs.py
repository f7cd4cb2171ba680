"""Any sentence-pair model of transformers as a verifier, by the names of its labels."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from knowledge_store.turns import Turns
from system.verifier.base import Probabilities, Reading, VerifierUnavailable
from system.verifier.batching import BATCH_TOKENS, Batch, Encoded, judge

_NAMES = {
    Reading.SUPPORTED: {"entailment", "entail", "entails", "supports", "supported", "support", "true"},
    Reading.REFUTED: {"contradiction", "contradict", "contradicts", "refutes", "refuted", "refute", "false"},
    Reading.NOT_ENOUGH: {"neutral", "nei", "notenoughinfo", "notenoughinformation", "notenough", "notenoughevidence"},
}
_LONGEST = 256
_GPU_BATCH_TOKENS = 16384


class SentencePairVerifier:
    """Verifier of a folder or a name on the model hub; on the GPU where there is one."""

    language = ""  # models on the hub do not say in one way which they read

    def __init__(self, name: str) -> None:
        """Load it.

        Raises:
            VerifierUnavailable: no such model, damaged files, or labels other than those of entailment.
        """
        from safetensors import SafetensorError
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        local = Path(name).is_dir()
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(name, local_files_only=local)
            model: Any = AutoModelForSequenceClassification.from_pretrained(name, local_files_only=local)
        except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
            reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
            raise VerifierUnavailable(
                f"verifier {name}: cannot be loaded ({reason[0]}); give 'minilm', a folder with a sentence-pair model, "
                "or the name of one on the model hub, for instance cross-encoder/nli-deberta-v3-xsmall"
            ) from error
        self._columns = _columns(name, model.config.id2label)
        positions = getattr(model.config, "max_position_embeddings", _LONGEST)
        self._longest = min(_LONGEST, self._tokenizer.model_max_length, positions if positions > 0 else _LONGEST)
        self._model = model.eval().to("cuda" if torch.cuda.is_available() else "cpu")
        self._batch_tokens = _GPU_BATCH_TOKENS if torch.cuda.is_available() else BATCH_TOKENS
        self._types = "token_type_ids" in self._tokenizer.model_input_names
        self._turns = Turns("verifier")

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """See ``Verifier``."""
        padding = self._tokenizer.pad_token_id or 0
        return judge(pairs, self._encode, self._logits, self._turns, padding, self._batch_tokens)

    def _encode(self, passage: str, statement: str) -> Encoded | None:
        alone = self._tokenizer(statement[: self._longest * 100], truncation=False, verbose=False)["input_ids"]
        if len(alone) > self._longest * 3 // 4:
            return None
        cut = passage[: self._longest * 100]
        encoded = self._tokenizer(cut, statement, truncation="only_first", max_length=self._longest)
        ids = encoded["input_ids"]
        return Encoded(ids, encoded.get("token_type_ids", [0] * len(ids)))

    @torch.inference_mode()
    def _logits(self, batch: Batch) -> NDArray[np.float32]:
        ids, mask, types = batch
        inputs = {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if self._types else {})
        tensors = {name: torch.from_numpy(value).to(self._model.device) for name, value in inputs.items()}
        logits = self._model(**tensors).logits[:, self._columns]
        found: NDArray[np.float32] = logits.float().cpu().numpy()
        return found


def _columns(name: str, labels: dict[int, str]) -> list[int]:
    """The model's columns in the order of ``Reading``.

    Raises:
        VerifierUnavailable: they are other labels.
    """
    plain = {re.sub(r"[^a-z]", "", label.lower()): index for index, label in labels.items()}
    columns = [next((plain[known] for known in _NAMES[reading] if known in plain), -1) for reading in Reading]
    if -1 in columns or len(labels) != len(Reading):
        raise VerifierUnavailable(
            f"verifier {name}: its labels are {', '.join(labels.values())}; expected three, as entailment,"
            " contradiction and neutral, or SUPPORTS, REFUTES and NOT ENOUGH INFO: give a model of natural language"
            " inference"
        )
    return columns
