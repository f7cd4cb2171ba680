"""``python -m training push``: an adapter and its card to a repository of the hub, where runs find it by name.

python -m training push models/moderator someone/factgraph-moderator
./run.sh --adapters moderator=someone/factgraph-moderator …
"""

import argparse
from pathlib import Path
from typing import Any

import httpx2

from training import TrainingError
from training.finetuning.checkpoints import CONFIG

NEEDED = (CONFIG, "adapter_model.safetensors", "README.md")
FILES = (*NEEDED, "curves.svg")
"""Files to push: none that names a folder of this machine, no checkpoints, no logs."""


def add_command(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "push",
        help="push an adapter to the model hub",
        description="Push an adapter and its card to a repository of the Hugging Face hub, made if there is none. "
        "The token of 'hf auth login' or of HF_TOKEN must be allowed to write; HF_ENDPOINT names another hub.",
    )
    parser.add_argument("adapter", type=Path, help="folder that 'python -m training train' wrote")
    parser.add_argument("repository", help="name on the hub: OWNER/NAME")
    parser.add_argument("--private", action="store_true", help="make a new repository private (default: public)")
    parser.add_argument("--message", help="of the commit (default: the adapter's name)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Push, and print where the adapter is now.

    Raises:
        TrainingError: see ``push``.
    """
    message = options.message or f"Add {options.adapter.resolve().name}"
    print(push(options.adapter, options.repository, message, private=options.private))


def push(adapter: Path, repository: str, message: str, *, private: bool) -> str:
    """Push an adapter in one commit; returns its address.

    Raises:
        TrainingError: the folder holds no trained adapter, or the hub does not take it.
    """
    from huggingface_hub import HfApi  # a large library

    if absent := [name for name in NEEDED if not (adapter / name).is_file()]:
        raise TrainingError(
            f"{adapter}: expected an adapter as 'python -m training train' leaves it, got none of {', '.join(absent)}"
        )
    api = HfApi()
    try:
        api.create_repo(repository, private=private, exist_ok=True)
        api.upload_folder(repo_id=repository, folder_path=adapter, allow_patterns=[*FILES], commit_message=message)
    except (OSError, ValueError, RuntimeError, httpx2.HTTPError) as error:  # the hub's own errors are of these kinds
        cause = error.__cause__ or error
        reason, *_ = str(cause).strip().splitlines() or [type(cause).__name__]
        raise TrainingError(
            f"{adapter} could not be pushed to {repository} on {api.endpoint} ({reason}); sign in with 'hf auth login' "
            "or set HF_TOKEN to a token that may write there, then run the same command again"
        ) from error
    return f"{api.endpoint}/{repository}"
