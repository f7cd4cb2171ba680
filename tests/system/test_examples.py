"""The bundled examples keep what they promise: claims of all kinds and stores with the flaws of real ones."""

import json
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import knowledge_store
import system
from system.averitec.claims import read_claims
from system.graph.records import AnswerType, Label

CLAIMS = Path(system.__file__).parent / "examples" / "claims.json"
STORES = Path(knowledge_store.__file__).parent / "examples"
GOLD: list[dict[str, Any]] = json.loads(CLAIMS.read_text(encoding="utf-8"))
IDS = range(len(GOLD))


def raw_lines(claim_id: int) -> list[str]:
    return (STORES / f"{claim_id}.json").read_text(encoding="utf-8").splitlines()


def records(claim_id: int) -> list[dict[str, Any]]:
    """The lines of a store that are JSON, read without the project's own reader."""
    found = []
    for line in raw_lines(claim_id):
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def pages(claim_id: int) -> dict[str, str]:
    """Text by address, of the pages that have both."""
    texts = {}
    for record in records(claim_id):
        sentences = [sentence for sentence in record["url2text"] or [] if sentence]
        if record["url"] and "".join(sentences).strip():
            texts[record["url"]] = " ".join(sentences)
    return texts


ALL_RECORDS = [record for claim_id in IDS for record in records(claim_id)]
ALL_TEXTS = [text for claim_id in IDS for text in pages(claim_id).values()]


def test_every_label_occurs() -> None:
    labels = Counter(claim["label"] for claim in GOLD)
    assert set(labels) == set(Label)
    assert min(labels.values()) >= 3
    assert len(GOLD) >= 14


def test_reads_and_dates_every_claim() -> None:
    claims = read_claims(CLAIMS)
    assert [claim.id for claim in claims] == list(IDS)
    assert all(claim.day and date(2018, 1, 1) < claim.day < date(2022, 1, 1) for claim in claims)
    assert all("-0" not in claim.date and not claim.date.startswith("0") for claim in claims)


@pytest.mark.parametrize("field", ["speaker", "original_claim_url", "reporting_source", "location_ISO_code"])
def test_metadata_is_sometimes_null(field: str) -> None:
    assert {type(claim[field]) for claim in GOLD} == {str, type(None)}


def test_one_text_has_two_labels() -> None:
    by_text = defaultdict(list)
    for claim in GOLD:
        by_text[claim["claim"]].append((claim["label"], claim["claim_date"]))
    [(first, second)] = [claims for claims in by_text.values() if len(claims) > 1]
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_claims_have_the_gold_fields_of_averitec() -> None:
    for claim in GOLD:
        assert claim["justification"]
        assert claim["claim_types"]
        assert claim["fact_checking_strategies"]
        assert claim["questions"]
        for question in claim["questions"]:
            for answer in question["answers"]:
                assert answer["answer_type"] in set(AnswerType)
                assert ("boolean_explanation" in answer) == (answer["answer_type"] == AnswerType.BOOLEAN)


@pytest.mark.parametrize("claim_id", IDS)
def test_gold_sources_are_pages_of_the_store(claim_id: int) -> None:
    answers = [answer for question in GOLD[claim_id]["questions"] for answer in question["answers"]]
    unanswerable = {answer["answer"] for answer in answers if answer["answer_type"] == AnswerType.UNANSWERABLE}
    sources = {answer["source_url"] for answer in answers if answer["answer"] not in unanswerable}
    assert sources
    assert sources <= set(pages(claim_id))


@pytest.mark.parametrize("claim_id", IDS)
def test_extractive_answers_occur_in_their_source(claim_id: int) -> None:
    for question in GOLD[claim_id]["questions"]:
        for answer in question["answers"]:
            if answer["answer_type"] == AnswerType.EXTRACTIVE:
                quoted = answer["answer"].rstrip(".").lower()
                assert quoted in pages(claim_id)[answer["source_url"]].lower()


@pytest.mark.parametrize("claim_id", IDS)
def test_store_has_the_official_format(claim_id: int) -> None:
    store = records(claim_id)
    assert 8 <= len(store) <= 20
    for record in store:
        assert list(record) == ["claim_id", "type", "query", "url", "url2text"]
        assert record["claim_id"] == str(claim_id)


@pytest.mark.parametrize("claim_id", IDS)
def test_no_page_is_the_claim_itself(claim_id: int) -> None:
    claim = GOLD[claim_id]["claim"].rstrip(".").lower()
    assert all(claim not in text.lower() for text in pages(claim_id).values())


def test_no_store_without_a_claim() -> None:
    assert {path.name for path in STORES.iterdir()} == {f"{claim_id}.json" for claim_id in IDS}


def test_addresses_are_reserved_for_examples() -> None:
    urls = [claim["original_claim_url"] for claim in GOLD] + [record["url"] for record in ALL_RECORDS]
    hosts = {urlsplit(url).hostname or "" for url in urls if url}
    assert all(host.endswith((".example", ".example.org")) for host in hosts)  # RFC 2606


def test_small_enough_to_read() -> None:
    assert sum(path.stat().st_size for path in [CLAIMS, *STORES.iterdir()]) < 200_000


def is_json(line: str) -> bool:
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def test_flaw_broken_line() -> None:
    assert sum(not is_json(line) for claim_id in IDS for line in raw_lines(claim_id) if line.strip()) >= 2


def test_flaw_blank_line() -> None:
    assert any(not line.strip() for claim_id in IDS for line in raw_lines(claim_id))


def test_flaw_empty_and_blank_pages() -> None:
    assert sum(record["url2text"] == [] for record in ALL_RECORDS) >= 5
    assert any(record["url2text"] and not "".join(filter(None, record["url2text"])).strip() for record in ALL_RECORDS)


@pytest.mark.parametrize("field", ["type", "query", "url", "url2text"])
def test_flaw_null_field(field: str) -> None:
    assert any(record[field] is None for record in ALL_RECORDS)


def test_flaw_null_sentence() -> None:
    assert any(None in (record["url2text"] or []) for record in ALL_RECORDS)


def test_flaw_mirror() -> None:
    mirrored = [claim_id for claim_id in IDS if len(set(pages(claim_id).values())) < len(pages(claim_id))]
    assert len(mirrored) >= 3


def test_flaw_repeated_sentence() -> None:
    counts = (Counter(record["url2text"] or []) for record in ALL_RECORDS)
    assert any(count and max(count.values()) >= 8 for count in counts)


def test_flaw_other_languages() -> None:
    german = {
        "der",
        "die",
        "das",
        "den",
        "und",
        "nicht",
        "ist",
        "für",
        "im",
        "am",
        "mit",
        "als",
        "auch",
        "gegen",
        "ich",
    }
    assert sum(len(german & set(text.lower().split())) >= 4 for text in ALL_TEXTS) >= 3
    assert any(sum("\u0900" <= letter <= "\u097f" for letter in text) > 100 for text in ALL_TEXTS)


def test_flaw_fragments_that_are_not_language() -> None:
    menus = ("Log in or sign up", "Accept Reject Settings", "We use cookies", "Skip to content")
    assert all(any(menu in text for text in ALL_TEXTS) for menu in menus)


def test_flaw_prompt_injection() -> None:
    assert sum("<|im_start|>assistant" in text for text in ALL_TEXTS) >= 2
    assert any("ignore your previous instructions" in text.lower() for text in ALL_TEXTS)


def test_some_page_gives_several_passages() -> None:
    assert max(map(len, ALL_TEXTS)) > 2500
