"""The names that users import are there, and load nothing beforehand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import factgraph


def test_every_name_can_be_imported():
    assert {"FactChecker", "Claim", "Document", "Label", "__version__"} <= {*dir(factgraph)}
    assert all(hasattr(factgraph, name) for name in dir(factgraph))
    with pytest.raises(ImportError):
        exec("from factgraph import Nothing")


def test_importing_it_loads_no_large_library():
    code = "import sys, factgraph; print(*{'torch', 'numba', 'faiss', 'pydantic', 'numpy'} & sys.modules.keys())"
    _, library, _, root = Path(factgraph.__file__).parents[:4]
    path = {**os.environ, "PYTHONPATH": f"{root}:{library}"}
    assert subprocess.check_output([sys.executable, "-c", code], env=path, text=True).strip() == ""
