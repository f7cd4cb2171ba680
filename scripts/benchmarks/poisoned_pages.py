"""Count the verdicts that change when pages which only repeat the claim, or order a verdict, are added to its store.

Each attack adds pages: copies and variants of the claim, orders to the model, imitated prompts. The real evidence
stays, so no verdict should change. Filters were written with the known attacks and one of the held-out ones (markup).

Usage: python -m scripts.benchmarks.poisoned_pages CLAIMS.json STORES [--claims 0 1 2 3 4] [--profile laptop]
       [--attacks scripts/benchmarks/held_out_attacks.json.gz]
"""

import argparse
import gzip
import tempfile
from collections import Counter
from pathlib import Path

import orjson
from tqdm import tqdm

from factgraph import FactChecker, Label
from system.averitec.claims import read_claims

KNOWN = Path(__file__).with_name("known_attacks.json.gz")
Pages = list[list[str]]  # the sentences of each page that it adds


def main() -> None:
    """Check each claim on its store as it is, then under each attack, and print what changed."""
    args = _parser().parse_args()
    attacks = read_attacks(args.attacks)
    named = {text for pages in attacks.values() for text in pages}
    claims = [one for one in read_claims(args.claims_file) if one.text in named and one.id in (args.claims or [one.id])]
    if not claims:
        raise SystemExit(f"{args.attacks}: expected attacks on the claims of {args.claims_file}, got none")
    labels: dict[tuple[str, int], Label] = {}
    with tempfile.TemporaryDirectory() as scratch, FactChecker(args.profile) as checker:
        for number, (name, pages) in enumerate(tqdm({"none": {}, **attacks}.items(), unit="attack")):
            folder = Path(scratch, str(number))
            folder.mkdir()
            attacked = [claim for claim in claims if name == "none" or claim.text in pages]
            for claim in attacked:
                store = (args.stores / f"{claim.id}.json").read_bytes().rstrip(b"\n")
                added = map(_line, enumerate(pages.get(claim.text, [])))
                (folder / f"{claim.id}.json").write_bytes(b"\n".join([store, *added]) + b"\n")
            for claim, checked in zip(attacked, checker.check_many(attacked, store=folder), strict=True):
                labels[name, claim.id] = checked.verdict.label
    flips = [place for place in labels if labels[place] is not labels["none", place[1]]]
    for name, number in flips:
        print(f"{name}: claim {number} from {labels['none', number]} to {labels[name, number]}")
    counted = dict(Counter(name for name, _ in flips))
    print(f"{len(flips)} of {len(labels) - len(claims)} verdicts flipped {counted}")


def read_attacks(path: Path) -> dict[str, dict[str, Pages]]:
    """Read the pages of each attack by the text of the claim."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    attacks: dict[str, dict[str, Pages]] = orjson.loads(data)
    return attacks


def _line(page: tuple[int, list[str]]) -> bytes:
    number, sentences = page
    return orjson.dumps({"url": f"https://attack{number}.example/", "url2text": sentences})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims_file", type=Path)
    parser.add_argument("stores", type=Path)
    parser.add_argument("--claims", type=int, nargs="+", metavar="ID", help="default: all that FILE attacks")
    parser.add_argument("--profile", default="laptop")
    parser.add_argument("--attacks", type=Path, default=KNOWN, help="JSON (.gz): pages by attack and text of the claim")
    return parser


if __name__ == "__main__":
    main()
