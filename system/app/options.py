"""The command line's options: the inputs of a run, and one for every setting, made from the settings themselves."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from system.settings import SECTIONS, Settings, bundled_profiles
from system.strategies import STRATEGIES, unknown_strategy

USUAL = {"depth", "branches", "questions", "debate", "backend", "model", "adapters", "address", "budget", "search"}
"""Settings that the short help shows."""

BRIEF = {"depth": 1, "questions": 3, "branches": 3, "dense_candidates": 16}
"""Settings for each of a text's many statements, unless the command line gives others."""


def add_inputs(parser: argparse.ArgumentParser, output: Path) -> None:
    """Add the options that name claims, store and output folder."""
    parser.add_argument(
        "--claims", type=Path, metavar="FILE", help="JSON, JSON Lines, CSV or text (default: the bundled examples)"
    )
    parser.add_argument(
        "--knowledge-store",
        type=Path,
        metavar="FOLDER",
        help="folder with a <claim id>.json per claim, or one file for all claims: a store or an archive",
    )
    add_documents(parser)
    parser.add_argument(
        "--output", type=Path, default=output, metavar="FOLDER", help=f"output folder (default: {output})"
    )
    parser.add_argument("--start", type=int, default=0, metavar="N", help="first claim, counted from 0 (default: 0)")
    parser.add_argument("--limit", type=int, metavar="N", help="number of claims (default: all)")


def add_documents(parser: argparse.ArgumentParser) -> None:
    """Add the options that name documents of the user's own."""
    parser.add_argument(
        "--documents",
        nargs="+",
        default=[],
        metavar="SOURCE",
        help="file (text, Markdown, HTML, PDF, DOCX, CSV), folder of them, store, - for standard input, or address",
    )
    parser.add_argument("--fetch", action="store_true", help="fetch any --documents that are web addresses")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Give a parser an option for each setting; what is not given stays out of the parsed values."""
    names = ", ".join(bundled_profiles())
    parser.add_argument("--profile", help=f"{names}, or a .toml file (default: what this machine has)")
    fields = Settings.model_fields
    parser.add_argument("--strategy", type=_strategy, choices=STRATEGIES, help=fields["strategy"].description)
    parser.add_argument("--options", **_kind(fields["options"]), help=fields["options"].description)
    for section, section_fields in SECTIONS.items():
        group = parser.add_argument_group(f"settings: {section} (defaults are those of the profile)")
        for name, field in section_fields.model_fields.items():
            group.add_argument(flag(name), **_kind(field), help=field.description)


def parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command's arguments; its help shows the settings that people use, and ``--help-all`` shows every one."""
    parser.add_argument("--help-all", action="help", help="show this help with every setting")
    if "--help-all" not in arguments:
        rare = {name for fields in SECTIONS.values() for name in fields.model_fields} - USUAL
        for action in parser._actions:  # argparse has no other way to hide an option that it knows
            if action.dest in rare:
                action.help = argparse.SUPPRESS
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        advice = _advice(unknown[0], parser._option_string_actions)
        parser.error(f"unrecognized arguments: {' '.join(unknown)}; {advice}")
    return args


def given_settings(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that the command line gave, by field name."""
    names = ["strategy", "options", *(name for fields in SECTIONS.values() for name in fields.model_fields)]
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def _strategy(name: str) -> str:
    if name not in STRATEGIES:
        raise argparse.ArgumentTypeError(unknown_strategy(name))
    return name


def _advice(word: str, flags: Iterable[str]) -> str:
    if not word.startswith("-"):
        return "put a text of several words in quotation marks"
    close = get_close_matches(word.partition("=")[0], flags, n=1)
    return f"did you mean {close[0]}?" if close else "--help-all shows every option"


def flag(name: str) -> str:
    """The option of a setting."""
    return f"--{name.replace('_', '-')}"


def _kind(field: FieldInfo) -> dict[str, Any]:
    if get_origin(field.annotation) is Literal:
        return {"choices": get_args(field.annotation)}
    if get_origin(field.annotation) is dict:
        return {"action": _Pairs, "nargs": "+", "metavar": "NAME=VALUE"}
    if get_origin(field.annotation) is list:
        return {"nargs": "+", "metavar": "TEXT"}
    if field.annotation in (bool, bool | None):
        return {"action": argparse.BooleanOptionalAction}
    assert field.annotation is not None
    return {"type": field.annotation, "metavar": {"int": "N", "float": "X"}.get(field.annotation.__name__, "TEXT")}


class _Pairs(argparse.Action):
    """Collects NAME=VALUE pairs into a dictionary."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        setattr(namespace, self.dest, dict(self._pairs(parser, values)))

    def _pairs(self, parser: argparse.ArgumentParser, values: list[str]) -> Iterator[tuple[str, str]]:
        for value in values:
            name, separator, content = value.partition("=")
            if not separator:
                parser.error(f"{self.option_strings[0]}: expected NAME=VALUE, got {value!r}")
            yield name, content
