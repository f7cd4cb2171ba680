"""The command line's options: one for every setting, made from the settings themselves."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from system.settings import RENAMED, SECTIONS, Settings, bundled_profiles

USUAL = {"depth", "branches", "questions", "debate", "backend", "model", "adapters", "address", "budget", "search"}
"""Settings that the short help shows."""


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Give a parser an option for each setting; what is not given stays out of the parsed values."""
    names = ", ".join(bundled_profiles())
    parser.add_argument("--profile", help=f"{names}, or a .toml file (default: what this machine has)")
    parser.add_argument("--strategy", **_kind(Settings.model_fields["strategy"]), help="how a claim is checked")
    for section, fields in SECTIONS.items():
        group = parser.add_argument_group(f"settings: {section} (defaults are those of the profile)")
        for name, field in fields.model_fields.items():
            group.add_argument(_flag(name), **_kind(field), help=field.description)
    for old in RENAMED:
        parser.add_argument(_flag(old), action=_Renamed, nargs="?", dest=argparse.SUPPRESS, help=argparse.SUPPRESS)


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
    names = ["strategy", *(name for fields in SECTIONS.values() for name in fields.model_fields)]
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def _advice(word: str, flags: Iterable[str]) -> str:
    if not word.startswith("-"):
        return "put a text of several words in quotation marks"
    close = get_close_matches(word.partition("=")[0], flags, n=1)
    return f"did you mean {close[0]}?" if close else "--help-all shows every option"


def _flag(name: str) -> str:
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


class _Renamed(argparse.Action):
    """Ends with the new name of an option that had another."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        old = self.option_strings[0]
        parser.error(f"{old} is now {_flag(RENAMED[old.removeprefix('--').replace('-', '_')])}")
