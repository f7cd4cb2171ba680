"""Recall of retrieval: by the number of passages embedded for a question (dense_candidates), the share of gold pages
and of reference sentences among them and in the final passages, and what embedding them costs on a card.

What BM25 does not pick for any question, no encoder can find; what the encoder does not rank among the first top_k, no
question is answered from. Encoding is slow on a CPU: --final says up to which number it is done. Each claim's store is
searched among noise, so that it has the size of a real one. A gold page is one whose address annotators cite; claims
with such a page in their store are measured. The reference is a JSON Lines file in the form of HerO's retrieval output.

Usage: python -m scripts.benchmarks.candidate_recall CLAIMS.json STORE_DIR --noise NOISE.json --reference FILE.jsonl
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
from tqdm import tqdm

from knowledge_store.bm25.scoring import Bm25
from knowledge_store.dense.encoder import CachingEncoder, Encoder, SentenceEncoder
from knowledge_store.dense.search import PassageIndex
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.page import Flaws, Page, Passage, normalized
from knowledge_store.pages.store import read_pages
from knowledge_store.ranking import RankedStore, rank
from knowledge_store.settings import RetrievalSettings
from scripts.benchmarks.retrieval_quality import reference_sentences
from system.averitec.gold import GoldClaim, read_gold

SIZES = (32, 64, 128, 256, 512, 1024, 3000)
TOKENS = 250  # of a passage of 1,000 characters
PARAMETERS = 0.44e9  # in the layers of Qwen3-Embedding-0.6B
FLOPS = 0.4 * 125e12  # of an A10G in half precision, at 40% of its peak
HEADER = """\
| candidates | gold pages | sentences | final: gold pages | final: sentences | distinct | embedded | s on an A10G |
|---:|---:|---:|---:|---:|---:|---:|---:|"""

# Of candidates: gold pages, reference sentences; of final passages: both; all there are of both; passages embedded;
# final passages of all questions, and the distinct ones among them.
Counts = tuple[int, ...]


def main() -> None:
    """Print a table."""
    args = _parser().parse_args()
    gold = read_gold(args.claims_file)
    wanted = reference_sentences(args.reference)
    noise = list(read_pages(args.noise, Flaws()))
    encoder = SentenceEncoder.of(RetrievalSettings()) if args.final else None
    rows: dict[int, list[Counts]] = {size: [] for size in SIZES}
    stores = ((claim, list(read_pages(args.store / f"{claim.claim.id}.json", Flaws()))) for claim in gold)
    usable = [(claim, store) for claim, store in stores if cited_pages(claim, store)]
    sample = usable[:: max(len(usable) // args.claims, 1)][: args.claims]
    for claim, store in tqdm(sample, unit="claim"):
        sizes = {size: encoder if size <= args.final else None for size in SIZES}
        for size, row in measure(claim, store, noise, wanted.get(claim.claim.id, []), sizes):
            rows[size].append(row)
    print(HEADER)
    for size, found in rows.items():
        sums = np.array(found).sum(axis=0)
        pages, sentences, final_pages, final_sentences, cited, listed, embedded, read, distinct = sums
        each = embedded / len(found)
        shares = (final_pages / cited, final_sentences / listed, distinct / max(read, 1))
        final = " | ".join(f"{share:.3f}" if size <= args.final else "" for share in shares)
        cost = f"{each:,.0f} | {each * TOKENS * 2 * PARAMETERS / FLOPS:.2f}"
        print(f"| {size:,} | {pages / cited:.3f} | {sentences / listed:.3f} | {final} | {cost} |")
    print(f"{len(sample)} claims, {cited} gold pages, {listed} sentences")


def cited_pages(gold: GoldClaim, store: Sequence[Page]) -> set[str]:
    """The addresses that annotators cite and the store holds."""
    urls = (url for answer in gold.answers for url in (answer.url, answer.archived) if url)
    return {page_key(url) for url in urls} & {page_key(page.url) for page in store}


def measure(
    gold: GoldClaim,
    store: Sequence[Page],
    noise: Sequence[Page],
    wanted: Sequence[str],
    sizes: Mapping[int, Encoder | None],
) -> Iterator[tuple[int, Counts]]:
    """The counts of one claim for each size; those of final passages are 0 for a size without an encoder."""
    pages = (replace(page, number=number) for number, page in enumerate(chain(store, noise)))
    ranked = rank(pages, gold.claim.text, RetrievalSettings())
    lexical = Bm25([passage.text for passage in ranked.passages])
    questions = list(dict.fromkeys(answer.question for answer in gold.answers))
    orders = [lexical.rank(question, max(sizes)).positions for question in questions]
    cited = cited_pages(gold, store)
    listed = [text for text in wanted if any(text in normalized(page.text) for page in store)]
    caching = {encoder: CachingEncoder(encoder) for encoder in sizes.values() if encoder}
    for size, encoder in sizes.items():
        chosen = set(range(min(size, len(ranked.passages)))).union(*(order[:size].tolist() for order in orders))
        candidates = [ranked.passages[position] for position in chosen]
        final = list(_final(ranked, questions, size, caching[encoder])) if encoder else []
        found = (count for passages in (candidates, final) for count in _found(passages, cited, listed))
        distinct = len({passage.key for passage in final})
        yield size, (*found, len(cited), len(listed), len(candidates), len(final), distinct)


def _final(ranked: RankedStore, questions: Sequence[str], size: int, encoder: Encoder) -> Iterator[Passage]:
    settings = RetrievalSettings(dense_candidates=size)
    index = PassageIndex(ranked, encoder, settings)
    for question in questions:
        yield from (hit.passage for hit in index.nearest(question, settings.top_k))


def _found(passages: Sequence[Passage], cited: set[str], listed: Sequence[str]) -> tuple[int, int]:
    """Gold pages and reference sentences in passages."""
    texts = [normalized(passage.text) for passage in passages]
    return _pages(passages, cited), sum(any(text in held for held in texts) for text in listed)


def _pages(found: Sequence[Passage], cited: set[str]) -> int:
    return len(cited & {page_key(passage.url) for passage in found})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims_file", type=Path, help="annotated claims, as AVeriTeC's dev.json")
    parser.add_argument("store", type=Path, help="folder with <claim id>.json")
    parser.add_argument("--noise", type=Path, required=True, help="a store of other pages, added to each claim's")
    parser.add_argument("--reference", type=Path, required=True, help="sentences that another system found")
    parser.add_argument("--final", type=int, default=0, metavar="N", help="encode for sizes up to this (0: none)")
    parser.add_argument("--claims", type=int, default=40, metavar="N", help="claims, spread over the file (40)")
    return parser


if __name__ == "__main__":
    main()
