"""The names that users import are there, and load nothing beforehand."""

import subprocess
import sys
from pathlib import Path

import pytest

import factgraph

# Of files that only commands write, and of a service.


def test_every_name_can_be_imported():
    assert {"FactChecker", "Claim", "Document", "Label", "__version__"} <= {*dir(factgraph)}
    assert all(hasattr(factgraph, name) for name in dir(factgraph))
    with pytest.raises(ImportError):
        exec("from factgraph import Nothing")


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
