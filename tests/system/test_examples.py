"""The bundled examples: claims with all labels, their gold answers in their stores, and the flaws of real stores."""

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import knowledge_store
import system
from knowledge_store.pages.page import Flaws
from knowledge_store.pages.store import read_pages
from system.averitec.claims import read_claims
from system.graph.records import AnswerType, Label

CLAIMS = Path(system.__file__).parent / "examples" / "claims.json"
STORES = Path(knowledge_store.__file__).parent / "examples"
GOLD: list[dict[str, Any]] = json.loads(CLAIMS.read_text(encoding="utf-8"))
IDS = range(len(GOLD))


def pages(claim_id: int, flaws: Flaws | None = None) -> dict[str, str]:
    """Text by address."""
    store = STORES / f"{claim_id}.json"
    return {page.url: page.text for page in read_pages(store, Flaws() if flaws is None else flaws)}


def test_claims_have_all_labels_and_a_day() -> None:
    labels = Counter(claim["label"] for claim in GOLD)
    assert set(labels) == set(Label) and min(labels.values()) >= 3
    claims = read_claims(CLAIMS)
    assert [claim.id for claim in claims] == list(IDS)
    assert all(claim.day and date(2018, 1, 1) < claim.day < date(2022, 1, 1) for claim in claims)
    assert {path.name for path in STORES.iterdir()} == {f"{claim_id}.json" for claim_id in IDS}


@pytest.mark.parametrize("claim_id", IDS)
def test_gold_answers_are_of_the_store_and_no_page_is_the_claim(claim_id: int) -> None:
    texts, claim = pages(claim_id), GOLD[claim_id]
    assert all(claim["claim"].rstrip(".").lower() not in text.lower() for text in texts.values())
    answers = [answer for question in claim["questions"] for answer in question["answers"]]
    for answer in (one for one in answers if one["answer_type"] != AnswerType.UNANSWERABLE):
        text = texts[answer["source_url"]].lower()
        assert answer["answer_type"] != AnswerType.EXTRACTIVE or answer["answer"].rstrip(".").lower() in text


def test_addresses_are_reserved_for_examples() -> None:
    urls = [claim["original_claim_url"] for claim in GOLD] + [url for claim_id in IDS for url in pages(claim_id)]
    assert all((urlsplit(url).hostname or "").endswith((".example", ".example.org")) for url in urls if url)  # RFC 2606


def test_stores_have_the_flaws_of_real_ones() -> None:
    flaws, texts = Flaws(), []
    for claim_id in IDS:
        texts += pages(claim_id, flaws).values()
    found = {str(flaw) for flaw in flaws}
    assert {"broken line", "empty page", "page without address", "sentence repeated"} <= found
    assert len(set(texts)) < len(texts)  # mirrors
    assert sum("<|im_start|>assistant" in text for text in texts) >= 2
    assert "We use cookies" in "".join(texts) and any("\u0900" <= letter <= "\u097f" for letter in "".join(texts))
