"""Stores made of gold answers."""

from pathlib import Path

import numpy as np
import pytest

from knowledge_store.dense.encoder import Vectors
from system.averitec.gold import GoldClaim, read_gold
from tests.helpers.training_claims import RECORDS, answer, claim, write
from training.held_out_claims import NEIGHBORS, STRANGERS, pages, pseudo_stores


class Length:
    """Texts as their length on a quarter circle: near in length is near in meaning."""

    dimension = 2

    def encode(self, texts: list[str]) -> Vectors:
        angles = np.array([len(text) / 100 for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    encode_queries = encode


@pytest.fixture
def annotated(tmp_path: Path) -> list[GoldClaim]:
    return read_gold(write(tmp_path / "train.json"))


@pytest.fixture
def many(tmp_path: Path) -> list[GoldClaim]:
    records = [
        claim(f"Claim {'x' * i}.", "Refuted", (f"What is {i}?", answer(f"It is number {i}."))) for i in range(90)
    ]
    return read_gold(write(tmp_path / "many.json", records))


def test_pages_name_the_subject_of_their_question(annotated: list[GoldClaim]) -> None:
    assert pages(annotated[0]) == [
        ("https://example.org/the", "Aster bridge: The Aster bridge was opened to traffic in 1932."),
        ("https://example.org/no", "king: The mayor of Aster opened the bridge alone."),
    ]


def test_a_store_holds_the_claim_s_own_pages_among_others(many: list[GoldClaim]) -> None:
    for own, store in zip(many, pseudo_stores(many, Length(), 1), strict=True):
        texts = {page.text for page in store}
        assert {text for _, text in pages(own)} <= texts
        assert NEIGHBORS < len(texts) <= 1 + NEIGHBORS + STRANGERS
        assert [page.number for page in store] == list(range(len(store)))


def test_the_nearest_claims_are_in_the_store(many: list[GoldClaim]) -> None:
    texts = {page.text for page in pseudo_stores(many, Length(), 1)[40]}
    for near in range(40 - NEIGHBORS // 2, 40 + NEIGHBORS // 2 + 1):
        assert pages(many[near])[0][1] in texts


def test_stores_depend_on_the_seed(many: list[GoldClaim]) -> None:
    assert pseudo_stores(many, Length(), 1) == pseudo_stores(many, Length(), 1)
    assert pseudo_stores(many, Length(), 1) != pseudo_stores(many, Length(), 2)


def test_few_claims_share_all_pages(annotated: list[GoldClaim]) -> None:
    everything = sorted(text for one in annotated for _, text in pages(one))
    assert all(sorted(page.text for page in store) == everything for store in pseudo_stores(annotated, Length(), 1))
    assert len(everything) == sum(len(record["questions"]) for record in RECORDS) - 2
