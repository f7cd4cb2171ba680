"""``factgraph fetch``: download the weights of a profile ahead of a run."""

from system.app.commands import common
from system.app.options import SettingOptions


def fetch(settings: SettingOptions | None = None) -> int:
    """Download what a profile needs, and print where it lies.

    Weights are stored in the Hugging Face cache (set HF_HOME to move it).
    """
    from system.hardware import weights

    for purpose, name in weights.needed(common.settings_of(settings, quiet=True)).items():
        print(f"{purpose} {name}: {weights.fetch(name)}", flush=True)
    return 0
