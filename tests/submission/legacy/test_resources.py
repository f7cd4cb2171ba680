import json
import shutil
from pathlib import Path

import nltk
import pytest

from submission.commands import main
from submission.files import SubmissionError
from submission.legacy import resources
from submission.legacy.resources import NO_PUNKT, PUNKT, load_meteor, local_wordnet, make_meteor
from submission.write import predictions, write_json
from system.graph.records import Label
from tests.helpers.submission_factories import result


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """No WordNet, no punkt, no network; the packages that were asked for."""
    asked: list[str] = []
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(resources, "DEBIAN", tmp_path / "none")
    monkeypatch.setattr(nltk, "download", lambda package, **_: asked.append(package))
    monkeypatch.setattr(resources, "_has_punkt", lambda: False)
    return asked


def test_missing_wordnet_gives_the_remedy(offline: list[str]) -> None:
    with pytest.raises(SubmissionError, match="apt install wordnet-base wordnet-sense-index, or put NLTK's"):
        load_meteor()
    assert offline == ["wordnet"]


def test_finds_wordnet_in_nltks_data_then_in_debians(
    offline: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert local_wordnet() is None
    debian = tmp_path / "debian"
    monkeypatch.setattr(resources, "DEBIAN", debian)
    debian.mkdir()
    (debian / "data.noun").touch()
    assert local_wordnet() == debian
    packed = tmp_path / "parent" / "wordnet"
    shutil.copytree(debian, packed)
    (tmp_path / "corpora").mkdir()
    shutil.make_archive(str(tmp_path / "corpora" / "wordnet"), "zip", packed.parent)
    assert str(local_wordnet()).endswith("corpora/wordnet.zip/wordnet/")
    shutil.copytree(debian, tmp_path / "corpora" / "wordnet")
    assert local_wordnet() == tmp_path / "corpora" / "wordnet"


def test_uses_and_names_the_fallback_without_punkt(
    offline: list[str], wordnet_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "DEBIAN", wordnet_folder)
    meteor, sources = load_meteor()
    assert offline == ["punkt_tab"]
    assert sources.tokenization == NO_PUNKT and sources.wordnet == f"WordNet 3.0 ({wordnet_folder})"
    assert meteor.words("In 1932. Yes.") == ["In", "1932.", "Yes", "."]


def test_with_punkt_texts_are_split_into_sentences_first(wordnet_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nltk.tokenize, "sent_tokenize", lambda text, language: text.split("|"))
    meteor, sources = make_meteor(wordnet_folder, punkt=True)
    assert sources.tokenization == PUNKT
    assert meteor.words("In 1932.|Yes.") == ["In", "1932", ".", "Yes", "."]


def test_without_wordnet_the_other_scores_are_computed(
    offline: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"claim": "First.", "label": "Supported", "questions": [{"question": "Q?", "answers": [{"answer": "A."}]}]}
    (tmp_path / "gold.json").write_text(json.dumps([row]))
    write_json(predictions([result(0, "First.", Label.SUPPORTED)]), tmp_path / "submission.json")
    files = ["--predictions", str(tmp_path / "submission.json"), "--gold", str(tmp_path / "gold.json")]
    assert main(["score", *files, "--metrics", "legacy"]) == 3
    printed = capsys.readouterr().out
    assert "accuracy" in printed and "not computed: legacy: METEOR needs WordNet" in printed
