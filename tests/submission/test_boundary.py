"""The arrow from the submission to the engine: its record types and nothing else, but for one file."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import submission

PACKAGE = Path(submission.__file__).parent
JUDGES = PACKAGE / "ev2r" / "models.py"  # makes judges of the engine's models


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _forbidden(source: str) -> list[str]:
    ours = [name for name in _imported(ast.parse(source)) if name.split(".")[0] in ("system", "training")]
    return [name for name in ours if name.split(".")[:2] != ["system", "records"]]


@pytest.mark.parametrize("path", sorted({*PACKAGE.rglob("*.py")} - {JUDGES}), ids=lambda path: path.name)
def test_a_module_imports_nothing_of_the_engine_but_its_records(path: Path) -> None:
    assert _forbidden(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "import system",
        "import system.graph as g",
        "from system import graph",
        "def f():\n    from system.graph import Graph",
    ],
)
def test_other_imports_of_the_engine_are_seen(source: str) -> None:
    assert _forbidden(source) != []
    assert _forbidden("from system.records import Label\nfrom system import records\nimport system.records") == []
