"""Every strategy and option that docs/debates.md names exists."""

import re
from pathlib import Path

import pytest

from system.app import cli
from system.strategies import STRATEGIES

DOCS = (Path(__file__).resolve().parent.parent / "docs" / "debates.md").read_text(encoding="utf-8")


def test_every_strategy_is_described() -> None:
    first_cells = re.findall(r"^\| (`[^|]+) \|", DOCS.partition("## Ablations")[0], re.MULTILINE)
    described = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
    assert described >= set(STRATEGIES)


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z-]+)", DOCS))))
def test_every_named_option_exists(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["--help-all"])
    assert option in capsys.readouterr().out
