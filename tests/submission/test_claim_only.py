"""The baseline that sees no evidence."""

import orjson
import pytest

from knowledge_store.dense.encoder import SentenceEncoder
from submission import __main__ as submission
from submission import claim_only
from tests.helpers.bridge import BagOfWords


def records(count, year):
    """Claims whose label the platform gives away, and nothing else."""
    return [
        {
            "claim": f"Event {i} happened.",
            "label": ("Refuted", "Supported")[i % 2],
            "claim_date": f"1-{i % 12 + 1}-{year + i // 12}",
            "reporting_source": ("Facebook", "Parliament")[i % 2],
            "questions": [],
        }
        for i in range(count)
    ]


@pytest.fixture
def scored(tmp_path, monkeypatch, capsys):
    """Score ten claims after learning from others; return the exit status and all that was printed."""
    monkeypatch.setattr(SentenceEncoder, "of", lambda settings: BagOfWords())

    def run(train):
        for name, found in (("train.json", train), ("dev.json", records(10, 2020))):
            (tmp_path / name).write_bytes(orjson.dumps(found))
        status = submission.main(["claim-only", str(tmp_path / "train.json"), str(tmp_path / "dev.json")])
        printed = capsys.readouterr()
        return status, printed.out + " ".join(printed.err.split())

    return run


def test_learns_from_the_metadata(scored):
    status, printed = scored(records(60, 2010))
    baseline, constant = printed.split('always "Refuted"')
    assert status == 0 and "C = 1.0, chosen on the later 30% of 60 claims; 10 others" in baseline
    assert "accuracy 1.000, macro-F1 0.500" in baseline
    assert "accuracy 0.500" in constant


def test_the_later_claims_choose_the_regularization(scored):
    """Metadata that gives labels away until 2012 and says nothing from then on: the weakest fit is best."""
    train = records(60, 2010)
    for place, record in enumerate(train):
        if int(record["claim_date"][-4:]) > 2012:
            record["label"] = ("Refuted", "Supported")[place // 2 % 2]
    assert f"C = {min(claim_only.STRENGTHS)}," in scored(train[::-1])[1]  # the file's order is not that of time


def test_a_split_with_one_label_is_an_error(scored):
    status, printed = scored(records(1, 2010))
    assert status == 2 and "expected at least two labels" in printed
