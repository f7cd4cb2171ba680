"""``factgraph fetch``: download the weights of a profile ahead of a run."""

from collections.abc import Sequence

from system.app import options
from system.app.parsers import fetch as parser
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
