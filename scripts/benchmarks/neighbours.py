"""What a claim waits for another: an ordinary claim alone, and beside one that is long or odd, in turns.

    python -m scripts.benchmarks.neighbours [--profile cpu] [--store] [--rounds 5] [--checks 10]

One engine checks both, the ordinary claim against a short page of a bundled example, the neighbour against all of them,
again and again as long as the ordinary claim takes; with --store both against the example's store. Each check is of
another claim, so no cache helps. Prints the median time of each, and its ratio to that alone.
"""

import argparse
import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter

from tqdm import tqdm

from factgraph import Claim, Document, FactChecker, read_claims
from knowledge_store.pages.page import Flaws
from knowledge_store.pages.store import read_pages
from system.graph.records import LONGEST, MOST_WORDS

ROOT = Path(__file__).parent.parent.parent
CLAIMS, STORE = ROOT / "system" / "examples" / "claims.json", ROOT / "knowledge_store" / "examples" / "0.json"
SHORT = 1  # the page with 535 characters
ALONE = "alone"
_NUMBERS = cycle(range(100, 1000))


def main() -> None:
    """Print what each neighbour costs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="cpu")
    parser.add_argument("--store", action="store_true", help="against a store, as in a run, in place of documents")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--checks", type=int, default=10, help="of the ordinary claim beside each neighbour in a round")
    args = parser.parse_args()
    claim = read_claims(CLAIMS)[0].text
    pages = [page.text for page in read_pages(STORE, Flaws())]
    seconds: dict[str, list[float]] = defaultdict(list)
    with FactChecker(args.profile) as checker:
        check = partial(on_store if args.store else on_documents, checker, pages)
        asyncio.run(check(another(claim)))  # what is started once
        for _ in tqdm(range(args.rounds), unit="round"):
            for name, text in {
                ALONE: "",
                "another ordinary claim": claim,
                **odd_claims(" ".join(pages)),
            }.items():
                seconds[name] += asyncio.run(checks_beside(text, check, claim, args.checks))
    alone = median(seconds[ALONE])
    for name, measured in seconds.items():
        print(f"{name:40} {1000 * median(measured):6.1f} ms  {median(measured) / alone:5.2f} times")


def odd_claims(page: str) -> dict[str, str]:
    """Claims by what they are, each as long as one may be."""
    words = re.findall(r"\w+", page)
    made = {
        "numbers of one digit": "1," * MOST_WORDS,
        "marks": "Paris is " + "!?" * LONGEST,
        "words of the pages": " ".join(words[:MOST_WORDS]),
        "half as many words of the pages": " ".join(words[: MOST_WORDS // 2]),
        "a quarter as many words of the pages": " ".join(words[: MOST_WORDS // 4]),
        "names": " and ".join(f"Avalon{number}" for number in range(MOST_WORDS // 2)),
        "clauses": ", ".join(["ships sailed"] * (MOST_WORDS // 2)),
        "long words": " ".join(["antidisestablishmentarianism"] * MOST_WORDS),
        "words of another alphabet": " ".join(["пароход"] * MOST_WORDS),
    }
    return {name: text[:LONGEST] for name, text in made.items()}


def another(claim: str) -> str:
    """The claim with another number near its beginning."""
    number = str(next(_NUMBERS))
    return claim.replace(" one ", f" {number} ") if " one " in claim else f"{number}{claim[3:]}"


async def on_documents(checker: FactChecker, pages: list[str], claim: str, *, short: bool = False) -> None:
    """Check a claim against pages, or the short one of them."""
    await checker.acheck(claim, [Document(page) for page in (pages[SHORT:][:1] if short else pages)])


async def on_store(checker: FactChecker, pages: list[str], claim: str, *, short: bool = False) -> None:
    """Check a claim against the store of the pages."""
    async for _ in checker.acheck_many([Claim(claim, id=0)], store=STORE.parent):
        pass


async def checks_beside(neighbour: str, check: Callable[..., Awaitable[None]], claim: str, checks: int) -> list[float]:
    """Seconds of each check of a claim while a neighbour is checked; it is alone where that is empty."""
    done = False

    async def again_and_again() -> None:
        while not done:
            await check(another(neighbour))

    seconds = []
    async with asyncio.TaskGroup() as tasks:
        if neighbour:
            tasks.create_task(again_and_again())
        for _ in range(checks):
            await asyncio.sleep(0.02)
            began = perf_counter()
            await check(another(claim), short=True)
            seconds.append(perf_counter() - began)
        done = True
    return seconds


if __name__ == "__main__":
    main()
