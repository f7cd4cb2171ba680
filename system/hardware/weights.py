"""Weights that a run needs: where they are, and how to fetch them before the clock starts.

A name is a folder, weights that the project carries ("all-MiniLM-L6-v2"), or a repository of the Hugging Face hub,
whose files lie in its cache (``HF_HOME``). With ``HF_HUB_OFFLINE=1`` a run asks the hub for nothing.
"""

from pathlib import Path

from knowledge_store.dense.openvino import BUNDLED, NAME
from system.models.base import ModelUnavailable, first_line
from system.settings import Settings

PICKLES = "pytorch_model*.bin"  # code, which no fetch brings; the same tensors are there as safetensors


def needed(settings: Settings) -> dict[str, str]:
    """Return the names of a run's model, adapters from the hub and encoder, by purpose ("adapter moderator")."""
    names = {}
    if settings.model.backend == "vllm":  # other backends have no weights here
        names["model"] = settings.model.model
        names |= {f"adapter {task}": name for task, name in settings.model.adapters.items() if not Path(name).is_dir()}
    return names | {"encoder": settings.retrieval.encoder}


def find(name: str) -> Path | None:
    """Return the folder of weights, or None if some of their files are not on this machine."""
    if name == NAME:
        return BUNDLED
    folder = Path(name)
    if not folder.is_dir():
        try:
            folder = _of_hub(name, local_files_only=True)
        except (OSError, ValueError):  # not in the cache, or only in part, or no name that the hub allows
            return None
    return folder if size(folder) else None


def size(folder: Path) -> int:
    """Return the bytes of a model's or an adapter's tensors; a pickle is code, and counts as none."""
    return sum(file.stat().st_size for file in folder.glob("*model*.safetensors"))  # Mistral's have a second copy


def fetch(name: str) -> str:
    """Return a folder as it is, and that of another name, whose download is made or resumed if it is not complete.

    Raises:
        ModelUnavailable: the hub does not answer or has no such weights, or the disk is full.
    """
    folder = Path(name) if Path(name).is_dir() else find(name)
    if folder is None:
        try:
            folder = _of_hub(name)
        except (OSError, ValueError) as error:
            raise ModelUnavailable(
                f"{name}: cannot be fetched ({first_line(error)}); check the connection and the name of the "
                "Hugging Face repository, or give a folder that holds the weights"
            ) from error
        if not size(folder):
            message = f"{name}: the hub has no weights as safetensors, and a pickle is not read; convert it"
            raise ModelUnavailable(message)
    return str(folder)


def _of_hub(name: str, *, local_files_only: bool = False) -> Path:
    import httpx2  # these take half a second, which bundled weights need not
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=local_files_only, ignore_patterns=[PICKLES]))
    except httpx2.HTTPError as error:
        raise OSError(first_line(error)) from error
