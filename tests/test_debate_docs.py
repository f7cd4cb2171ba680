"""What docs/debates.md says exists: every strategy, option and file."""

import re
from pathlib import Path

import pytest

from system.app.commands.run import parser
from system.strategies import STRATEGIES

ROOT = Path(__file__).resolve().parent.parent
DOCS = (ROOT / "docs" / "debates.md").read_text(encoding="utf-8")


def test_every_strategy_is_described_and_no_other() -> None:
    first_cells = re.findall(r"^\| (`[^|]+) \|", DOCS.partition("## Ablations")[0], re.MULTILINE)
    described = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
    assert described == set(STRATEGIES)


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z-]+)", DOCS))))
def test_every_named_option_exists(option: str) -> None:
    assert option in parser().format_help()


@pytest.mark.parametrize("path", re.findall(r"`?((?:system|scripts)/[\w/.]+\.py)`?", DOCS))
def test_every_named_file_exists(path: str) -> None:
    assert (ROOT / path).is_file()
