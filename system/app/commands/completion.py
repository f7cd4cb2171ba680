"""``factgraph completion``: the script that a shell reads."""

from typing import Literal


def completion(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print a script that completes the commands and options of factgraph.

    bash: put  eval "$(factgraph completion bash)"  into ~/.bashrc.
    """
    from system.app.cli import app

    print(app.generate_completion(shell=shell))
    return 0
