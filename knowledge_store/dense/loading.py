"""Encoders from a folder or the model hub, which need sentence-transformers and torch.

Both are imported when a model is loaded, which then computes what its authors published. Example:
``HubModel("Qwen/Qwen3-Embedding-0.6B", None, trusted=False).encode(["A text."])``.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.openvino import CPU_BATCH

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

# Of a text. A batch of 32 such texts takes some 0.6 GiB of activations in an encoder of 0.6 B parameters.
MAX_TOKENS = 512


# oneDNN keeps code and buffers for the last 1,024 shapes of a batch: gigabytes after some hundred claims. Switching it
# off instead would do so for the language model too, which may be at work in another thread.
for _bound in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_bound, "64")

GPU_BATCH = 64_000  # characters


class UntrustedCode(ValueError):
    """A model has code of its own that may not run from where it is; the message says what to do."""


class HubModel:
    """A sentence-transformers model, as ``openvino.OpenVinoModel``; on a GPU it computes in half precision."""

    def __init__(self, name: str, device: str | None, *, trusted: bool) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # the terminal is the run's
        local, options = Path(name).is_dir(), _options_of_code(Path(name)) if trusted else None
        self._model = SentenceTransformer(
            name, device=device, local_files_only=local, trust_remote_code=trusted, config_kwargs=options
        )
        self._model.max_seq_length = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        if trusted:
            _rebuild_buffers(self._model)
        self.batch = CPU_BATCH
        if self._model.device.type == "cuda":
            self._model.half()
            self.batch = GPU_BATCH
        self._query_prompt = next((p for p in ("s2p_query", "query") if self._model.prompts.get(p)), None)
        self.symmetric = self._query_prompt is None

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> NDArray[np.float32]:
        """See ``encoder.Encoder``."""
        prompt = self._query_prompt if queries else None
        vectors = self._model.encode(
            list(texts), prompt_name=prompt, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)


def _options_of_code(folder: Path) -> dict[str, bool]:
    """Options that let code such as stella's run without xformers, its default."""
    from transformers import AutoConfig

    if not folder.is_dir():
        raise UntrustedCode(
            "its code runs only from a local folder, where it cannot change: "
            f"download one commit, 'hf download {folder} --revision COMMIT --local-dir FOLDER', and give the folder"
        )
    config = AutoConfig.from_pretrained(folder, trust_remote_code=True)
    elsewhere = [code for code in getattr(config, "auto_map", {}).values() if "--" in code]
    if elsewhere:
        raise UntrustedCode(f"config.json takes code from another repository ({elsewhere[0]}); copy it into the folder")
    return {part: False for part in ("use_memory_efficient_attention", "unpad_inputs") if hasattr(config, part)}


def _rebuild_buffers(model: "SentenceTransformer") -> None:
    """Recompute position ids, rotary caches and the like, which no checkpoint holds.

    transformers builds models on the meta device and leaves such buffers uninitialized; for its own architectures it
    fills them in afterwards, for code that a model brings it cannot (github.com/huggingface/transformers/issues/48892).
    """
    from accelerate import init_empty_weights
    from transformers import PreTrainedModel

    built = next((module for module in model.modules() if isinstance(module, PreTrainedModel)), None)
    if built is None:
        return
    with init_empty_weights(include_buffers=False):  # weights take no memory, buffers are computed
        fresh = type(built)(built.config)
    stored = built.state_dict().keys()
    for name, buffer in fresh.named_buffers():
        if name not in stored:
            owner, _, attribute = name.rpartition(".")
            old: Any = built.get_buffer(name)
            setattr(built.get_submodule(owner), attribute, buffer.to(old.device, old.dtype))
