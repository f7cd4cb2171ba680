"""Cost of choices in retrieval: for annotated questions, how many of the final passages are those of embedding all
passages, how many passages are embedded for it, and how many sentences that another system found they contain.

The reference is a JSON Lines file in the form of HerO's retrieval output: {"claim_id", "top_10": [{"sentence"}, …]}.

Usage: python -m scripts.benchmarks.retrieval_quality CLAIMS.json STORE_DIR [--reference FILE.jsonl] [--claims 50]
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
from tqdm import tqdm

from knowledge_store.dense.encoder import CachingEncoder, SentenceEncoder, Vectors
from knowledge_store.dense.search import Hit, PassageIndex, search
from knowledge_store.pages.page import normalized
from knowledge_store.ranking import RankedStore, rank
from knowledge_store.settings import MultiHopSettings, RetrievalSettings
from system.averitec.claims import read_claims
from system.averitec.gold import read_gold

ALL = RetrievalSettings().bm25_top_k
CHOICES = {f"{size} candidates": RetrievalSettings(dense_candidates=size) for size in (4, 8, 16, 32, 64, 128, 256)} | {
    "all": RetrievalSettings(dense_candidates=ALL)
}
HOPS = "32 candidates, by hops"


class CountingEncoder(CachingEncoder):
    """An encoder that embeds each text once for all choices, and counts the texts that are asked for."""

    asked = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See ``Encoder.encode``."""
        self.asked += len(texts)
        return super().encode(texts)


@dataclass
class Row:
    """Sums of one choice.

    Attributes:
        agreeing: shares of the final passages that embedding all finds as well, one for each question.
        embedded: passages embedded, by claim.
        found: reference sentences in the passages of all questions together, by claim that has a reference.
    """

    agreeing: list[float]
    embedded: list[int]
    found: list[int]


def main() -> None:
    """Print a table of the choices."""
    args = _parser().parse_args()
    claims, gold = read_claims(args.claims_file), read_gold(args.claims_file)
    reference = reference_sentences(args.reference)
    encoder = SentenceEncoder.of(RetrievalSettings())
    rows = {name: Row([], [], []) for name in [*CHOICES, *[HOPS] * args.hops]}
    asked = 0
    for claim in tqdm(claims[:: max(len(claims) // args.claims, 1)][: args.claims], unit="claim"):
        ranked = rank(args.store / f"{claim.id}.json", claim.text, RetrievalSettings())
        questions = list(dict.fromkeys(answer.question for answer in gold[claim.id].answers))
        asked += len(questions)
        measure(rows, ranked, questions, CountingEncoder(encoder), reference.get(claim.id, []))
    for name, row in rows.items():
        print(f"{name:24s} agreement {np.mean(row.agreeing):.3f}   embedded {sum(row.embedded) / asked:5.1f} a question"
              f"   reference sentences {np.mean(row.found or [0]):.2f}")  # fmt: skip


def measure(
    rows: dict[str, Row], ranked: RankedStore, questions: Sequence[str], encoder: CountingEncoder, reference: list[str]
) -> None:
    """Add one claim to the rows."""
    best = {
        question: _keys(PassageIndex(ranked, encoder, CHOICES["all"]).nearest(question, 5)) for question in questions
    }
    for name, row in rows.items():
        search = _search(name, PassageIndex(ranked, encoder, CHOICES.get(name, RetrievalSettings())))
        encoder.asked = 0
        hits = {question: search(question, 5) for question in questions}
        row.agreeing += [len(_keys(hits[q]) & best[q]) / max(len(best[q]), 1) for q in questions]
        row.embedded.append(encoder.asked)
        if reference:
            texts = [normalized(hit.passage.text) for found in hits.values() for hit in found]
            row.found.append(sum(any(sentence in text for text in texts) for sentence in reference))


def _search(name: str, index: PassageIndex) -> Callable[[str, int], list[Hit]]:
    if name == HOPS:
        return lambda question, limit: search(index, question, limit, MultiHopSettings())
    return index.nearest


def _keys(hits: Sequence[Hit]) -> set[tuple[int, int]]:
    return {hit.passage.key for hit in hits}


def reference_sentences(path: Path | None) -> dict[int, list[str]]:
    """Reference sentences by claim, as they are compared; none without a file."""
    entries = map(orjson.loads, path.read_bytes().splitlines()) if path else ()
    texts = {int(entry["claim_id"]): [normalized(top["sentence"]) for top in entry["top_10"]] for entry in entries}
    return {claim: [text for text in sentences if text] for claim, sentences in texts.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims_file", type=Path, help="annotated claims, as AVeriTeC's dev.json")
    parser.add_argument("store", type=Path, help="folder with <claim id>.json")
    parser.add_argument("--reference", type=Path, help="sentences that another system found")
    parser.add_argument(
        "--claims", type=int, default=50, metavar="N", help="claims measured, spread over the file (50)"
    )
    parser.add_argument("--hops", action="store_true", help="measure the search by hops as well")
    return parser


if __name__ == "__main__":
    main()
