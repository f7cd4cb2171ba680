"""The reader's training: pairs, edits, arrays, a run that resumes, export, figures."""

from pathlib import Path
from random import Random

import numpy as np
import orjson
import pytest
import torch
from safetensors.torch import load_file, save_file
from scipy.stats import entropy

import system.reader
from scripts.gpu.weights import mean, pack, unpack
from system.reader.base import VERDICTS
from system.text.words import content_stems, coverage
from tests.helpers.by_words import ByWords
from training import TrainingError
from training.commands import main
from training.reader.arrays import LABEL, batches, read_rows, write_rows
from training.reader.claims import labelled_claims
from training.reader.edits import change_date, change_number, negate, opposite, twins
from training.reader.evaluate import table
from training.reader.invented import invented, invented_apart
from training.reader.mixture import mixture
from training.reader.network import Network
from training.reader.pairs import LABELS, NOT_ENOUGH, REFUTED, SUPPORTED, Pair, read_pairs
from training.reader.thresholds import best_thresholds, outcome, temperature
from training.reader.trainer import loss_of

TOKENIZER = Path(system.reader.__file__).parent / "mpnet" / "tokenizer.json"


@pytest.mark.parametrize(
    ("edit", "text", "words"),
    [
        (change_number, "It has 412 rivets.", {"It", "has", "rivets."}),
        (change_number, "It has two lanes.", {"It", "has", "lanes."}),
        (change_date, "It opened in May 1932.", {"It", "opened", "in"}),
        (opposite, "Sales rose.", {"Sales", "fell."}),
        (negate, "It was opened.", {"It", "was", "opened."}),
        (negate, "It was not opened.", {"It", "was", "opened."}),
    ],
)
def test_an_edit_changes_one_thing(edit, text, words):
    for seed in range(8):
        changed = edit(text, Random(seed))
        assert changed and changed != text and words <= set(changed.split())


@pytest.mark.parametrize("edit", [change_number, change_date, opposite, negate])
def test_an_edit_that_does_not_apply_changes_nothing(edit):
    assert edit("Birds sing.", Random(0)) is None


def test_twins_stand_against_the_evidence():
    pair = Pair("Ingrid Solheim has led Brevik since 2017.", "Ingrid Solheim leads Brevik.", SUPPORTED, "fm2")
    found = [twin for seed in range(40) for twin in twins(pair, ["Karin Dahl", "Jon Hale"], Random(seed))]
    assert {twin.label for twin in found} == {REFUTED}
    assert all(twin.statement != pair.statement for twin in found)


def test_invented_passages_come_with_a_statement_of_each_label():
    made = [invented(Random(seed)) for seed in range(400)]
    assert all([pair.label for pair in three] == [SUPPORTED, REFUTED, NOT_ENOUGH] for three in made)
    few = [p.label for ps in made for p in ps if coverage(content_stems(p.statement), content_stems(p.evidence)) < 0.5]
    assert few.count(SUPPORTED) < 1.6 * few.count(REFUTED)  # 2 to 1 if all were drawn alike
    read = " ".join(three[0].evidence for three in made)
    assert not any(pair.evidence in read or pair.statement in read for pair in invented_apart())


