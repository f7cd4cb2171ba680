"""Fitting the reader's verdict: what is recorded, how it is weighed, what is written."""

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest
from bridge import BagOfWords
from sklearn.linear_model import LogisticRegression
from training_claims import BRIDGE, write

from knowledge_store.dense.encoder import Vectors
from knowledge_store.pages.page import Page
from system.gold import read_gold
from system.models.base import Request
from system.models.extractive import ExtractiveModel
from system.models.extractive.verdict import FEATURES, Features, Weights
from system.records import Claim, Label
from system.settings import Settings
from system.tasks.ask_question import AskQuestion
from system.tasks.judge_claim import JudgeClaim
from training.__main__ import main
from training.reader import Examples, Recorder, describe, examples, fit, judgements


class Letters:
    """Texts as counts of letters."""

    dimension = 26

    def encode(self, texts: list[str]) -> Vectors:
        counts = np.array([[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts], dtype=np.float32)
        return counts.reshape(len(texts), 26) / np.maximum(np.linalg.norm(counts, axis=-1, keepdims=True), 1e-9)

    encode_queries = encode


CLAIM = Claim(id=0, text="The Aster bridge opened in 1932.", date="3-5-2021")
STORE = [
    Page(0, "https://example.org/a", ("The Aster bridge was opened to traffic in 1932.",)),
    Page(1, "https://example.org/b", ("Reports that the bridge burned down are false.",)),
]


def random_examples(seed: int = 1) -> Examples:
    """Noise with four labels, three of them rare; the first feature tells Supported a little."""
    generator = np.random.default_rng(seed)
    labels = np.array(["Refuted"] * 300 + [str(label) for label in Label if label is not Label.REFUTED] * 50)
    measured = generator.normal(size=(len(labels), len(FEATURES)))
    measured[labels == "Supported", 0] += 1.5
    return Examples(measured, labels.tolist(), np.ones(len(labels)))


def test_every_round_of_every_branch_is_recorded() -> None:
    encoder = BagOfWords()  # to which the questions of different branches are not all alike
    tasks = judgements(CLAIM, STORE, encoder, ExtractiveModel(encoder))
    depths = [len(task.pairs) for task in tasks]
    assert 1 < max(depths) <= Settings().graph.depth  # until no question is left that no branch has asked
    assert depths.count(1) == len({task.pairs[0].question for task in tasks}) > 1


def test_the_recorder_never_concludes_and_passes_on_other_tasks() -> None:
    reader = ExtractiveModel(Letters())
    recorder = Recorder(reader)
    ask, judge = AskQuestion(claim=CLAIM, context=(), index=0, seed_passages=()), JudgeClaim(claim=CLAIM, pairs=())
    (asked,) = asyncio.run(recorder.generate([Request(ask)]))
    (judged,) = asyncio.run(recorder.generate([Request(judge)]))
    assert asked.reply == asyncio.run(reader.generate([Request(ask)]))[0].reply
    assert judged.reply.label is Label.NOT_ENOUGH_EVIDENCE
    assert recorder.judgements == [judge]


def test_each_claim_weighs_the_same(tmp_path: Path) -> None:
    claims = read_gold(write(tmp_path / "train.json"))
    given = examples(claims, Letters(), seed=1)
    assert given.measured.shape == (len(given.labels), len(FEATURES))
    for one in claims:
        assert given.weights[np.array(given.labels) == str(one.label)].sum() == pytest.approx(1)


def test_rare_labels_weigh_more_but_not_as_much_as_frequent_ones() -> None:
    given = random_examples()
    expected = {balance: model_of(given, balance).predict_proba(given.measured).mean(axis=0) for balance in (0, 1)}
    fitted = fit(given).predict_proba(given.measured).mean(axis=0)
    refuted = sorted(map(str, Label)).index("Refuted")
    assert expected[1][refuted] < fitted[refuted] < expected[0][refuted]


def model_of(given: Examples, balance: float) -> LogisticRegression:
    """The regression with labels as frequent as they are (0) or all alike (1)."""
    return LogisticRegression(class_weight="balanced" if balance else None, max_iter=5000).fit(
        given.measured, given.labels
    )


def test_what_is_written_is_what_was_fitted(tmp_path: Path) -> None:
    given = random_examples()
    model = fit(given)
    path = tmp_path / "verdict.json"
    path.write_text(json.dumps(describe(model, {"seed": 1})))
    weights = Weights.load(path)
    assert weights.labels == tuple(Label)
    for row, expected in zip(given.measured, model.predict_proba(given.measured), strict=True):
        probabilities = weights.probabilities(Features(*row))
        assert [probabilities[Label(name)] for name in model.classes_] == pytest.approx(expected.tolist(), abs=1e-3)


@pytest.mark.slow
def test_the_command_writes_weights_with_their_provenance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims, output = write(tmp_path / "train.json"), tmp_path / "verdict.json"
    assert main(["reader", "--claims", str(claims), "--output", str(output), "--seed", "3"]) == 0
    assert str(output) in capsys.readouterr().out
    provenance = json.loads(output.read_text())["provenance"]
    assert provenance["seed"] == 3
    assert provenance["claims"] == dict.fromkeys([str(label) for label in Label], 1)
    assert "--seed 3" in provenance["made by"]
    first = output.read_text()
    main(["reader", "--claims", str(claims), "--output", str(output), "--seed", "3"])
    assert output.read_text() == first
    assert set(Weights.load(output).labels) == set(Label)


def test_claims_without_annotations_end_with_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims = write(tmp_path / "dev.json", [{"claim": BRIDGE["claim"]}])
    assert main(["reader", "--claims", str(claims), "--output", str(tmp_path / "x.json")]) == 1
    assert "claim 0: label: " in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


def test_all_labels_are_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims = write(tmp_path / "train.json", [BRIDGE])
    assert main(["reader", "--claims", str(claims), "--output", str(tmp_path / "x.json")]) == 1
    assert "expected claims of all four labels, got none labeled ['Refuted'" in capsys.readouterr().err
