"""Recall of retrieval: by the number of passages embedded for a question (dense_candidates), the share of gold pages
and of reference sentences among them, and what embedding them costs on a card; and the share in the final passages, by
their number (top_k) and by what orders them: the encoder alone, or a cross-encoder behind it.

What BM25 does not pick for any question, no encoder can find; what is not ranked among the first top_k, no question is
answered from. Encoding is slow on a CPU: --final says up to which number it is done. Each claim's store is searched
among noise, so that it has the size of a real one. A gold page is one whose address annotators cite; claims with such a
page in their store are measured. The reference is a JSON Lines file in the form of HerO's retrieval output.

Differences, with 95% intervals over resampled claims, are those of a cross-encoder to the encoder's order of the same
candidates, and those of the encoder to the profile a10g.

Usage: python -m scripts.benchmarks.candidate_recall CLAIMS.json STORE_DIR --noise NOISE.json --reference FILE.jsonl
       [--final 512 --top-k 5 8 10 --reranker verifier FOLDER]
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from knowledge_store.bm25.scoring import Bm25
from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from knowledge_store.dense.search import PassageIndex
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.page import Flaws, Page, Passage, normalized
from knowledge_store.pages.store import read_pages
from knowledge_store.ranking import RankedStore, rank
from knowledge_store.settings import RetrievalSettings
from scripts.benchmarks.retrieval_quality import reference_sentences
from system.averitec.gold import GoldClaim, read_gold
from system.verifier.base import Reading
from system.verifier.loading import load_verifier

SIZES = (32, 64, 128, 256, 512, 1024, 3000)
DEPTH = 32  # passages of a question that a cross-encoder puts into another order
TOKENS = 250  # of a passage of 1,000 characters
PARAMETERS = 0.44e9  # in the layers of Qwen3-Embedding-0.6B
FLOPS = 0.4 * 125e12  # of an A10G in half precision, at 40% of its peak
ENCODER = "encoder"
PROFILE = (256, ENCODER, 8)  # of the card
RESAMPLES = 10_000

Counts = NDArray[np.int64]
"""Of one claim: gold pages and reference sentences found, all that there are of both, and a number of passages: those
embedded, or the distinct ones among the final."""
Row = tuple[int, str, int]
"""Candidates; then what orders the final passages, and how many each question has: "" and 0 for candidates."""
Scorer = Callable[[str, str, Sequence[str]], NDArray[np.float64]]
"""Scores of texts for a claim and a question about it."""


def main() -> None:
    """Print the tables."""
    args = _parser().parse_args()
    gold = read_gold(args.claims_file)
    wanted = reference_sentences(args.reference)
    noise = list(read_pages(args.noise, Flaws()))
    encoder = SentenceEncoder.of(RetrievalSettings()) if args.final else None
    scorers = {name: scorer(name) for name in args.reranker}
    found: dict[Row, list[Counts]] = {}
    stores = ((claim, list(read_pages(args.store / f"{claim.claim.id}.json", Flaws()))) for claim in gold)
    usable = [(claim, store) for claim, store in stores if cited_pages(claim, store)]
    sample = usable[:: max(len(usable) // args.claims, 1)][: args.claims]
    for claim, store in tqdm(sample, unit="claim"):
        pages = (replace(page, number=number) for number, page in enumerate(chain(store, noise)))
        ranked = rank(pages, claim.claim.text, RetrievalSettings())
        rows = among_candidates(claim, ranked)
        if encoder:
            sizes = [size for size in SIZES if size <= args.final]
            rows = chain(rows, among_final(claim, ranked, sizes, args.top_k, encoder.cached(), scorers))
        cited = cited_pages(claim, store)
        listed = [text for text in wanted.get(claim.claim.id, []) if any(text in normalized(p.text) for p in store)]
        for row, passages in rows:
            found.setdefault(row, []).append(counted(passages, cited, listed))
    show({row: np.array(counts) for row, counts in found.items()})


def among_candidates(gold: GoldClaim, ranked: RankedStore) -> Iterator[tuple[Row, list[Passage]]]:
    """The candidates of a claim's questions, for each size."""
    lexical = Bm25([passage.text for passage in ranked.passages])
    orders = [lexical.rank(question, max(SIZES)).positions for question in questions_of(gold)]
    for size in SIZES:
        chosen = set(range(min(size, len(ranked.passages)))).union(*(order[:size].tolist() for order in orders))
        yield (size, "", 0), [ranked.passages[position] for position in chosen]


def among_final(
    gold: GoldClaim,
    ranked: RankedStore,
    sizes: Iterable[int],
    limits: Sequence[int],
    encoder: Encoder,
    scorers: dict[str, Scorer],
) -> Iterator[tuple[Row, list[Passage]]]:
    """The final passages of a claim's questions, in each order and of each number."""
    claim = gold.claim.text
    known = {name: cache(lambda question, text, score=score: score(claim, question, [text])[0])
             for name, score in scorers.items()}  # fmt: skip
    for size in sizes:
        index = PassageIndex(ranked, encoder, RetrievalSettings(dense_candidates=size))
        depth = max(DEPTH if scorers else 0, *limits)
        nearest = {question: [hit.passage for hit in index.nearest(question, depth)] for question in questions_of(gold)}
        orders = {ENCODER: nearest} | {
            name: {
                question: sorted(passages, key=lambda passage: -score(question, passage.text))
                for question, passages in nearest.items()
            }
            for name, score in known.items()
        }
        for name, order in orders.items():
            for limit in limits:
                yield (size, name, limit), [passage for passages in order.values() for passage in passages[:limit]]


