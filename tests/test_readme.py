"""Every command of the README and of the documents, run as it stands in a copy of the checkout."""

import re
import shutil
import sys

import orjson
import pytest

from system.graph.records import Label
from tests.helpers.processes import ROOT, copy_tracked, run_command

README = ROOT / "README.md"
DOCUMENTS = sorted((ROOT / "docs").glob("*.md"))
THIS_TEST = "./scripts/test.sh"  # what runs the tests cannot be run by one of them


def blocks_of(path, language):
    """The blocks of a document in a language, each with the output that is shown right behind it, if any."""
    block = rf"^```{language}\n(.*?)^```(?:\n\n```text\n(.*?)^```)?"
    return re.findall(block, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


# In this order: the documents go on from what the commands of the README have written.
COMMANDS = [
    pytest.param(block, expected, id=f"{path.name}-{number}")
    for path in (README, *DOCUMENTS)
    for number, (block, expected) in enumerate(blocks_of(path, "bash"), start=1)
    if block.strip() != THIS_TEST
]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the tracked files with the environment of this one, and small data where the README has real data."""
    copy = tmp_path_factory.mktemp("checkout")
    copy_tracked(copy)
    stamp = ROOT / ".venv" / ".installed"
    wanted = b"".join((ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt"))
    if not stamp.exists() or stamp.read_bytes() != wanted:  # or the copy would install into this checkout's .venv
        pytest.fail("pyproject.toml or constraints.txt has changed since .venv was made: run scripts/setup.sh")
    (copy / ".venv").symlink_to(ROOT / ".venv")
    data = copy / "knowledge_store" / "data"
    (data / "dev").mkdir(parents=True)
    claims = orjson.loads((ROOT / "system" / "examples" / "claims.json").read_bytes())[:2]
    (data / "dev.json").write_bytes(orjson.dumps(claims))
    for i in range(len(claims)):
        shutil.copy2(ROOT / "knowledge_store" / "examples" / f"{i}.json", data / "dev")
    return copy


def any_confidence(text):
    """A text on one line, without the figures of confidences, whose last percent depends on the processor."""
    return re.sub(r"\(\d+%\)", "(%)", " ".join(text.split()))


@pytest.mark.slow
@pytest.mark.parametrize(("block", "expected"), COMMANDS)
def test_a_command_prints_what_the_document_says(checkout, block, expected):
    printed = run_command(["bash", "-euo", "pipefail", "-c", block], cwd=checkout).stdout
    assert printed.strip()
    assert any_confidence(expected) in any_confidence(printed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["README.md", "docs/service.md", "docs/tutorial.md"])
def test_documented_python_runs(name):
    ((snippet, _),) = blocks_of(ROOT / name, "python")
    printed = run_command([sys.executable, "-c", snippet], cwd=ROOT).stdout
    assert any(label in printed for label in Label)


@pytest.mark.parametrize("path", [README, *DOCUMENTS], ids=lambda path: path.name)
def test_every_named_path_exists(path):
    text = path.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:system|knowledge_store|submission|training|scripts)/[\w/.]*\w/?)`", text))
    made_by_users = {"knowledge_store/data/", *(f"system/strategies/panel/{one}.py" for one in ("strategy", "sources"))}
    assert named or path != README
    assert [name for name in sorted(named - made_by_users) if not (ROOT / name).exists()] == []
