"""Help, a version and unknown commands wait for no library of the models."""

import json
import subprocess
import sys
from importlib import import_module

import pytest

from system.app.cli import COMMANDS

LARGE = ("numpy", "scipy", "sklearn", "numba", "torch", "transformers", "sentence_transformers", "peft", "openvino",
         "nltk", "fastapi", "mcp", "llguidance", "trafilatura", "faiss", "regex",
         "snowballstemmer", "huggingface_hub")  # fmt: skip
ASKED = {
    "system": (
        ["--help"], ["--version"], ["verfy"], ["--help-all"], ["run", "--dpth", "2"], ["text", "a.txt", "--documnets"],
        ["verify", "x", "--documnets"], ["verify", "x", "--documents", "nowhere"], ["verify", "x"],
        ["score", "--predictoins"], ["doctor", "--profil"],
        *([name, "--help"] for name in COMMANDS),
    ),
    "submission": (["--help"], [], ["scoer"], ["calibrate", "--help"]),
    "knowledge_store": (["--help"], [], ["serach"], ["search", "--help"]),
    "training": (["--help"], [], ["trian"]),
}  # fmt: skip
PROBE = """import json, runpy, sys
module, large, asked = sys.argv[1], *map(json.loads, sys.argv[2:])
for arguments in asked:
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__")
    except SystemExit as end:
        print("\\nPROBE", json.dumps([arguments, [name for name in large if name in sys.modules], end.code]))
"""


@pytest.mark.parametrize("module", ASKED)
def test_help_version_and_typos_import_no_large_library(module):
    """All in one process: where none imports something, neither do they together."""
    arguments = [module, json.dumps(LARGE), json.dumps(ASKED[module])]
    done = subprocess.run([sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True)
    found = [json.loads(line.removeprefix("PROBE ")) for line in done.stdout.splitlines() if line.startswith("PROBE ")]
    helpful = {"--help", "--help-all", "--version"}
    assert found == [[one, [], 0 if helpful & {*one} else 2] for one in ASKED[module]], done.stderr


@pytest.mark.parametrize("package", ["submission", "training"])
def test_an_overview_names_the_commands_that_there_are(package, capsys):
    shown = []
    for module in ("__main__", "commands"):
        with pytest.raises(SystemExit):
            import_module(f"{package}.{module}").main(["--help"])
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
