"""Stores for claims that have none: the gold answers of a claim among those of other claims, as pages.

AVeriTeC's training split comes without a knowledge store. What the annotators found stands in for the web: a claim's
own answers, those of the claims nearest to it (the topic) and those of claims at random (the noise). Unanswerable
questions leave no page, so a claim without evidence has none here either.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.page import Page
from system.gold import GoldAnswer, GoldClaim
from system.models.extractive.grammar import noun_phrases
from system.records import AnswerType

NEIGHBOURS = 10  # claims of the same topic in a store
STRANGERS = 30  # claims of any topic in a store


def pseudo_stores(claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> list[list[Page]]:
    """A store for each claim, the same for the same seed."""
    generator = np.random.default_rng(seed)
    vectors = encoder.encode([one.claim.text for one in claims])
    stores = []
    for i in range(len(claims)):
        neighbours = np.argsort(-(vectors @ vectors[i]).round(4), kind="stable")
        strangers = generator.permutation(len(claims))
        members = [i, *_first_others(neighbours, i, NEIGHBOURS), *_first_others(strangers, i, STRANGERS)]
        texts = dict.fromkeys(page for member in dict.fromkeys(members) for page in pages(claims[member]))
        order = generator.permutation(len(texts))
        items = list(texts)
        stores.append([Page(number, items[j][0], (items[j][1],)) for number, j in enumerate(order)])
    return stores


def _first_others(order: NDArray[np.int64], own: int, limit: int) -> list[int]:
    return [int(other) for other in order[: limit + 1] if other != own][:limit]


def pages(annotated: GoldClaim) -> list[tuple[str, str]]:
    """Address and text of the pages that a claim's gold answers make."""
    texts = ((answer.url or f"claim:{annotated.claim.id}", _page_text(answer)) for answer in annotated.answers)
    return [(url, text) for url, text in texts if text]


def _page_text(answer: GoldAnswer) -> str:
    """What a page says, or nothing where the answer stands on none.

    Annotators leave out what their question already says, web pages do not: what the question names comes first, as in
    a headline.
    """
    if answer.type is AnswerType.UNANSWERABLE or answer.medium == "Metadata":
        return ""
    return f"{', '.join(noun_phrases(answer.question))}: {answer.explanation or answer.text}"
