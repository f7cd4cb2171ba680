"""``python -m training check ADAPTER``: an adapter in the engine, beside PEFT, on the same prompts."""

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from training.finetuning.command import DATA


def add_command(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "check",
        help="check an adapter in the engine",
        description="Load an adapter in the engine, let it answer tasks of the example claims, compare with PEFT on "
        "the same prompts, and report format validity and held-out loss.",
    )
    parser.add_argument("adapter", type=Path, help="folder that 'python -m training train' wrote")
    parser.add_argument("--backend", choices=("vllm", "transformers"), help="default: vllm where it is installed")
    parser.add_argument("--model", help="what the engine serves, such as the base in 4 bits (default: the base itself)")
    parser.add_argument("--data", type=Path, default=DATA, help=f"folder of the data sets (default: {DATA})")
    parser.add_argument("--count", type=int, default=8, help="claims and held-out examples to try (default: 8)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Check and print the findings.

    Raises:
        TrainingError, ModelUnavailable: see ``check.check``.
    """
    from training.checking.check import Plan, check  # large libraries
    from training.finetuning.checkpoints import read_record

    backend = options.backend or ("vllm" if find_spec("vllm") else "transformers")
    model = options.model or str(read_record(options.adapter)["base"])
    print(check(Plan(options.adapter, backend, model, options.data, options.count)))
