"""The commands of ``python -m training``: functions, whose parameters are the options and whose docstring is the help.

The module of a command is imported when the command is given, and it imports torch only when the command runs.
"""

import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError, Parameter

from system.app.errors import can_be_mended
from training import TrainingError, reader

COMMANDS = {
    "data": ("datasets.command:data", "Make the adapters' data sets, or go on making them; takes a run's settings."),
    "train": ("finetuning.command:train", "Fine-tune a LoRA adapter on a data set; the same command again resumes."),
    "quantize": ("quantization:quantize", "Quantize a base model to 4 bits (AWQ) and print what that costs."),
    "dequantize": ("quantization:dequantize", "Make a trainable base from a checkpoint of AutoAWQ or llm-compressor."),
    "check": ("check:check", "Check that the engine applies an adapter as PEFT does; takes a run's settings."),
}
READER = {
    "data": ("data:write_data", "Write the array file of one epoch."),
    "train": ("train:train", "Train; the same command again resumes."),
    "export": ("export:export", "Write a trained reader for the engine, with weights of 8 bits."),
    "thresholds": ("thresholds:fit", "Fit temperatures and thresholds of an exported reader."),
    "evaluate": ("evaluate:evaluate", "Print accuracy, balanced accuracy and macro-F1 beside published values."),
}
"""Function and help of each command."""

app = App(
    name="python -m training",
    help="Make data sets, train, quantize and check adapters, train the reader.",
    help_format="plaintext",
    default_parameter=Parameter(negative=(), consume_multiple=1, allow_repeating=True),
    version_flags=(),
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
    result_action="print_non_none_return_zero",
)
app.command(reader_app := App(name="reader", help=reader.__doc__))
for _app, _package, _commands in ((app, "training", COMMANDS), (reader_app, "training.reader", READER)):
    for _name, (_function, _help) in _commands.items():
        _app.command(f"{_package}.{_function}", name=_name, help=_help)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, or 2 with the reason on standard error.

    Every command resumes: what is finished stays, and the same command goes on from there.
    """
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    known, rest = (READER, given[1:]) if given[:1] == ["reader"] else (("reader", *COMMANDS), given)
    asked = [*rest, "none"][0]
    if not (asked.startswith("-") or asked in known):  # the library would import all commands to name them
        print(f"error: expected a command ({', '.join(known)}), got {asked}", file=sys.stderr)
        return 2
    try:
        return app(given) or 0
    except KeyboardInterrupt:
        print("stopped; run the same command to resume", file=sys.stderr)
    except Exception as error:
        if isinstance(error, CycloptsError | TrainingError) or can_be_mended(error):
            print(f"error: {error}", file=sys.stderr)
        elif isinstance(error, ModuleNotFoundError):
            print(f"error: {error}; install the extra train: scripts/setup.sh train", file=sys.stderr)
        elif isinstance(error, OSError):
            print(f"error: {error}; fix it and run the same command again: what is finished is kept", file=sys.stderr)
        else:
            raise
    return 2
