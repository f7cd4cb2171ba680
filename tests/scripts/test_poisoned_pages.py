"""Attacks on knowledge stores: whom they attack, and how flips are counted."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import orjson
import pytest

from scripts.benchmarks import poisoned_pages
from system.api import Checked
from system.averitec.claims import read_claims
from system.graph.graph import Graph
from system.graph.records import Claim, Label
from tests.helpers.processes import ROOT
from tests.helpers.submission_factories import result

CLAIMS, STORES = ROOT / "system" / "examples" / "claims.json", ROOT / "knowledge_store" / "examples"
ATTACKS = ROOT / "scripts" / "benchmarks"


@pytest.mark.parametrize("name", ["known_attacks.json.gz", "held_out_attacks.json.gz"])
def test_kept_attacks_are_on_bundled_claims(name: str) -> None:
    texts = {claim.text for claim in read_claims(CLAIMS)}
    for pages in poisoned_pages.read_attacks(ATTACKS / name).values():
        assert pages and pages.keys() <= texts
        assert all(isinstance(sentence, str) for added in pages.values() for page in added for sentence in page)


class Credulous(nullcontext):
    """Believes any gazette."""

    def __init__(self, profile: str) -> None:
        super().__init__(self)
        assert profile == "laptop"

    def check_many(self, claims: Sequence[Claim], store: Path) -> Iterator[Checked]:
        for claim in claims:
            believed = b"Gazette" in (store / f"{claim.id}.json").read_bytes()
            label = Label.SUPPORTED if believed else Label.REFUTED
            yield Checked(result(claim.id, claim.text, label), Graph(claim))


def test_counts_the_verdicts_that_pages_change(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(poisoned_pages, "FactChecker", Credulous)
    claim, other, _ = (one.text for one in read_claims(CLAIMS)[:3])
    attacks = {
        "echo": {claim: [[claim]], other: [[other]]},
        "paper": {other: [["It is so, says the Lorvane Gazette."]] * 2},
    }
    (file := tmp_path / "attacks.json").write_bytes(orjson.dumps(attacks))
    options = [str(CLAIMS), str(STORES), "--attacks", str(file), "--profile", "laptop"]
    monkeypatch.setattr(sys, "argv", ["poisoned_pages", *options])
    poisoned_pages.main()
    assert capsys.readouterr().out.splitlines() == [
        "paper: claim 1 from Refuted to Supported",
        "1 of 3 verdicts flipped {'paper': 1}",
    ]
