"""The baseline that sees no evidence."""

import sys
from pathlib import Path

import orjson
import pytest
from bridge import BagOfWords

from knowledge_store.dense.encoder import SentenceEncoder
from scripts import claim_only


def write(path: Path, count: int, year: int) -> Path:
    """Claims whose label the platform gives away, and nothing else."""
    records = [
        {
            "claim": f"Event {i} happened.",
            "label": ("Refuted", "Supported")[i % 2],
            "claim_date": f"1-{i % 12 + 1}-{year + i // 12}",
            "reporting_source": ("Facebook", "Parliament")[i % 2],
            "questions": [],
        }
        for i in range(count)
    ]
    path.write_bytes(orjson.dumps(records))
    return path


def test_learns_what_metadata_gives_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train, dev = write(tmp_path / "train.json", 60, 2010), write(tmp_path / "dev.json", 10, 2020)
    monkeypatch.setattr(SentenceEncoder, "of", lambda settings: BagOfWords())
    monkeypatch.setattr(sys, "argv", ["claim_only.py", str(train), str(dev)])
    claim_only.main()
    baseline, constant = capsys.readouterr().out.split('always "Refuted"')
    assert "C = 1.0, chosen on the later 30% of 60 claims; 10 others" in baseline
    assert "accuracy 1.000, macro-F1 0.500" in baseline
    assert "accuracy 0.500" in constant