def test_statements_of_the_same_name_stand_where_nothing_is_said_of_them(tmp_path):
    said = ("sings in a choir", "studied medicine", "collects stamps", "bought a farm")
    claims = [f"Anna Berg {one}." for one in said]
    rows = [{"evidence": claim, "claim": claim, "label": "supported"} for claim in claims]
    (tmp_path / "fm2.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    made = [pair for seed in range(20) for part in mixture(tmp_path, seed, 0.002) for pair in part]
    silent = [pair for pair in made if pair.label == NOT_ENOUGH and pair.statement in claims]
    assert len(silent) > 20 * len(claims) / 2  # evidence that is taken away makes some, too


def test_claims_of_public_sets_have_the_label_of_their_passages(tmp_path):
    said = (("Both.", 0), ("Both.", 1), ("Both.", 2), ("One.", 1), ("One.", 2), ("None.", 2))
    rows = [{"evidence": f"{n}.", "claim": claim, "label": LABELS[label]} for n, (claim, label) in enumerate(said)]
    (tmp_path / "fnc1.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    made, _ = labelled_claims(Path("system/examples/claims.json"), 0, tmp_path)
    found = {(pair.statement, VERDICTS[pair.label].name) for pair in made if pair.source == "fnc1"}
    assert found == {("Both.", "CONFLICTING"), ("One.", "REFUTED"), ("None.", "NOT_ENOUGH_EVIDENCE")}


@pytest.mark.parametrize("row", ["no JSON", '{"evidence": "a"}', '{"evidence": "a", "claim": "b", "label": "true"}'])
def test_a_bad_row_is_named(tmp_path, row):
    file = tmp_path / "fm2.jsonl"
    file.write_text('{"evidence": "a", "claim": "b", "label": "supported"}\n' + row)
    with pytest.raises(TrainingError, match=r"fm2.jsonl, line 2: expected texts 'evidence' and 'claim'"):
        read_pairs(file)


def test_thresholds_and_temperature_come_from_held_out_rows():
    scores = np.array([[0.9, 0.05], [0.8, 0.1], [0.1, 0.7], [0.45, 0.4], [0.2, 0.3], [0.6, 0.1]])
    truth = np.array([0, 0, 1, 1, 2, 2])
    thresholds = best_thresholds(scores, truth)
    right, turned = outcome(scores, truth, thresholds)
    assert right[:3].all() and not turned.any()
    risky = np.array([[0.9, 0.05]] * 27 + [[0.6, 0.05]] * 3 + [[0.05, 0.9]] * 36 + [[0.62, 0.05]] * 4)
    assert best_thresholds(risky, np.array([0] * 30 + [1] * 40))[0] > 0.62  # three right pages less, four turned less
    assert best_thresholds(np.vstack([risky[:-3], np.zeros((140, 2))]), np.repeat([0, 1, 2], [30, 37, 140]))[0] <= 0.6
    logits = np.float32([[2, 0, 0], [0, 2, 0], [2, 0, 0]])
    assert temperature(logits, [0, 1, 2]) > temperature(logits, [0, 1, 0])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A tiny encoder, an array file, and a run of some steps on it."""
    from transformers import MPNetConfig, MPNetModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("reader")
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    MPNetModel(MPNetConfig(vocab_size=30527, **sizes)).save_pretrained(folder / "base")
    names = {"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "[UNK]"}
    PreTrainedTokenizerFast(tokenizer_file=str(TOKENIZER), **names).save_pretrained(folder / "base")
    (folder / "sets" / "eval").mkdir(parents=True)
    rows = [
        {"evidence": f"The bridge of Town{y} opened in {y}.", "claim": f"It opened in {y}.", "label": LABELS[y % 3]}
        for y in range(1900, 1990)
    ]
    for name in ("fm2", "eval/other"):
        (folder / "sets" / f"{name}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    claims = Path("system/examples/claims.json")
    data = ["reader", "data", "--sets", folder / "sets", "--claims", claims, "--base", folder / "base"]
    assert main([*map(str, data), "--output", str(folder / "pairs.npz")]) == 0
    return folder


def train(folder, *options, data="pairs"):
    run = ["--data", str(folder / f"{data}.npz"), "--base", str(folder / "base"), "--output", str(folder / "out")]
    few = ["--layers", "1", "--frozen", "0", "--steps", "3", "--tokens", "512"]
    return main(["reader", "train", *run, *few, *options])


def test_arrays_hold_four_kinds_of_rows_in_batches_of_one_kind(trained):
    rows = read_rows(trained / "pairs.npz")
    assert {(row.head, row.invented) for row in rows} == {(head, own) for head in (0, LABEL) for own in (False, True)}
    chosen = batches(rows, 512, Random(0))
    assert sorted(id(row) for batch in chosen for row in batch) == sorted(map(id, rows))
    assert all(len({(row.head, row.invented) for row in batch}) == 1 for batch in chosen)
    with pytest.raises(TrainingError, match="make one with"):
        read_rows(trained / "base" / "config.json")


def test_a_run_resumes_and_its_export_reads(trained, capsys):
    assert train(trained) == 0 and train(trained) == 0
    assert "from step 3" in capsys.readouterr().out
    assert train(trained, "--frozen", "1") == 2
    assert "holds a training with frozen 0" in capsys.readouterr().err
    assert main(["reader", "export", "--reader", str(trained / "out"), "--output", str(trained / "bundle")]) == 0
    figures = ["reader", "evaluate", "--reader", str(trained / "bundle"), "--sets", str(trained / "sets" / "eval")]
    assert main([*figures, "--rows", "30"]) == 0
    assert "other" in (said := capsys.readouterr().out) and "MiniCheck" in said
    assert "_name_or_path" not in (trained / "bundle" / "config.json").read_text()
    assert all(file.stat().st_size <= 45 * 10**6 for file in (trained / "bundle").iterdir())
    assert train(trained, "--base", str(trained / "bundle"), "--layers", "0", "--output", str(trained / "further")) == 0
    saved, exported = (Network(trained / name).state_dict() for name in ("out", "bundle"))
    assert saved.keys() == exported.keys()
    assert all(torch.allclose(saved[name], exported[name], atol=0.01) for name in saved)


def test_a_teacher_takes_most_of_the_loss():
    logits, taught = torch.tensor([[2.0, 0, 0], [0, 1, 0]]), torch.tensor([[0.0, 0, 2], [0, 1, 0]])
    rows = torch.tensor([0, 1]), torch.tensor([False, False]), None, 0.0
    alone, same, other = (loss_of(logits, *rows, one).item() for one in (None, logits, taught))
    apart = entropy(taught.softmax(-1), logits.softmax(-1), axis=1).mean()
    assert same == pytest.approx(0.2 * alone)
    assert other == pytest.approx(0.2 * alone + 0.8 * apart)


def test_a_teacher_changes_what_is_learned_except_of_invented_rows(trained, capsys):
    teacher = str(trained / "teacher")
    for name, mark in (("public", False), ("invented", True)):
        write_rows(trained / f"{name}.npz", [row._replace(invented=mark) for row in read_rows(trained / "pairs.npz")])
    assert train(trained, "--output", teacher) == 0
    start = ("--base", teacher, "--layers", "0", "--warmup", "1", "--rate", "0.01")
    for name in ("public", "invented"):
        for more in ((), ("--teacher", teacher)):
            output = str(trained / f"{name}{len(more)}")
            assert train(trained, *start, "--output", output, *more, data=name) == 0
    runs = "public0", "public2", "invented0", "invented2"
    alone, taught, own, again = (Network(trained / name).state_dict()["heads.reading.out.weight"] for name in runs)
    assert torch.equal(own, again) and not torch.equal(alone, taught)
    assert train(trained, "--teacher", str(trained / "base"), "--output", str(trained / "none")) == 2
    assert "base: expected a trained reader, got an encoder" in capsys.readouterr().err


def test_packed_weights_come_back_and_two_readers_have_a_mean(trained, tmp_path):
    pack(trained / "base", tmp_path / "packed")
    unpack(tmp_path / "packed", tmp_path)
    before, after = (load_file(folder / "model.safetensors") for folder in (trained / "base", tmp_path))
    assert all(torch.allclose(before[name].float(), after[name].float(), atol=0.001) for name in before | after)
    save_file({name: value + 1 for name, value in before.items()}, tmp_path / "model.safetensors")
    mean(tmp_path / "mean", trained / "base", tmp_path)
    both = load_file(tmp_path / "mean" / "model.safetensors")
    assert all(torch.allclose(both[name].float(), before[name].float() + 0.5, atol=0.01) for name in before | both)


@pytest.mark.parametrize(
    ("name", "labels", "text"), [("vitaminc", ("SUPPORTS", "REFUTES"), "evidence"), ("aggrefact", (1, 0), "doc")]
)
def test_published_forms_are_read(tmp_path, name, labels, text):
    statements = zip(("It opened in 1932.", "It opened in 1931."), labels, strict=True)
    rows = [{text: "It opened in 1932.", "claim": claim, "label": label} for claim, label in statements]
    (tmp_path / f"{name}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    (line,) = (one for one in table(ByWords(), [tmp_path]).splitlines() if name in one)
    assert line.split()[1:5] == ["2", "1.000", "1.000", "1.000"]
