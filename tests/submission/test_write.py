import csv
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import submission.write
from submission.files import SubmissionError
from submission.official import read_table, split_evidence
from submission.read import read_predictions
from submission.tables import print_summary
from submission.write import FILES, PLACEHOLDER, predictions, write_csv, write_json, write_outputs
from system.graph.records import NO_ANSWER, Cost, Label, QuestionAnswer, Source
from system.report.claims import EvidencePair
from system.report.timings import RunFacts
from tests.helpers.official_reference import official_convert, official_run
from tests.helpers.submission_factories import HOSTILE, answer, passage, qa, result

FACTS = RunFacts(budget_seconds=10.0, run_seconds=90.0, model_load_seconds=12.5, peak_memory_gib=3.5)
COST = Cost(calls=4, tokens_in=100, tokens_cached=30, tokens_out=20)
RESULTS = [
    result(11, "First.", Label.SUPPORTED, seconds=4.0, cost=COST, failures=["merge"]),
    result(12, "Second.", Label.REFUTED, pairs=[], seconds=20.0, cut_short=True),
    result(
        10, "Third.", Label.REFUTED, pairs=[qa(f"q{n}?") for n in range(12)], seconds=6.0, failures=["ask", "merge"]
    ),
]


def test_writes_all_files_with_a_row_for_every_claim_in_order(tmp_path):
    write_outputs(RESULTS, tmp_path / "output", FACTS)
    submission_json, submission_csv, timings_json, timings_csv = (tmp_path / "output" / name for name in FILES)
    assert {path.name for path in (tmp_path / "output").iterdir()} == set(FILES)
    assert [entry.claim_id for entry in read_predictions(submission_json)] == [11, 12, 10]
    assert [row.claim for row in read_table(submission_csv)] == ["First.", "Second.", "Third."]
    assert len(json.loads(timings_json.read_text())["claims"]) == 3
    assert len(timings_csv.read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("In 1932.", "In 1933.", r"submission\.json: what was read back is not what was written"),
        ("?\t\t\n", "? ", r"submission\.csv: row 0 \(line 2\): pair 0"),
        ("\t\t\nIn 1932", "\t\t\nIn 1931", r"submission\.csv: read back \(0, .*In 1931"),
        ("1,Second.", "2,Second.", r"submission\.csv: row 2 .* repeats"),
    ],
)
def test_a_file_that_does_not_read_back_is_an_error(tmp_path, monkeypatch, old, new, message):
    def write_damaged(path: Path, text):
        path.write_text(text.replace(old, new), newline="")

    monkeypatch.setattr(submission.write, "write_text", write_damaged)
    with pytest.raises(SubmissionError, match=message):
        write_outputs([result(4), result(5, "Second."), result(6)], tmp_path, FACTS)


def test_the_summary_shows_the_run_on_one_screen(tmp_path, capsys):
    print_summary(RESULTS, FACTS, tmp_path)
    out = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for expected in (
        "3 claims",
        "Supported 1, Refuted 2, Not Enough Evidence 0, Conflicting Evidence/Cherrypicking 0",
        "mean 10.00, p50 6.00, p95 18.60, max 20.00",
        "10 s per claim on average; out of time 1",
        "within the one-minute rule: 34.17 s per claim over the whole run",
        "rank 0.50 s",
        "1 × ask, 2 × merge",
        "in 100 (30 cached), out 20",
        "90.0 s, plus 12.5 s before it to load models",
        "3.50 GiB",
    ):
        assert expected in out
    assert all(str(tmp_path / name) in out for name in FILES)


PAIRS = st.lists(st.tuples(HOSTILE, HOSTILE), max_size=13)
ANY_RESULTS = st.lists(st.tuples(HOSTILE, PAIRS, st.sampled_from(Label)), min_size=1, max_size=3)


