"""The baseline that sees no evidence."""

from pathlib import Path

import orjson
import pytest

from knowledge_store.dense.encoder import SentenceEncoder
from submission import __main__ as submission
from submission import claim_only
from tests.helpers.bridge import BagOfWords


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
    assert submission.main(["claim-only", str(train), str(dev)]) == 0
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
    assert submission.main(["claim-only", str(train), str(write(tmp_path / "dev.json", 10, 2020))]) == 0
    assert f"C = {min(claim_only.STRENGTHS)}," in capsys.readouterr().out


def test_a_split_with_one_label_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train = write(tmp_path / "train.json", 1, 2010)
    monkeypatch.setattr(SentenceEncoder, "of", lambda settings: BagOfWords())
    assert submission.main(["claim-only", str(train), str(train)]) == 2
    assert "expected at least two labels" in " ".join(capsys.readouterr().err.split())
