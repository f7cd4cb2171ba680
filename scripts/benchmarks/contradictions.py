"""Count an engine's verdicts on claims that short documents contradict, paraphrase, or do not mention.

``contradictions.jsonl`` has invented documents and claims about them. A contradiction differs from its document in one
thing, which is the claim's kind: a number, year, place, name, negation, comparison or quantifier.
``newsroom/claims.jsonl`` has 40 claims on six files: minutes, a budget, a press release, a PDF, a news page, notes.
``hard_statements.jsonl`` has 360 statements on 90 pages, which no reader was trained on: sums, inferences, paraphrases.

Usage: python -m scripts.benchmarks.contradictions [--cases CASES.jsonl] [--profile NAME] [--output FILE.jsonl]
"""

import argparse
import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from factgraph import FactChecker, Label

CASES = Path(__file__).with_suffix(".jsonl")
NO_EVIDENCE = Label.NOT_ENOUGH_EVIDENCE
SHORT = {Label.SUPPORTED: "Sup", Label.REFUTED: "Ref", NO_EVIDENCE: "NEE", Label.CONFLICTING: "Conf"}
EXPECTED = {
    **dict.fromkeys(("number", "year", "place", "name", "negation", "comparison", "quantifier"), Label.REFUTED),
    "refuted": Label.REFUTED,
    **dict.fromkeys(("paraphrase", "supported"), Label.SUPPORTED),
    **dict.fromkeys(("silent", "opinion", "question", "not enough"), NO_EVIDENCE),
}


@dataclass(frozen=True)
class Case:
    """A claim, the documents to check it against, and the kind of difference."""

    kind: str
    claim: str
    documents: dict[str, str] | list[Path]


def main() -> None:
    """Check all cases and print the confusion table."""
    args = _parser().parse_args()
    counts: dict[str, Counter[Label]] = {kind: Counter() for kind in EXPECTED}
    rows = []
    with FactChecker(args.profile) as checker:
        for case in tqdm(list(cases(args.cases)), unit="claim"):
            verdict = checker.check(case.claim, case.documents).verdict
            counts[case.kind][verdict.label] += 1
            rows.append({"kind": case.kind, "claim": case.claim, **verdict.model_dump(mode="json")})
    Console().print(table(counts))
    print(rate(counts, Label.REFUTED, Label.SUPPORTED, "contradictions called Supported"))
    print(rate(counts, Label.SUPPORTED, Label.REFUTED, "paraphrases called Refuted"))
    if args.output:
        args.output.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))


def cases(path: Path = CASES) -> Iterator[Case]:
    """Yield the cases of a file."""
    for group in map(orjson.loads, path.read_bytes().splitlines()):
        for one in group["claims"]:
            files = [path.parent / name for name in group.get("files", ())]
            yield Case(one["kind"], one["claim"], files or group["documents"])


def table(counts: dict[str, Counter[Label]]) -> Table:
    """Return a table of the verdicts with a row for each kind of claim."""
    drawn = Table("kind", "expected", "claims", *SHORT.values(), "right")
    for kind, found in counts.items():
        if found:
            expected, counted = EXPECTED[kind], [found.total(), *(found[label] for label in SHORT)]
            drawn.add_row(kind, SHORT[expected], *map(str, counted), f"{found[expected] / found.total():.0%}")
    return drawn


def rate(counts: dict[str, Counter[Label]], expected: Label, wrong: Label, name: str) -> str:
    """Describe how many claims with the label ``expected`` were given the label ``wrong``.

    >>> rate({"year": Counter({Label.REFUTED: 3, Label.SUPPORTED: 1})}, Label.REFUTED, Label.SUPPORTED, "wrong")
    'wrong: 1 of 4 (25.0%)'
    """
    found = sum((counted for kind, counted in counts.items() if EXPECTED[kind] is expected), Counter())
    return f"{name}: {found[wrong]} of {found.total()} ({found[wrong] / max(1, found.total()):.1%})"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--cases", type=Path, default=CASES, help="documents and claims (default: contradictions.jsonl)"
    )
    parser.add_argument("--profile", help="name of a profile or path of a TOML file (default: what this machine has)")
    parser.add_argument("--output", type=Path, metavar="CASES.jsonl", help="write each case with its verdict there")
    return parser


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    main()