@given(ANY_RESULTS)
def test_the_official_scorer_and_converter_read_what_is_written(drawn):
    found = [
        result(number, claim, label, [qa(question, text) for question, text in pairs])
        for number, (claim, pairs, label) in enumerate(drawn)
    ]
    entries = predictions(found)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs, source, gold = (Path(folder) / name for name in ("a.csv", "b.csv", "c.json", "gold.csv"))
        with gold.open("w", newline="", encoding="utf-8") as file:
            rows = [[n, "c", "q\t\t\na\t\t\n\n", entry.label, "gold"] for n, entry in enumerate(entries)]
            csv.writer(file).writerows([["id", "claim", "evi", "label", "split"], *rows])
        write_csv(entries, ours)
        scored = official_run(ours, gold)
        assert [pairs for _, pairs, _ in scored] == [list(entry.texts[:10]) for entry in entries]
        assert all(right for _, _, right in scored)
        write_json(entries, source)
        official_convert(source, theirs)
        assert [len(pairs) for _, pairs, _ in official_run(theirs, gold)] == [len(entry.pairs) for entry in entries]


def test_an_entry_has_the_organizers_fields_and_ours(tmp_path):
    write_json(predictions([result(claim_id=7, label=Label.CONFLICTING)]), tmp_path / "submission.json")
    text, url = "The bridge opened in 1932.", "https://example.org/bridge"
    asked = {"question": "When did the bridge open?", "answer": "In 1932."}
    pair = {**asked, "url": url, "scraped_text": text, "urls": [url]}
    verdict = {"pred_label": "Conflicting Evidence/Cherrypicking", "justification": "A page says so."}
    expected = {"claim_id": 7, "claim": text, "evidence": [pair], **verdict, "confidence": 0.75}
    assert json.loads((tmp_path / "submission.json").read_text()) == [expected]


def test_an_answer_from_the_metadata_cites_no_page():
    [entry] = predictions([result(pairs=[qa("Who said it?", "A senator.", answer(source=Source.METADATA))])])
    assert entry.pairs == (EvidencePair(question="Who said it?", answer="A senator.", url="", scraped_text=""),)


def test_a_merged_answer_lists_its_pages_and_quotes_the_first():
    cited = [answer(cites=passage(f"text {n}", f"https://example.org/{n}")) for n in (2, 1, 3, 5, 4, 2)]
    [entry] = predictions([result(pairs=[qa("When?", "In 1932.", *cited)])])
    [pair] = entry.pairs
    assert (pair.url, pair.scraped_text) == ("https://example.org/2", "text 2")
    assert pair.urls == tuple(f"https://example.org/{n}" for n in (2, 1, 3, 5, 4))


def test_drops_repeated_pairs_before_the_cut_at_ten(tmp_path):
    pairs = [*[qa("Again?")] * 9, qa("Again? "), *[qa(f"Question {n}?") for n in range(9)]]
    [entry] = predictions([result(pairs=pairs)])
    assert [pair.question for pair in entry.pairs] == ["Again?", *[f"Question {n}?" for n in range(9)]]
    write_csv([entry], tmp_path / "submission.csv")
    [row] = read_table(tmp_path / "submission.csv")
    assert len(split_evidence(row.evidence)) == 10


def test_answered_pairs_come_first_in_their_own_order():
    nothing = QuestionAnswer(question="Where?", answer="", answers=())
    [entry] = predictions([result(pairs=[qa("One?"), nothing, qa("Two?")])])
    assert [(pair.question, pair.answer) for pair in entry.pairs] == [
        ("One?", "In 1932."),
        ("Two?", "In 1932."),
        ("Where?", NO_ANSWER),
    ]


def test_a_claim_without_evidence_gets_one_placeholder():
    blank = qa(" \n", "answer to nothing")
    assert [entry.pairs for entry in predictions([result(pairs=[]), result(1, pairs=[blank])])] == [(PLACEHOLDER,)] * 2


def test_all_text_can_be_written_and_read_again(tmp_path):
    cited = answer(cites=passage("page \ud800\0 text", "https://example.org/\udc00"))
    entries = predictions([result(text="claim \ud83d\ude00\ud800", pairs=[qa("\nq\t\t\n?", "\t\t\na\0", cited)])])
    write_json(entries, tmp_path / "submission.json")
    assert read_predictions(tmp_path / "submission.json") == entries
    [pair] = entries[0].pairs
    assert entries[0].claim == "claim 😀\ufffd" and (pair.question, pair.answer) == ("q\n?", "a")
    assert pair.scraped_text == "page \ufffd text" and pair.urls == (pair.url,) == ("https://example.org/\ufffd",)
