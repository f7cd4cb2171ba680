"""The benchmarks of retrieval count what questions find, and join the excerpts of an address."""

import sys

import orjson

from knowledge_store.pages.page import Page
from scripts.benchmarks import recall
from scripts.benchmarks.archive import merged
from tests.helpers.bridge import BagOfWords

STORE = {
    "https://gold.example/a": ["The bridge opened in 1932."],
    "https://other.example/b": ["The bridge is long and grey."],
    "https://other.example/c": ["Nothing is said here."],
}


def test_counts_gold_pages_and_reference_sentences(tmp_path, monkeypatch, capsys):
    answer = {"answer": "1932", "answer_type": "Extractive", "source_url": "https://gold.example/a"}
    claim = {"claim": "The bridge opened in 1932.", "label": "Supported",
             "questions": [{"question": "When did the bridge open?", "answers": [answer]}]}  # fmt: skip
    sentences = [{"sentence": "The bridge opened in 1932."}, {"sentence": "Nothing is said here."}]
    store = [{"url": url, "url2text": text} for url, text in STORE.items()]
    hero = [{"claim_id": 0, "top_10": sentences}]
    for name, lines in {"dev.json": [[claim]], "0.json": store, "hero.jsonl": hero}.items():
        (tmp_path / name).write_bytes(b"\n".join(map(orjson.dumps, lines)))
    monkeypatch.setattr(recall.SentenceEncoder, "of", lambda settings: CachedWords())
    options = ["--reference", str(tmp_path / "hero.jsonl"), "--candidates", "2", "64", "--top-k", "1"]
    monkeypatch.setattr(sys, "argv", ["recall", str(tmp_path / "dev.json"), str(tmp_path), *options])
    recall.main()
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| 2 | all | 1.000 | 0.500 | 2.0 |",
        "| 64 | all | 1.000 | 1.000 | 3.0 |",
        "| 2 | 1 | 1.000 | 0.500 | 1.0 |",
        "| 64 | 1 | 1.000 | 0.500 | 1.0 |",
        "",
        "1 claims, 1 gold pages, 2 sentences",
    ]


class CachedWords(BagOfWords):
    def cached(self):
        return self


def test_excerpts_of_one_address_become_one_page():
    pages = [Page(0, "a", ("one", "two")), Page(1, "b", ("three",)), Page(2, "a", ("two", "four"))]
    assert [(page.url, page.sentences) for page in merged(pages)] == [("a", ("one", "two", "four")), ("b", ("three",))]
