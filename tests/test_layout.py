"""Packages are layers: each imports those below it and none above, and no two modules import each other in a circle."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from pathlib import Path

import pytest

from tests.helpers.processes import ROOT

# The lowest first. The application lies in the engine's folder and is no part of the engine, which imports none of it.
LAYERS = ("knowledge_store", "system", "submission", "system.app", "training")

# All folders of the engine, the lowest first. A folder imports none after it; stale names do no harm.
ROOMS = (
    "graph", "files", "averitec", "text", "tasks", "reader", "correction", "hardware", "models", "strategies",
    "runner", "article", "citations", "report",
)  # fmt: skip
PUBLIC = {"app", "library"}  # the application, and the names that users import

# Circles between folders that are known, as (importing folder, imported folder).
KNOWN = {("hardware", "models")}

STRATEGY = "system.strategies."

# What models know of the strategies: the tasks that several share, and nothing of one strategy alone.
SHARED_TASKS = "system.strategies.steps.tasks"

# The spine: all that lies at the engine's root beside the rooms.
SPINE = {"api", "case", "check", "checker", "collection", "deadline", "documents", "settings", "threads"}

# Rooms of the store, the lowest first; archives and search services stand in for pages on disk.
STORE_ROOMS = ("pages", "searchers", "bm25", "dense")

# ``python -m system`` opens the application, and nothing imports this file.
DOOR = "system/__main__.py"

# What scores and reports need of the engine: its records, claims with their annotations, files, and the report's pages.
SHARED = ("system.graph.records", "system.averitec", "system.files", "system.report")

# The only files of the application that reach the submission: a run writes it, and the doctor looks for its word list.
WRITERS = {"system/app/commands/checking.py", "system/app/commands/doctor.py"}

# The only file of the submission that reaches the engine's models: judges of evidence.
JUDGES = {"submission/ev2r/judge.py"}


def imported(source: str, module: str) -> Iterator[str]:
    """Yield the full dotted names that a module imports, wherever in it; relative ones are resolved."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def files_of(package: str) -> list[Path]:
    """The files of a package, named from the root, less those of a layer that lies in it."""
    inner = [ROOT / layer.replace(".", "/") for layer in LAYERS if layer.startswith(f"{package}.")]
    paths = sorted((ROOT / package.replace(".", "/")).rglob("*.py"))
    return [path.relative_to(ROOT) for path in paths if not any(path.is_relative_to(room) for room in inner)]


@cache
def names_imported_by(file: str) -> list[str]:
    module = file.removesuffix(".py").replace("/", ".")
    return list(imported((ROOT / file).read_text(encoding="utf-8"), module))


def within(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}.")


def offences(package: str, forbidden: str, allowed: tuple[str, ...] = ()) -> list[str]:
    """The imports of ``forbidden`` in a package, less those of the modules ``allowed``."""
    return [
        f"{file} imports {name}"
        for file in map(Path.as_posix, files_of(package))
        for name in names_imported_by(file)
        if within(name, forbidden) and not any(within(name, module) for module in allowed) and file != DOOR
    ]


def upward(layers: tuple[str, ...], folder: str = "") -> list[tuple[str, str]]:
    """The folder of each layer, with the module name of each layer above it."""
    module = folder.replace("/", ".")
    return [(folder + low, module + high) for low, high in combinations(layers, 2) if (low, high) not in KNOWN]


@pytest.mark.parametrize(
    ("package", "above"), [*upward(LAYERS), *upward(ROOMS, "system/"), *upward(STORE_ROOMS, "knowledge_store/")]
)
def test_packages_import_no_higher_ones(package: str, above: str) -> None:
    allowed = (SHARED_TASKS,) if package == "system/models" else ()
    assert offences(package, above, allowed) == []


def test_every_folder_and_root_module_of_the_engine_has_its_place() -> None:
    folders = {path.name for path in (ROOT / "system").iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert folders <= {*ROOMS, *PUBLIC} and len(folders) > 8
    assert all(files_of(f"knowledge_store/{room}") for room in STORE_ROOMS)
    assert {path.stem for path in (ROOT / "system").glob("[!_]*.py")} == SPINE


def test_only_named_files_cross_between_submission_and_engine() -> None:
    assert {offence.split()[0] for offence in offences("system/app", "submission")} <= WRITERS
    assert {offence.split()[0] for offence in offences("submission", "system", allowed=SHARED)} == JUDGES
    assert [fault for package in LAYERS for fault in offences(package, "scripts")] == []


def test_no_engine_package_knows_a_strategy() -> None:
    """A strategy's folder can be deleted: besides others that build on it, and training, none names it."""
    folders = {path.parent.name for path in (ROOT / "system" / "strategies").glob("*/__init__.py")} - {"steps"}
    rooms = [path.relative_to(ROOT).as_posix() for path in (ROOT / "system").iterdir() if path.is_dir()]
    engine = [*(room for room in rooms if room != "system/strategies"), "system/strategies/steps"]
    faults = [fault for room in engine for folder in folders for fault in offences(room, STRATEGY + folder)]
    assert folders and faults == []


def test_no_circular_imports() -> None:
    files = [file for package in LAYERS for file in files_of(package)]
    known = {file: ".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in files}
    arrows: dict[str, set[str]] = {module: set() for module in known.values()}
    for file, module in known.items():
        for name in names_imported_by(file.as_posix()):
            owner = name if name in arrows else name.rpartition(".")[0]  # a module, or a name in one
            if owner in arrows and owner != module:
                arrows[module].add(owner)
    assert "system.graph.graph" in arrows["system.check"]
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        pytest.fail(f"circle: {' -> '.join(error.args[1])}")
