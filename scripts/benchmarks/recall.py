"""Recall of retrieval: the share of gold pages and of reference sentences that a claim's questions find.

    python -m scripts.benchmarks.recall dev.json STORES --reference dev_reranked_top10.jsonl [--noise NOISE.json]
        [--candidates 64 256] [--top-k 5 8 10] [--claims 40]

Each row is a number of candidates that BM25 selects for a question (``dense_candidates``). With ``--top-k`` the encoder
ranks them, and the row counts the first passages of each question; this is slow on a CPU. Gold pages are the addresses
that annotators cite. The reference is in the form of HerO's retrieval output:
``{"claim_id", "top_10": [{"sentence"}, …]}``, one object a line. Claims without a gold page in their store are skipped.
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
from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from knowledge_store.dense.search import PassageIndex
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.page import Flaws, Page, Passage, normalized
from knowledge_store.pages.store import read_pages
from knowledge_store.ranking import RankedStore, rank
from knowledge_store.settings import RetrievalSettings
from system.averitec.gold import GoldClaim, read_gold

Row = tuple[int, int]
"""Candidates of a question, and passages that it keeps of them; 0 passages: all candidates."""


def main() -> None:
    """Print the table."""
    args = _parser().parse_args()
    gold = read_gold(args.claims_file)
    wanted = reference_sentences(args.reference)
    noise = list(read_pages(args.noise, Flaws())) if args.noise else []
    encoder = SentenceEncoder.of(RetrievalSettings()) if args.top_k else None
    stores = ((claim, list(read_pages(args.stores / f"{claim.claim.id}.json", Flaws()))) for claim in gold)
    usable = [(claim, store) for claim, store in stores if cited_pages(claim, store)]
    counts: dict[Row, list[list[int]]] = {}
    for claim, store in tqdm(usable[:: max(len(usable) // args.claims, 1)][: args.claims], unit="claim"):
        pages = (replace(page, number=number) for number, page in enumerate(chain(store, noise)))
        ranked = rank(pages, claim.claim.text, RetrievalSettings())
        found = candidates(claim, ranked, args.candidates)
        if encoder:
            found = chain(found, final_passages(claim, ranked, args.candidates, args.top_k, encoder.cached()))
        cited = cited_pages(claim, store)
        texts = [normalized(page.text) for page in store]
        listed = [text for text in wanted.get(claim.claim.id, []) if any(text in page for page in texts)]
        for row, passages in found:
            counts.setdefault(row, []).append(counted(passages, cited, listed))
    print("| candidates | top-k | gold pages | sentences | passages a claim |\n|---:|---:|---:|---:|---:|")
    for (size, limit), rows in counts.items():
        pages, sentences, all_pages, all_sentences, passages = np.array(rows).sum(axis=0)
        print(f"| {size:,} | {limit or 'all'} | {pages / all_pages:.3f} | {sentences / all_sentences:.3f} | "
              f"{passages / len(rows):,.1f} |")  # fmt: skip
    print(f"\n{len(rows)} claims, {all_pages} gold pages, {all_sentences} sentences")


def candidates(gold: GoldClaim, ranked: RankedStore, sizes: Sequence[int]) -> Iterator[tuple[Row, list[Passage]]]:
    """Yield the candidates of all questions of a claim, for each size."""
    lexical = Bm25([passage.text for passage in ranked.passages])
    orders = [lexical.rank(question, max(sizes)).positions for question in questions_of(gold)]
    for size in sizes:
        chosen = set(range(min(size, len(ranked.passages)))).union(*(order[:size].tolist() for order in orders))
        yield (size, 0), [ranked.passages[position] for position in chosen]


def final_passages(
    gold: GoldClaim, ranked: RankedStore, sizes: Sequence[int], limits: Sequence[int], encoder: Encoder
) -> Iterator[tuple[Row, list[Passage]]]:
    """Yield the nearest passages of all questions of a claim, for each size and limit."""
    for size in sizes:
        index = PassageIndex(ranked, encoder, RetrievalSettings(dense_candidates=size))
        nearest = [[hit.passage for hit in index.nearest(question, max(limits))] for question in questions_of(gold)]
        for limit in limits:
            yield (size, limit), [passage for passages in nearest for passage in passages[:limit]]


def questions_of(gold: GoldClaim) -> list[str]:
    """Return the annotators' questions, each once."""
    return list(dict.fromkeys(answer.question for answer in gold.answers))


def cited_pages(gold: GoldClaim, store: Sequence[Page]) -> set[str]:
    """Return the keys of the addresses that annotators cite and the store has."""
    urls = (url for answer in gold.answers for url in (answer.url, answer.archived) if url)
    return {page_key(url) for url in urls} & {page_key(page.url) for page in store}


def counted(passages: Sequence[Passage], cited: set[str], listed: Sequence[str]) -> list[int]:
    """Count gold pages and reference sentences found, both in total, and distinct passages."""
    texts = [normalized(passage.text) for passage in passages]
    pages = cited & {page_key(passage.url) for passage in passages}
    sentences = sum(any(sentence in text for text in texts) for sentence in listed)
    return [len(pages), sentences, len(cited), len(listed), len({passage.key for passage in passages})]


def reference_sentences(path: Path) -> dict[int, list[str]]:
    """Read reference sentences by claim, normalized as passages are compared."""
    entries = map(orjson.loads, path.read_bytes().splitlines())
    texts = {int(entry["claim_id"]): [normalized(top["sentence"]) for top in entry["top_10"]] for entry in entries}
    return {claim: [text for text in sentences if text] for claim, sentences in texts.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims_file", type=Path, help="annotated claims, as AVeriTeC's dev.json")
    parser.add_argument("stores", type=Path, help="folder with <claim id>.json")
    parser.add_argument("--reference", type=Path, required=True, help="sentences that another system found")
    parser.add_argument("--noise", type=Path, help="a store whose pages are added to each claim's")
    sizes = [32, 64, 128, 256, 512, 1024, 3000]
    parser.add_argument("--candidates", type=int, nargs="+", default=sizes, metavar="N", help=f"default: {sizes}")
    parser.add_argument("--top-k", type=int, nargs="+", default=[], metavar="K", help="final passages of a question")
    parser.add_argument("--claims", type=int, default=40, metavar="N", help="claims, spread over the file (40)")
    return parser


if __name__ == "__main__":
    main()
