"""Small knowledge stores for claims that come without one, made of what annotators copied from their pages.

A page holds what one address answered, in the midst of what was found for another claim on the topic: about as much
text as a passage of the real store, in which an answer has to be found too. The other pages are of claims on the topic
and of any. A share of the questions finds nothing, and a share of the claims is repeated by a page (``web``).
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from tqdm import tqdm

from knowledge_store.pages.filters import page_key
from knowledge_store.pages.page import Page
from knowledge_store.pages.store import write_store
from system.averitec.gold import GoldClaim
from training.datasets.web import LOST, REPEATED, STRANGERS, Web, falls, sentences

Text = tuple[str, list[str]]
"""Address and sentences."""


def write_small_stores(claims: Sequence[GoldClaim], web: Web, folder: Path, seed: int) -> Path:
    """Write a store for each claim; always the same ones for the same claims and seed.

    Args:
        web: of the same claims.

    Raises:
        OSError: a store cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for place, annotated in enumerate(tqdm(claims, unit="store", desc="small stores", disable=None)):
        texts = _pages(place, claims, web, seed)
        pages = (Page(number, url, tuple(said)) for number, (url, said) in enumerate(texts))
        write_store(pages, folder / f"{annotated.claim.id}.json")
    return folder


def _pages(place: int, claims: Sequence[GoldClaim], web: Web, seed: int) -> Iterator[Text]:
    annotated = claims[place]
    others = _others(place, claims, web, seed)
    said = _answers(annotated)
    if falls(REPEATED, f"{annotated.claim.text}\nrepeated"):
        said.append((f"annotation:{annotated.claim.id}/repeated", [annotated.claim.text]))
    for url, own in said:
        _, around = next(others, ("", []))
        spot = hashlib.sha256(f"{url}\n{annotated.claim.text}".encode()).digest()[0] % (len(around) + 1)
        yield url, [*around[:spot], *own, *around[spot:]]
    yield from others


def _others(place: int, claims: Sequence[GoldClaim], web: Web, seed: int) -> Iterator[Text]:
    """A text of each claim on the topic, nearest first, then of some at random."""
    strangers = np.random.default_rng([seed, place]).permutation(len(claims))
    near = [int(other) for other in web.topic(place) if other != place]
    far = islice((int(other) for other in strangers if other != place and other not in near), STRANGERS)
    for other in (*near, *far):
        if answers := _answers(claims[other], all_found=True):
            yield answers[0][0], [sentence for _, said in answers for sentence in said]


def _answers(annotated: GoldClaim, all_found: bool = False) -> list[Text]:
    """The text of each address; unless all are found, a share of the questions has no page."""
    texts: dict[str, Text] = {}
    for number, answer in enumerate(annotated.answers):
        if not all_found and falls(LOST, f"{annotated.claim.text}\n{answer.question}"):
            continue
        url = answer.url or f"annotation:{annotated.claim.id}/{number}"
        _, said = texts.setdefault(page_key(url), (url, []))
        said += [sentence for sentence in sentences(answer) if sentence not in said]
    return [text for text in texts.values() if text[1]]
