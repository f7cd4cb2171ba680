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


def test_learns_from_the_metadata(
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


def test_the_later_claims_choose_the_regularization(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Metadata that gives labels away until 2012 and says nothing from then on: the weakest fit is best."""
    train = write(tmp_path / "train.json", 60, 2010)
    records = orjson.loads(train.read_bytes())
    for place, record in enumerate(records):
        if int(record["claim_date"][-4:]) > 2012:
            record["label"] = ("Refuted", "Supported")[place // 2 % 2]
    train.write_bytes(orjson.dumps(records[::-1]))  # the file's order is not that of time
    monkeypatch.setattr(SentenceEncoder, "of", lambda settings: BagOfWords())
    monkeypatch.setattr(sys, "argv", ["claim_only.py", str(train), str(write(tmp_path / "dev.json", 10, 2020))])
    claim_only.main()
    assert f"C = {min(claim_only.STRENGTHS)}," in capsys.readouterr().out
