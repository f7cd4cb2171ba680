#!/usr/bin/env python3
"""Claims that training held out, with stores to check them on: confidences are fitted to these, since dev is for tests.

AVeriTeC's training split comes without a knowledge store; ``training.reader.pseudo_stores`` makes some of the
annotators' answers. Writes OUTPUT/claims.json, numbered from 0, and OUTPUT/stores/<number>.json.

Usage: held_out_claims.py CLAIMS.json OUTPUT [--share 0.04]
"""

import argparse
from codecs import BOM_UTF8
from pathlib import Path

import orjson

from knowledge_store.dense.encoder import SentenceEncoder
from knowledge_store.pages.page import Page
from knowledge_store.settings import RetrievalSettings
from system.gold import read_gold
from training.finetuning.examples import rank
from training.reader import pseudo_stores


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
