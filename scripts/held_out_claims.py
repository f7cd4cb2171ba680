"""Claims that training held out, with stores to check them on: confidences are fitted to these, since dev is for tests.

AVeriTeC's training split comes without a knowledge store, so stores are made of the annotators' answers. Writes
OUTPUT/claims.json, numbered from 0, and OUTPUT/stores/<number>.json.

Usage: python -m scripts.held_out_claims CLAIMS.json OUTPUT [--share 0.04]
"""

import argparse
from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from knowledge_store.pages.page import Page
from knowledge_store.settings import RetrievalSettings
from system.gold import GoldAnswer, GoldClaim, read_gold
from system.models.extractive.grammar import noun_phrases
from system.records import AnswerType
from training.finetuning.examples import rank

NEIGHBORS = 10  # claims of the same topic in a store
STRANGERS = 30  # claims of any topic in a store


def pseudo_stores(claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> list[list[Page]]:
    """A store for each claim: its own gold answers among those of other claims, as pages.

    AVeriTeC's training split comes without a knowledge store. What the annotators found stands in for the web: a
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


def main() -> None:
    """Write claims and stores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", type=Path, help="AVeriTeC's train.json")
    parser.add_argument("output", type=Path, help="folder to write")
    parser.add_argument("--share", type=float, default=0.04, help="of the claims, less than training holds out")
    parser.add_argument("--seed", type=int, default=1, help="that of the training")
    args = parser.parse_args()
    rows = orjson.loads(args.claims.read_bytes().removeprefix(BOM_UTF8))
    gold = [one for one in read_gold(args.claims) if one.claim.text.strip()]
    order = sorted(range(len(gold)), key=lambda place: rank(args.seed, gold[place].claim.id))
    chosen = sorted(order[: round(args.share * len(gold))])
    stores = pseudo_stores(gold, SentenceEncoder.of(RetrievalSettings()), args.seed)
    (args.output / "stores").mkdir(parents=True, exist_ok=True)
    (args.output / "claims.json").write_bytes(orjson.dumps([rows[gold[place].claim.id] for place in chosen]))
    for number, place in enumerate(chosen):
        lines = b"".join(orjson.dumps(_line(page), option=orjson.OPT_APPEND_NEWLINE) for page in stores[place])
        (args.output / "stores" / f"{number}.json").write_bytes(lines)
    print(f"{len(chosen)} claims in {args.output}")


def _line(page: Page) -> dict[str, object]:
    return {"url": page.url, "url2text": list(page.sentences)}


if __name__ == "__main__":
    main()
