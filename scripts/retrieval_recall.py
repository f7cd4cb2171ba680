#!/usr/bin/env python3
"""How often a run retrieved what another system found: the share of claims, and of questions, whose retrieved passages
contain at least one of the reference sentences for the claim.

The reference is a JSON Lines file in the form of HerO's retrieval output: {"claim_id", "top_10": [{"sentence"}, …]}.

Usage: retrieval_recall.py OUTPUT_DIR REFERENCE.jsonl
"""

import argparse
from collections import defaultdict
from pathlib import Path

import orjson

from knowledge_store.pages.page import normalized


def main() -> None:
    """Print both shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="output folder of a run")
    parser.add_argument("reference", type=Path, help="reference sentences by claim")
    args = parser.parse_args()

    found = [shares(path, sentences) for path, sentences in claims(args.output, args.reference)]
    if not found:
        parser.error(f"no claim of {args.output / 'graphs'} is in {args.reference}")
    questions = [hit for claim in found for hit in claim]
    print(f"claims    {sum(map(any, found))} of {len(found)} ({sum(map(any, found)) / len(found):.1%})")
    print(f"questions {sum(questions)} of {len(questions)} ({sum(questions) / len(questions):.1%})")


def claims(output: Path, reference: Path) -> list[tuple[Path, list[str]]]:
    """The graph and the reference sentences of each claim that has both."""
    entries = map(orjson.loads, reference.read_bytes().splitlines())
    pairs = [(output / "graphs" / f"{e['claim_id']}.json", [s["sentence"] for s in e["top_10"]]) for e in entries]
    return [(path, sentences) for path, sentences in pairs if path.exists()]


def shares(graph: Path, sentences: list[str]) -> list[bool]:
    """For each question of a graph, whether its passages contain a reference sentence."""
    wanted = [text for sentence in sentences if (text := normalized(sentence))]
    passages: dict[str, list[str]] = defaultdict(list)
    for thought in orjson.loads(graph.read_bytes())["thoughts"]:
        if thought["kind"] == "evidence":
            passages[thought["parents"][0]].append(normalized(thought["content"]["passage"]["text"]))
    return [any(sentence in text for sentence in wanted for text in texts) for texts in passages.values()]


if __name__ == "__main__":
    main()