def scorer(name: str) -> Scorer:
    """A cross-encoder: the bundled verifier, beside the claim or the question, or a model of one output in a folder."""
    if name.startswith("verifier"):
        verifier = load_verifier()
        asked = name == "verifier-question"
        return lambda claim, question, texts: (
            1
            - verifier.probabilities([(text, question if asked else claim) for text in texts])[
                :, Reading.NOT_ENOUGH
            ].astype(np.float64)
        )
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(name, max_length=256, device="cpu")
    return lambda claim, question, texts: np.asarray(
        model.predict([(question, text) for text in texts], show_progress_bar=False), np.float64
    )


def questions_of(gold: GoldClaim) -> list[str]:
    """The annotators' questions, each once."""
    return list(dict.fromkeys(answer.question for answer in gold.answers))


def cited_pages(gold: GoldClaim, store: Sequence[Page]) -> set[str]:
    """The addresses that annotators cite and the store holds."""
    urls = (url for answer in gold.answers for url in (answer.url, answer.archived) if url)
    return {page_key(url) for url in urls} & {page_key(page.url) for page in store}


def counted(passages: Sequence[Passage], cited: set[str], listed: Sequence[str]) -> Counts:
    """See ``Counts``."""
    texts = [normalized(passage.text) for passage in passages]
    pages = cited & {page_key(passage.url) for passage in passages}
    sentences = sum(any(text in held for held in texts) for text in listed)
    return np.array([len(pages), sentences, len(cited), len(listed), len({passage.key for passage in passages})])


def show(found: dict[Row, Counts]) -> None:
    """Print a table of candidates, and one of final passages where they were made."""
    print("| candidates | gold pages | sentences | embedded | s on an A10G |\n|---:|---:|---:|---:|---:|")
    for (size, order, _), counts in found.items():
        if not order:
            pages, sentences = shares(counts.sum(axis=0))
            each = counts[:, 4].mean()
            print(f"| {size:,} | {pages:.3f} | {sentences:.3f} | {each:,.0f} | "
                  f"{each * TOKENS * 2 * PARAMETERS / FLOPS:.2f} |")  # fmt: skip
    if any(order for _, order, _ in found):
        print("\n| candidates | order | passages | gold pages | difference | sentences | difference | distinct |")
        print("|---:|---|---:|---:|---|---:|---|---:|")
    for (size, order, limit), counts in sorted(found.items(), key=lambda item: (item[0][0], item[0][2])):
        if order:
            base = found.get(PROFILE if order == ENCODER else (size, ENCODER, limit), counts)
            (pages, sentences), ends = shares(counts.sum(axis=0)), difference(counts, base)
            print(f"| {size:,} | {order} | {limit} | {pages:.3f} | {ends[0]} | {sentences:.3f} | {ends[1]} | "
                  f"{counts[:, 4].mean():.1f} |")  # fmt: skip
    counts = next(iter(found.values()))
    print(f"\n{len(counts)} claims, {counts[:, 2].sum()} gold pages, {counts[:, 3].sum()} sentences")


def shares(sums: Counts) -> NDArray[np.float64]:
    """Shares of gold pages and of sentences: (..., 5) counts to (..., 2)."""
    found: NDArray[np.float64] = sums[..., :2] / sums[..., 2:4]
    return found


def difference(counts: Counts, base: Counts) -> list[str]:
    """The paired differences of both shares with the ends of their intervals; empty where the two are one."""
    if counts is base:
        return ["", ""]
    drawn = np.random.default_rng(1).integers(len(counts), size=(RESAMPLES, len(counts)))
    resampled = shares(counts[drawn].sum(axis=1)) - shares(base[drawn].sum(axis=1))
    middle = shares(counts.sum(axis=0)) - shares(base.sum(axis=0))
    low, high = np.quantile(resampled, (0.025, 0.975), axis=0)
    return [f"{m:+.3f} [{a:+.3f}, {b:+.3f}]" for m, a, b in zip(middle, low, high, strict=True)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims_file", type=Path, help="annotated claims, as AVeriTeC's dev.json")
    parser.add_argument("store", type=Path, help="folder with <claim id>.json")
    parser.add_argument("--noise", type=Path, required=True, help="a store of other pages, added to each claim's")
    parser.add_argument("--reference", type=Path, required=True, help="sentences that another system found")
    parser.add_argument("--final", type=int, default=0, metavar="N", help="encode for sizes up to this (0: none)")
    parser.add_argument("--top-k", type=int, nargs="+", default=[5], metavar="K", help="final passages a question (5)")
    parser.add_argument(
        "--reranker",
        nargs="+",
        default=[],
        metavar="MODEL",
        help=f"cross-encoders for the {DEPTH} nearest passages of a question: verifier (by the claim), "
        "verifier-question, or a folder with a sentence-pair model of one output",
    )
    parser.add_argument("--claims", type=int, default=40, metavar="N", help="claims, spread over the file (40)")
    return parser


if __name__ == "__main__":
    main()
