"""Small knowledge stores for claims that come without one, made of what annotators copied from their pages.

A store stands in for the web. It holds the answers of its claim, those of the nearest claims (its topic) and those of
some claims at random (the noise). A page has what one address answered, in the middle of what was found for another
claim on the topic: about as much text as a passage of a real store. A share of the questions finds nothing, and a
share of the claims is repeated by a page, true or not.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.page import Page
from knowledge_store.pages.store import write_store
from system.averitec.gold import GoldAnswer, GoldClaim
from system.graph.records import AnswerType
from training.datasets.gold import answer_text
from training.datasets.samples import in_share

NEIGHBORS = 10  # claims of the same topic in a store
STRANGERS = 10  # claims of any topic in a store
LOST = 0.35  # share of the questions whose own answers are in no page
REPEATED = 0.5  # share of the claims that a page repeats

Text = tuple[str, list[str]]
"""Address and sentences."""


def write_small_stores(claims: Sequence[GoldClaim], encoder: Encoder, folder: Path, seed: int) -> Path:
    """Write a store for each claim; the same claims and seed always give the same stores.

    Raises:
        OSError: a store cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    vectors = encoder.encode([annotated.claim.text for annotated in claims])
    for place, annotated in enumerate(tqdm(claims, unit="store", desc="small stores", disable=None)):
        near = np.argsort(-(vectors @ vectors[place]).round(4), kind="stable")[: NEIGHBORS + 1]
        texts = _pages(place, claims, near, seed)
        pages = (Page(number, url, tuple(said)) for number, (url, said) in enumerate(texts))
        write_store(pages, folder / f"{annotated.claim.id}.json")
    return folder


def _pages(place: int, claims: Sequence[GoldClaim], near: NDArray[np.int64], seed: int) -> Iterator[Text]:
    annotated = claims[place]
    others = _others(place, claims, near, seed)
    said = _answers(annotated)
    if in_share(REPEATED, f"{annotated.claim.text}\nrepeated"):
        said.append((f"annotation:{annotated.claim.id}/repeated", [annotated.claim.text]))
    for url, own in said:
        _, around = next(others, ("", []))
        spot = hashlib.sha256(f"{url}\n{annotated.claim.text}".encode()).digest()[0] % (len(around) + 1)
        yield url, [*around[:spot], *own, *around[spot:]]
    yield from others


def _others(place: int, claims: Sequence[GoldClaim], near: NDArray[np.int64], seed: int) -> Iterator[Text]:
    """Yield a text of each other claim on the topic, nearest first, then of some at random."""
    strangers = np.random.default_rng([seed, place]).permutation(len(claims))
    topic = [int(other) for other in near if other != place]
    far = islice((int(other) for other in strangers if other != place and other not in topic), STRANGERS)
    for other in (*topic, *far):
        if answers := _answers(claims[other], all_found=True):
            yield answers[0][0], [sentence for _, said in answers for sentence in said]


def _answers(annotated: GoldClaim, all_found: bool = False) -> list[Text]:
    """Return the text of each address; unless ``all_found``, a share of the questions has no page."""
    texts: dict[str, Text] = {}
    for number, answer in enumerate(annotated.answers):
        if not all_found and in_share(LOST, f"{annotated.claim.text}\n{answer.question}"):
            continue
        url = answer.url or f"annotation:{annotated.claim.id}/{number}"
        _, said = texts.setdefault(page_key(url), (url, []))
        said += [sentence for sentence in sentences(answer) if sentence not in said]
    return [text for text in texts.values() if text[1]]


def sentences(answer: GoldAnswer) -> list[str]:
    """Return the sentences of an answer that is on a page; those of its explanation if it is Boolean."""
    if answer.type is AnswerType.UNANSWERABLE or answer.medium == "Metadata":
        return []
    text = answer.explanation if answer.type is AnswerType.BOOLEAN and answer.explanation else answer_text(answer)
    pieces = [piece.strip() for piece in text.replace("\n", " ").split(". ")]
    return [piece if piece.endswith(".") else f"{piece}." for piece in pieces if len(piece) > 20]
