"""Help, a version, unknown commands and shell completion: they wait for no library of the models."""

import json
import shutil
import sys
from contextlib import suppress
from importlib import import_module

import pytest

from system.app import cli
from system.app.cli import COMMANDS
from tests.helpers.processes import run_command

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
    "training": (["--help"], [], ["trian"], ["reader", "--help"], ["reader"], ["reader", "trian"]),
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
    done = run_command([sys.executable, "-c", PROBE, *arguments])
    found = [json.loads(line.removeprefix("PROBE ")) for line in done.stdout.splitlines() if line.startswith("PROBE ")]
    helpful = {"--help", "--help-all", "--version"}
    assert found == [[one, [], 0 if helpful & {*one} else 2] for one in ASKED[module]], done.stderr


@pytest.mark.parametrize("package", ["submission", "training"])
def test_an_overview_names_the_commands_that_there_are(package, capsys):
    shown = []
    for module in ("__main__", "commands"):
        with suppress(SystemExit):
            import_module(f"{package}.{module}").main(["--help"])
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


def offered(script: str, *words: str) -> set[str]:
    """Bash's offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    asks = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _factgraph; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return {*run_command(["bash", "-c", f"{script}\n{asks}"]).stdout.split()}


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_commands_options_and_choices(capsys):
    assert cli.main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert {"verify", "doctor", "fetch", "completion"} <= offered(script, "factgraph", "")
    assert offered(script, "factgraph", "doc") == {"doctor"}
    assert {"--claims", "--strategy"} <= offered(script, "factgraph", "run", "--")
    assert {"got", "debatecv"} <= offered(script, "factgraph", "run", "--strategy", "")
    assert "--documents" in offered(script, "factgraph", "verify", "--")
