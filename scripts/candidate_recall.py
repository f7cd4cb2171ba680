#!/usr/bin/env python3
"""What the passages that are embedded can hold: by their number (dense_candidates), the share of gold pages and of
reference sentences that are among them, and what embedding them costs on a card.

No encoder runs: what BM25 does not pick for any question, no encoder can find. Each claim's store is searched among
noise, so that it has the size of a real one. A gold page is one whose address annotators cite; claims with such a page
in their store are measured. The reference is a JSON Lines file in the form of HerO's retrieval output.

Usage: candidate_recall.py CLAIMS.json STORE_DIR --noise NOISE.json --reference FILE.jsonl [--claims 40]
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import orjson
from tqdm import tqdm

from knowledge_store.bm25.scoring import Bm25
from knowledge_store.pages.page import Flaws, Page, Passage, normalized
from knowledge_store.pages.store import read_pages
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings
from system.gold import GoldClaim, read_gold
from training.datasets.evidence import same_address

SIZES = (32, 64, 128, 256, 512, 1024, 3000)
TOKENS = 250  # of a passage of 1,000 characters
PARAMETERS = 0.44e9  # in the layers of Qwen3-Embedding-0.6B
FLOPS = 0.4 * 125e12  # of an A10G in half precision, at 40 % of its peak


def main() -> None:
    """Print a table."""
    args = _parser().parse_args()
    gold = read_gold(args.claims_file)
    wanted = _reference(args.reference)
    noise = list(read_pages(args.noise, Flaws()))
    rows: dict[int, list[tuple[int, int, int, int, int]]] = {size: [] for size in SIZES}
    stores = ((claim, list(read_pages(args.store / f"{claim.claim.id}.json", Flaws()))) for claim in gold)
    usable = [(claim, store) for claim, store in stores if cited_pages(claim, store)]
    sample = usable[:: max(len(usable) // args.claims, 1)][: args.claims]
    for claim, store in tqdm(sample, unit="claim"):
        for size, row in measure(claim, store, noise, wanted.get(claim.claim.id, [])):
            rows[size].append(row)
    print("| `dense_candidates` | gold pages | reference sentences | embedded a claim | seconds on an A10G |")
    print("|---:|---:|---:|---:|---:|")
    for size, found in rows.items():
        pages, cited, sentences, listed, embedded = np.array(found).sum(axis=0)
        each = embedded / len(found)
        seconds = each * TOKENS * 2 * PARAMETERS / FLOPS
        print(f"| {size:,} | {pages / cited:.3f} | {sentences / listed:.3f} | {each:,.0f} | {seconds:.2f} |")
    print(f"{len(sample)} claims, {cited} gold pages, {listed} sentences")


def cited_pages(gold: GoldClaim, store: Sequence[Page]) -> set[str]:
    """The addresses that annotators cite and the store holds."""
    urls = (url for answer in gold.answers for url in (answer.url, answer.archived) if url)
    return {same_address(url) for url in urls} & {same_address(page.url) for page in store}


def measure(
    gold: GoldClaim, store: Sequence[Page], noise: Sequence[Page], wanted: Sequence[str]
) -> Iterator[tuple[int, tuple[int, int, int, int, int]]]:
    """Of one claim, for each size: gold pages found and there, sentences found and there, passages embedded."""
    pages = (replace(page, number=number) for number, page in enumerate(chain(store, noise)))
    passages = rank(pages, gold.claim.text, RetrievalSettings()).passages
    lexical = Bm25([passage.text for passage in passages])
    questions = list(dict.fromkeys(answer.question for answer in gold.answers))
    orders = [lexical.rank(question, max(SIZES)).positions for question in questions]
    cited = cited_pages(gold, store)
    listed = [text for text in wanted if any(text in normalized(page.text) for page in store)]
    for size in SIZES:
        chosen = set(range(min(size, len(passages)))).union(*(order[:size].tolist() for order in orders))
        found = [passages[position] for position in chosen]
        texts = [normalized(passage.text) for passage in found]
        sentences = sum(any(text in held for held in texts) for text in listed)
        yield size, (_pages(found, cited), len(cited), sentences, len(listed), len(found))


def _pages(found: Sequence[Passage], cited: set[str]) -> int:
    return len(cited & {same_address(passage.url) for passage in found})


def _reference(path: Path) -> dict[int, list[str]]:
    entries = map(orjson.loads, path.read_bytes().splitlines())
    return {
        int(entry["claim_id"]): [text for top in entry["top_10"] if (text := normalized(top["sentence"]))]
        for entry in entries
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims_file", type=Path, help="annotated claims, as AVeriTeC's dev.json")
    parser.add_argument("store", type=Path, help="folder with <claim id>.json")
    parser.add_argument("--noise", type=Path, required=True, help="a store of other pages, added to each claim's")
    parser.add_argument("--reference", type=Path, required=True, help="sentences that another system found")
    parser.add_argument("--claims", type=int, default=40, metavar="N", help="claims, spread over the file (40)")
    return parser


if __name__ == "__main__":
    main()
