"""The arrows between the packages point one way: training, submission, system → knowledge_store."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# The only files of the engine that write a submission, and the one of the service that shows a claim as reports do.
WRITERS = {"system/cli.py", "system/commands/doctor.py", "system/commands/run.py", "system/service/pages.py"}

# The only file of the submission that reaches the engine's models: as judges of evidence.
JUDGES = {"submission/ev2r/models.py"}


def imported(source: str, module: str) -> Iterator[str]:
    """Yield the full dotted names that a module imports, wherever in it; relative ones are resolved."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imports_of(package: str) -> Iterator[tuple[str, str]]:
    """Yield (file, imported name) for all files of a package; files are named from the root."""
    for path in sorted((ROOT / package).rglob("*.py")):
        file = path.relative_to(ROOT)
        for name in imported(path.read_text(encoding="utf-8"), ".".join(file.with_suffix("").parts)):
            yield file.as_posix(), name


def within(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}.")


def offences(package: str, forbidden: str, allowed: str | None = None) -> list[str]:
    """The imports of ``forbidden`` in a package, less those of the module ``allowed``."""
    return [
        f"{file} imports {name}"
        for file, name in imports_of(package)
        if within(name, forbidden) and not (allowed and within(name, allowed))
    ]


@pytest.mark.parametrize("package", ["system", "knowledge_store", "submission", "training"])
def test_packages_are_where_the_rules_look(package: str) -> None:
    assert (ROOT / package / "__init__.py").is_file()


def test_imports_of_real_files_are_found() -> None:
    assert "system/records.py imports knowledge_store.passages.Passage" in offences("system", "knowledge_store")
    assert offences("system", "knowledge_store", allowed="knowledge_store") == []


@pytest.mark.parametrize("forbidden", ["system", "submission", "training"])
def test_knowledge_store_stands_alone(forbidden: str) -> None:
    assert offences("knowledge_store", forbidden) == []


def test_submission_knows_only_the_records_of_the_engine() -> None:
    found = offences("submission", "system", allowed="system.records")
    assert {offence.split()[0] for offence in found} == JUDGES


@pytest.mark.parametrize("package", ["system", "submission"])
def test_nothing_imports_training(package: str) -> None:
    assert offences(package, "training") == []


def test_only_the_command_line_of_the_engine_writes_submissions() -> None:
    assert [offence for offence in offences("system", "submission") if offence.split()[0] not in WRITERS] == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import training.data as data, os", ["training.data", "os"]),
        ("from system import records, graph", ["system.records", "system.graph"]),
        ("from system.records import Claim", ["system.records.Claim"]),
        ("def late():\n    if True:\n        import submission", ["submission"]),
        ("from .base import Model", ["system.models.base.Model"]),
        ("from ..records import Claim", ["system.records.Claim"]),
    ],
)
def test_every_kind_of_import_is_seen(source: str, names: list[str]) -> None:
    assert list(imported(source, "system.models.vllm")) == names


def test_a_name_that_merely_begins_alike_is_another_module() -> None:
    assert within("system.records.Claim", "system.records")
    assert not within("systematic", "system")
