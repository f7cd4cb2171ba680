"""The bundled reader reads; what is damaged or foreign is refused in one sentence."""

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import system.reader
from system.graph.records import Claim, Label
from system.reader.base import Relation, claim_text, evidence_text
from system.reader.loading import load_reader
from system.reader.openvino import OpenVinoReader
from system.reader.reading import PageVerdict, decide, nearest, windows_of
from system.text.words import sentences
from tests.helpers.bridge import passage
from tests.helpers.word_encoder import BagOfWords

BUNDLE = Path(system.reader.__file__).parent / "mpnet"
PAGE = "The Aster bridge was opened to traffic in May 1932. It carries two lanes."


@pytest.fixture(scope="module")
def reader():
    return load_reader()


@pytest.mark.parametrize(
    ("statement", "relation"),
    [
        ("The Aster bridge was opened in 1932.", Relation.SUPPORTED),
        ("The Aster bridge was opened in 1931.", Relation.REFUTED),
        ("A man is playing the guitar.", Relation.NOT_ENOUGH),
    ],
)
def test_tells_the_three_relations_apart(reader, statement, relation):
    assert reader.probabilities([(PAGE, statement)])[0].argmax() == relation


def test_a_pair_is_read_alike_alone_and_among_others(reader):
    pairs = [(PAGE, "It carries two lanes."), (PAGE * 8, "It was opened in June."), ("Apples grow.", "Pears grow.")]
    together = reader.probabilities(pairs)
    alone = np.vstack([reader.probabilities([pair]) for pair in pairs])
    assert np.abs(together - alone).max() < 0.05 and (together.argmax(1) == alone.argmax(1)).all()
    assert np.allclose(together.sum(axis=1), 1, atol=1e-5)


def test_a_claims_windows_are_read_on_every_core(reader, monkeypatch):
    read, sizes = reader._logits, []
    monkeypatch.setattr(reader, "_logits", lambda batch: sizes.append(len(batch[0])) or read(batch))
    reader.probabilities([(PAGE, f"It has {number} lanes.") for number in range(8)])
    assert len(sizes) >= min(reader._places, 2) and sum(sizes) == 8


@pytest.mark.parametrize("pair", [("", "It rains."), (PAGE, ""), (PAGE, "word " * 9999), (PAGE, "\ud800")], ids="pcl?")
def test_what_cannot_be_read_decides_nothing(reader, pair):
    began = time.monotonic()
    assert reader.probabilities([pair])[0].argmax() == Relation.NOT_ENOUGH
    assert time.monotonic() - began < 20


def test_labels_of_a_claim_add_up_to_one_even_without_evidence(reader):
    claim = claim_text(Claim("The bridge opened.", speaker="Mara Quill", date="3-5-2021"))
    assert claim == "The bridge opened. (Mara Quill, 3-5-2021)"
    found = reader.labels([(evidence_text([("When?", "In 1932.")]), claim), ("", claim)])
    assert found.shape == (2, 4) and np.allclose(found.sum(axis=1), 1, atol=1e-5)


def _damaged(tmp_path, change):
    folder = tmp_path / "reader"
    folder.mkdir()
    for file in BUNDLE.iterdir():
        if file.suffix == ".bin":
            (folder / file.name).symlink_to(file)
        else:
            shutil.copy(file, folder)
    change(folder)
    return folder


def _config(**changes):
    config = json.dumps(json.loads((BUNDLE / "reader.json").read_text()) | changes)
    return lambda folder: (folder / "reader.json").write_text(config)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "reader.json").unlink(), "No such file"),
        (lambda folder: (folder / "reader.json").write_text("{"), "cannot be read"),
        (lambda folder: [one.unlink() for one in folder.glob("*.bin")], "is missing"),
        (lambda folder: next(folder.glob("reader-1.bin")).unlink(), "cannot be read"),
        (lambda folder: (folder / "reader.xml").write_text("<net/>"), "cannot be read"),
        (lambda folder: (folder / "tokenizer.json").write_text("[]"), "tokenizer.json"),
        (_config(tokens=0), "tokens up to"),
        (_config(thresholds={"supported": 2, "refuted": 0}), "from 0 to 1"),
    ],
)
def test_a_damaged_folder_is_named_with_the_remedy(tmp_path, change, said):
    folder = _damaged(tmp_path, change)
    with pytest.raises(system.reader.base.ReaderUnavailable, match="install the package again") as error:
        OpenVinoReader(folder)
    assert said in str(error.value) and str(folder) in str(error.value)


@pytest.mark.parametrize("number", ["612 400", "612\u00a0400", "612\u202f400", "612’400", "612'400"])
def test_digits_in_groups_are_one_number(reader, number):
    passage = f"In 2022 the Corvane ferries carried {number} passengers."
    (said,) = reader.probabilities([(passage, "The Corvane ferries carried 612,400 passengers in 2022.")])
    assert said.argmax() == Relation.SUPPORTED


def test_the_row_of_a_table_is_read_alone():
    rows = ["opens: 12:30, ferry: Lindt, passengers: 29,800", "year: 2016, ferry: Lindt, note: It sank in May."]
    windows = windows_of([passage("rows")], lambda _: ["Ferries", *rows, "It rained.", "It snowed."])
    others = [f"Ferries {row}" for row in [*rows, "It rained. It snowed."]]
    assert [window.text for window in windows] == ["Ferries", *others]
    (row,) = windows_of([replace(passage("Staff 2,512 2,530"), before="It grew. Key figures 2023")])
    assert row.text == "Key figures 2023 Staff 2,512 2,530"


@pytest.mark.parametrize(
    ("name", "head", "title"),
    [("mill.txt", "", "Mill: "), ("mill_sold_to_berg.txt", "", ""), ("mills.csv#row=2", "Lindt mill", "Mills: "),
     ("a.txt", "A mill\n\n May", "A mill "), ("a.txt", "Mill sold\nMay", ""), ("https://a.org", "Mill", "")],
)  # fmt: skip
def test_a_documents_name_and_head_are_read_unless_they_say_the_statement_or_nothing_new(name, head, title):
    windows = windows_of([replace(passage("It is old."), url=name, head=head)])
    assert nearest(BagOfWords(), "The mill was sold to Berg.", windows)[0].text == f"{title}It is old."


@pytest.mark.parametrize("opening", ["News\n\nThe Aster bridge\n\n", "Aster has a bridge. "])
def test_a_window_says_what_it_is_about_and_has_each_sentence_once(opening):
    text = f"{opening}It cost 40 crowns. It is long. It is red. It is old."
    windows = windows_of([passage(text), passage(text)], lambda one: sentences(one.text))
    assert [*{window.above: None for window in windows}] == ["", opening.strip().rpartition("\n")[2]]
    assert {line for window in windows for line in window.sentences} >= {"It cost 40 crowns.", "It is old."}


def test_a_page_that_supports_counts_before_what_it_says_of_other_things():
    (window,) = windows_of([passage("The bridge opened in 1932.")], lambda one: [one.text])
    page = PageVerdict(replace(window, supported=0.8), replace(window, refuted=0.9), window)
    assert decide([page], (0.76, 0.76)) == (Label.SUPPORTED, 0.8)
    assert decide([page], (0.85, 0.76)) == (Label.REFUTED, 0.9)
