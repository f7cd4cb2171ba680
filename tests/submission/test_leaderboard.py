import csv
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from official_reference import official_convert, official_run
from submission_factories import HOSTILE, qa, result

import submission.leaderboard
from submission.files import SubmissionError
from submission.leaderboard import write_csv
from submission.predictions import predictions, write_json
from submission.scorer import read_table, split_evidence
from system.records import ClaimResult, Label

PAIRS = st.lists(st.tuples(HOSTILE, HOSTILE), max_size=13)
RESULTS = st.lists(st.tuples(HOSTILE, PAIRS, st.sampled_from(Label)), min_size=1, max_size=3)


def _results(drawn: list[tuple[str, list[tuple[str, str]], Label]]) -> list[ClaimResult]:
    return [
        result(number, claim, label, [qa(question, text) for question, text in pairs])
        for number, (claim, pairs, label) in enumerate(drawn)
    ]


@given(RESULTS)
@settings(deadline=None)
def test_the_official_scorer_reads_exactly_the_pairs_that_were_written(drawn: list) -> None:
    entries = predictions(_results(drawn))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.csv"
        write_csv(entries, path)
        scored = official_run(path, _gold(Path(folder), entries))
    expected = [[(pair.question, pair.answer) for pair in entry.evidence[:10]] for entry in entries]
    assert [pairs for _, pairs, _ in scored] == expected
    assert all(right for _, _, right in scored)


@given(RESULTS)
@settings(deadline=None)
def test_the_official_converter_makes_a_readable_file_of_the_json(drawn: list) -> None:
    entries = predictions(_results(drawn))
    with tempfile.TemporaryDirectory() as folder:
        write_json(entries, Path(folder) / "submission.json")
        official_convert(Path(folder) / "submission.json", Path(folder) / "submission.csv")
        scored = official_run(Path(folder) / "submission.csv", _gold(Path(folder), entries))
    assert [len(pairs) for _, pairs, _ in scored] == [len(entry.evidence) for entry in entries]


def _gold(folder: Path, entries: list) -> Path:
    path = folder / "gold.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "claim", "evi", "label", "split"])
        writer.writerows([n, "c", "q\t\t\na\t\t\n\n", str(entry.pred_label), "gold"] for n, entry in enumerate(entries))
    return path


def test_rows_are_numbered_by_position_whatever_the_claims_ids(tmp_path: Path) -> None:
    write_csv(predictions([result(120, "b"), result(110, "a")]), tmp_path / "submission.csv")
    table = pd.read_csv(tmp_path / "submission.csv")
    assert table[["id", "claim", "split"]].to_numpy().tolist() == [[0, "b", "pred"], [1, "a", "pred"]]


def test_the_bytes_are_those_of_the_organisers_converter(tmp_path: Path) -> None:
    entries = predictions([result(0, 'A "quoted", claim'), result(1, "Ein zweiter – é", Label.REFUTED)])
    write_csv(entries, tmp_path / "ours.csv")
    write_json(entries, tmp_path / "submission.json")
    official_convert(tmp_path / "submission.json", tmp_path / "theirs.csv")
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()


def test_a_text_longer_than_the_csv_modules_limit_survives(tmp_path: Path) -> None:
    long = "word " * 40_000
    write_csv(predictions([result(pairs=[qa("q?", long)])]), tmp_path / "submission.csv")
    [row] = read_table(tmp_path / "submission.csv").rows
    assert split_evidence(row.evidence) == [("q?", long.strip())]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text.replace("In 1932.", "In 1933."), "claim 4: read back"),
        (lambda text: text.replace("?\t\t\n", "? "), "claim 4: pair 0"),
        (lambda text: text[: text.index("\n") + 1], "0 rows were read back, 1 were written"),
    ],
)
def test_a_file_that_does_not_read_back_is_no_success(tmp_path: Path, monkeypatch, damage, message: str) -> None:
    def write_damaged(path: Path, text: str) -> None:
        path.write_text(damage(text), newline="")

    monkeypatch.setattr(submission.leaderboard, "write_atomically", write_damaged)
    with pytest.raises(SubmissionError, match=message):
        write_csv(predictions([result(4)]), tmp_path / "submission.csv")
