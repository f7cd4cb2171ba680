"""``python -m training held-out-claims``: claims that training held out, to fit confidences on; dev is for tests.

AVeriTeC's training split comes without a knowledge store, so stores are made of the annotators' answers.
"""

import argparse
from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder, EncoderUnavailable, SentenceEncoder
from knowledge_store.pages.page import Page
from knowledge_store.settings import RetrievalSettings
from system.averitec.gold import GoldAnswer, GoldClaim, read_gold
from system.graph.records import AnswerType
from system.text.grammar import noun_phrases
from training import TrainingError
from training.finetuning.examples import rank

NEIGHBORS = 10  # claims of the same topic in a store
STRANGERS = 30  # claims of any topic in a store


def pseudo_stores(claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> list[list[Page]]:
    """Make a store for each claim: its own gold answers among those of other claims, as pages.

    What the annotators found stands in for the web: a
    claim's own answers, those of the claims nearest to it (the topic) and those of claims at random (the noise).
    Unanswerable questions leave no page, so a claim without evidence has none here either.
    """
    generator = np.random.default_rng(seed)
    vectors = encoder.encode([one.claim.text for one in claims])
    made = [pages(annotated) for annotated in claims]  # each once: every claim is in the stores of forty others
    stores = []
    for i in range(len(claims)):
        neighbors = np.argsort(-(vectors @ vectors[i]).round(4), kind="stable")
        strangers = generator.permutation(len(claims))
        members = [i, *_first_others(neighbors, i, NEIGHBORS), *_first_others(strangers, i, STRANGERS)]
        texts = dict.fromkeys(page for member in dict.fromkeys(members) for page in made[member])
        order = generator.permutation(len(texts))
        items = list(texts)
        stores.append([Page(number, items[j][0], (items[j][1],)) for number, j in enumerate(order)])
    return stores


def _first_others(order: NDArray[np.int64], own: int, limit: int) -> list[int]:
    return [int(other) for other in order[: limit + 1] if other != own][:limit]


def pages(annotated: GoldClaim) -> list[tuple[str, str]]:
    """Turn a claim's gold answers into pages, (address, text)."""
    texts = ((answer.url or f"claim:{annotated.claim.id}", _page_text(answer)) for answer in annotated.answers)
    return [(url, text) for url, text in texts if text]


def _page_text(answer: GoldAnswer) -> str:
    """Write the page that an answer stands on; empty if there is none.

    Annotators leave out what their question already says, web pages do not: what the question names comes first, as in
    a headline.
    """
    if answer.type is AnswerType.UNANSWERABLE or answer.medium == "Metadata":
        return ""
    return f"{', '.join(noun_phrases(answer.question))}: {answer.explanation or answer.text}"


def add_command(commands: Any) -> None:
    """Add ``held-out-claims`` to the training commands."""
    parser = commands.add_parser(
        "held-out-claims",
        help="write the claims that training holds out, with stores",
        description="Write claims that training holds out, numbered from 0, to OUTPUT/claims.json, and for each a "
        "store of annotators' answers to OUTPUT/stores/NUMBER.json.",
    )
    parser.add_argument("claims", type=Path, help="AVeriTeC's train.json")
    parser.add_argument("output", type=Path, help="folder to write")
    parser.add_argument("--share", type=float, default=0.04, help="of the claims, less than training holds out")
    parser.add_argument("--seed", type=int, default=1, help="that of the training")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write claims and stores.

    Raises:
        TrainingError: the share leaves no claim, or the encoder is missing.
        ClaimsError: the claims cannot be read.
    """
    gold = [one for one in read_gold(options.claims) if one.claim.text.strip()]
    order = sorted(range(len(gold)), key=lambda place: rank(options.seed, gold[place].claim.id))
    chosen = sorted(order[: round(options.share * len(gold))])
    if not chosen:
        raise TrainingError(
            f"{options.claims}: a share of {options.share} of {len(gold)} claims is none; raise --share"
        )
    try:
        stores = pseudo_stores(gold, SentenceEncoder.of(RetrievalSettings()), options.seed)
    except EncoderUnavailable as error:
        raise TrainingError(str(error)) from None
    rows = orjson.loads(options.claims.read_bytes().removeprefix(BOM_UTF8))
    (options.output / "stores").mkdir(parents=True, exist_ok=True)
    for number, place in enumerate(chosen):
        lines = b"".join(orjson.dumps(_line(page), option=orjson.OPT_APPEND_NEWLINE) for page in stores[place])
        (options.output / "stores" / f"{number}.json").write_bytes(lines)
    (options.output / "claims.json").write_bytes(orjson.dumps([rows[gold[place].claim.id] for place in chosen]))
    print(f"{len(chosen)} claims in {options.output}")


def _line(page: Page) -> dict[str, object]:
    return {"url": page.url, "url2text": list(page.sentences)}
