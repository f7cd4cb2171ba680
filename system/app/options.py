"""Options that several commands share, and one for every setting, made from the settings themselves.

cyclopts reads a command's options from the annotations of its function:

    def fetch(settings: SettingOptions | None = None) -> int: ...
    given(settings)  # {"depth": 2} after "factgraph fetch --depth 2"
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, get_args, get_origin

from cyclopts import Group, Parameter
from pydantic import BaseModel

from system.settings import SECTIONS, Settings, SettingsError, bundled_profiles
from system.strategies import STRATEGIES

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry

USUAL = {"depth", "branches", "debate", "backend", "model", "adapters", "address", "budget", "search"}
"""Settings that the short help shows."""

BRIEF = {"depth": 1, "branches": 3, "dense_candidates": 16}
"""Settings for each of a text's many statements, unless the command line gives others."""


def _utf8(_: type, text: str) -> None:
    """Refuse text that is none: the shell hands on any bytes, and Python hides those."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"expected UTF-8, got {text!a:.60}; set the terminal to UTF-8") from None


Documents = Annotated[
    list[str],
    Parameter(
        consume_multiple=True,
        help="file (text, Markdown, HTML, PDF, DOCX, CSV), folder of them, store, - for standard input, or address",
    ),
]
Fetch = Annotated[bool, Parameter(help="fetch any --documents that are web addresses")]
ClaimText = Annotated[str, Parameter(validator=_utf8, help="the claim, in quotation marks")]
Date = Annotated[str, Parameter(validator=_utf8, help="when it was said, as 2020-08-25 or 25-8-2020")]
Speaker = Annotated[str, Parameter(validator=_utf8, help="who said it")]
Json = Annotated[bool, Parameter(name="--json", help="print the result as JSON")]
ClaimsFile = Annotated[Path | None, Parameter(help="JSON, JSON Lines, CSV or text (default: the bundled examples)")]
Store = Annotated[
    Path | None,
    Parameter(help="folder with a <claim id>.json per claim, or one file for all claims: a store or an archive"),
]


def flag(name: str) -> str:
    """The option of a setting."""
    return f"--{name.replace('_', '-')}"


def _option(name: str, kind: Any, help: str | None, group: Group) -> Any:
    """The annotation of a setting's option; pairs and lists are several words behind one option."""
    several = get_origin(kind) in (list, dict)
    if get_origin(kind) is dict:
        help = f"{help}: NAME=VALUE ..."
    switch = kind is bool or bool in get_args(kind)
    return Annotated[
        bool if switch else list[str] if several else kind,
        Parameter(
            name=flag(name),
            help=help,
            group=group,
            negative=[flag(f"no_{name}")] if switch else [],
            consume_multiple=several,
        ),
    ]


def _options() -> dict[str, Any]:
    usual = Group("settings", sort_key=1)
    profiles = f"{', '.join(bundled_profiles())}, or a .toml file (default: what this machine has)"
    known, fields = Literal.__getitem__(tuple(STRATEGIES)), Settings.model_fields
    found = {
        "profile": _option("profile", str, profiles, usual),
        "strategy": _option("strategy", known, fields["strategy"].description, usual),
        "options": _option("options", fields["options"].annotation, fields["options"].description, usual),
    }
    for place, (section, kind) in enumerate(SECTIONS.items(), start=2):
        group = Group(f"settings: {section} (defaults are those of the profile)", sort_key=place)
        for name, field in kind.model_fields.items():
            found[name] = _option(name, field.annotation, field.description, group)
    return found


if TYPE_CHECKING:
    SettingOptions = dict[str, Any]
else:
    SettingOptions = Annotated[TypedDict("SettingOptions", _options(), total=False), Parameter(name="*")]

HiddenSettings = Annotated[SettingOptions | None, Parameter(show=False)]
"""Settings of a command that has options of its own to show."""


def given(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """The settings that the command line gave, by field name, without the profile.

    Raises:
        SettingsError: a pair is not NAME=VALUE.
    """
    kinds: list[type[BaseModel]] = [Settings, *SECTIONS.values()]
    fields = {name: field for section in kinds for name, field in section.model_fields.items()}
    pairs = {name for name, field in fields.items() if get_origin(field.annotation) is dict}
    found = {name: value for name, value in (settings or {}).items() if name != "profile"}
    return {name: _pairs(name, value) if name in pairs else value for name, value in found.items()}


def _pairs(name: str, values: Sequence[str]) -> dict[str, str]:
    split = [value.partition("=") for value in values]
    if wrong := [key for key, separator, _ in split if not separator]:
        raise SettingsError(f"{flag(name)}: expected NAME=VALUE, got {wrong[0]!r}")
    return {key: value for key, _, value in split}


EVERY_SETTING: ContextVar[bool] = ContextVar("EVERY_SETTING", default=False)
"""Whether help shows every setting (``--help-all``)."""


def usual(entries: "list[HelpEntry]") -> "list[HelpEntry]":
    """The entries of a help, without settings that few people use unless every one is wanted."""
    rare = {flag(name) for fields in SECTIONS.values() for name in fields.model_fields} - set(map(flag, USUAL))
    return [one for one in entries if EVERY_SETTING.get() or not rare & {*one.positive_names}]
