"""The names that users import are there, load nothing beforehand, and are known to type checkers."""

import ast
import subprocess
import sys
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from types import GenericAlias
from typing import Any, get_args, get_origin, get_type_hints

import pytest

import factgraph
from system.app.errors import USER_ERRORS
from system.keywords import SettingKeywords
from system.settings import SECTIONS, Settings

# Of files that only commands write, and of a service.
OF_COMMANDS = {"AccessError", "CheckerError", "JournalError", "FileError", "WeightsError"}


def test_every_name_can_be_imported():
    assert {name: getattr(factgraph, name).__name__ for name in factgraph.__all__ if name.endswith("Error")}
    assert {"FactChecker", "Claim", "Document", "Label", "__version__"} <= {*dir(factgraph)}
    assert all(hasattr(factgraph, name) for name in dir(factgraph))
    with pytest.raises(ImportError):
        exec("from factgraph import Nothing")


def test_type_checkers_see_the_same_names():
    (block,) = (node for node in ast.parse(Path(factgraph.__file__).read_text()).body if isinstance(node, ast.If))
    seen = {(node.module, alias.asname) for node in block.body for alias in node.names}
    assert seen == {(module, name) for name, module in factgraph._MODULES.items()}


def test_every_error_of_a_check_is_exported():
    assert {error.rpartition(".")[2] for error in USER_ERRORS} - OF_COMMANDS <= {*factgraph.__all__}


def test_importing_it_loads_no_large_library():
    code = "import sys, factgraph; print(*{'torch', 'numba', 'faiss', 'pydantic', 'numpy'} & sys.modules.keys())"
    path = str(Path(factgraph.__file__).parents[1])
    root = str(Path(factgraph.__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = [{root!r}, {path!r}]; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ""


def test_keywords_are_the_settings():
    hints = get_type_hints(Settings)
    wanted = {name: _given(hints[name]) for name in ("strategy", "options")} | hints_of(SECTIONS.values())
    assert get_type_hints(SettingKeywords) == wanted


def hints_of(kinds: Iterable[type]) -> dict[str, Any]:
    hints = (item for kind in kinds for item in get_type_hints(kind).items())
    return {name: _given(hint) for name, hint in hints if not name.startswith(("model_", "_"))}


def _given(hint: Any) -> Any:
    """The type that users give: texts in place of enumerations."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return str
    if get_origin(hint) in (list, dict):
        return GenericAlias(get_origin(hint), tuple(map(_given, get_args(hint))))
    return hint
