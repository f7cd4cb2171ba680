"""Measure an archive: what words, vectors and both find of the sentences and pages that are known to matter.

python -m scripts.benchmarks.archive dev.json knowledge_store/dev dev_reranked_top10.jsonl --archive DEV.sqlite
python -m scripts.benchmarks.archive --synthetic 1000000 --archive SYNTHETIC.sqlite

The second form measures growth: pages of random words, and random vectors around 5,000 centres. An archive that exists
is continued. Seconds are of processor time.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import numpy as np
import orjson

from knowledge_store.dense import archive as fusing
from knowledge_store.dense import vectors as indexing
from knowledge_store.dense.archive import FusedArchive, add_vectors
from knowledge_store.dense.encoder import SentenceEncoder, Vectors
from knowledge_store.dense.vectors import VectorIndex, packed
from knowledge_store.pages.documents import read_documents
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.page import Flaws, Page
from knowledge_store.searchers.archive import Archive
from knowledge_store.settings import RetrievalSettings
from system.averitec.gold import GoldClaim, gold_by_id

T = TypeVar("T")
LIMIT = 10
SETTINGS = RetrievalSettings()


def main() -> None:
    """Print what was measured, line by line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", nargs="?", type=Path, help="AVeriTeC's dev.json")
    parser.add_argument("stores", nargs="?", type=Path, help="folder of stores, all of which become the archive")
    parser.add_argument("reference", nargs="?", type=Path, help="HerO's ten sentences of each claim")
    parser.add_argument("--archive", type=Path, required=True)
    parser.add_argument("--synthetic", type=int, default=0, metavar="PAGES")
    options = parser.parse_args()
    archive = Archive(options.archive)
    if options.synthetic:
        measure_growth(archive, options.synthetic)
    else:
        build(archive, sorted(options.stores.glob("*.json"), key=lambda path: int(path.stem)))
        measure_found(archive, options.claims, options.reference)


def build(archive: Archive, stores: list[Path]) -> None:
    """Index stores as one archive, with vectors."""
    flaws = Flaws()
    (new, changed), seconds = timed(lambda: archive.add(merged(read_documents(stores, flaws))))
    print(f"{len(stores)} stores: {new:,} new pages, {changed:,} changed, {seconds:.1f} s", flush=True)
    size = archive.path.stat().st_size
    count, seconds = timed(partial(add_vectors, archive, SentenceEncoder.of(SETTINGS), SETTINGS, flaws))
    print(f"{count:,} passages embedded and indexed, {seconds:.1f} s", flush=True)
    with archive.connected() as connection:
        (pages,) = connection.execute("SELECT count(*) FROM pages").fetchone()
    print(f"bytes a page: {size / pages:,.0f} by words, {(all_bytes(archive) - size) / pages:,.0f} more with vectors")


def merged(pages: Iterable[Page]) -> Iterator[Page]:
    """A page of each address, with the sentences of all its excerpts: stores hold other ones of a page."""
    sentences: dict[str, dict[str, None]] = {}
    for page in pages:
        sentences.setdefault(page.url, {}).update(dict.fromkeys(page.sentences))
    return (Page(number, url, tuple(found)) for number, (url, found) in enumerate(sentences.items()))


def measure_found(archive: Archive, claims: Path, reference: Path) -> None:
    """The share of HerO's sentences and of gold pages in the pages found for each claim."""
    hero = [orjson.loads(line) for line in reference.read_bytes().splitlines()]
    gold = gold_by_id(claims)
    encoder = SentenceEncoder.of(SETTINGS)
    fused = FusedArchive(archive, SETTINGS, encoder.dimension)
    if (index := fused._index) is None:
        raise SystemExit(f"{archive.path} has no vectors; name the stores to build it of")
    vectors, embedding = timed(lambda: encoder.encode_queries([row["claim"] for row in hero]))
    ways: dict[str, Callable[[Any, Vectors], list[int]]] = {
        "words": lambda row, vector: archive.by_words(row["claim"], None, LIMIT),
        "vectors": lambda row, vector: fused._by_meaning(index, vector, None, LIMIT)[:LIMIT],
        "fused": lambda row, vector: [page.number for page in fused.find(row["claim"], vector, None, LIMIT, Flaws())],
    }
    everything = {page_key(page.url) for page in archive.pages(rows_of(archive), Flaws())}
    print(f"embedding a claim: {1000 * embedding / len(hero):.1f} ms")
    for name, find in ways.items():
        find(hero[0], vectors[0])  # opens the index
        found, seconds = timed(partial(list[list[int]], map(find, hero, vectors)))
        shares = [
            counted(archive, row, rows, gold.get(row["claim_id"]), everything)
            for row, rows in zip(hero, found, strict=True)
        ]
        sentences, wanted, pages, known = map(sum, zip(*shares, strict=True))
        print(
            f"{name}: sentences {sentences / wanted:.4f} of {wanted:,}, gold pages {pages / known:.4f} of {known}, "
            f"{1000 * seconds / len(hero):.1f} ms a search",
            flush=True,
        )


def counted(
    archive: Archive, row: Any, rows: Sequence[int], gold: GoldClaim | None, everything: set[str]
) -> tuple[int, int, int, int]:
    """HerO's sentences found, and all; gold pages found, and all that the archive has."""
    pages = {page.url: page.sentences for page in archive.pages(rows, Flaws())}
    found = sum(top["sentence"] in pages.get(top["url"], ()) for top in row["top_10"])
    keys = {page_key(url) for url in pages}
    urls = [url for answer in gold.answers for url in (answer.url, answer.archived) if url] if gold else []
    wanted = {page_key(url) for url in urls} & everything
    return found, len(row["top_10"]), len(wanted & keys), len(wanted)


def measure_growth(archive: Archive, pages: int) -> None:
    """Time and bytes of an archive of made-up pages; flat against inverted file."""
    (_, seconds) = timed(partial(archive.add, made_up_pages(pages)))
    print(f"{pages:,} pages by words: {seconds:.0f} s, {all_bytes(archive) / pages:,.0f} bytes a page", flush=True)
    random = np.random.default_rng(2)
    queries = [" ".join(f"w{int(word)}" for word in random.zipf(1.3, 15) % 200_000) for _ in range(20)]
    _, seconds = timed(lambda: [archive.by_words(query, None, LIMIT) for query in queries])
    print(f"words: {1000 * seconds / len(queries):.0f} ms a search", flush=True)
    dimension = 384
    token = fusing._registered(archive, dimension, SETTINGS)
    _, seconds = timed(partial(write_vectors, archive, pages, dimension))
    print(f"vectors written: {seconds:.0f} s; {all_bytes(archive) / pages:,.0f} bytes a page", flush=True)
    asked = made_up_vectors(20, dimension, 3)
    exact: list[list[int]] = []
    for name, flat in (("flat", pages), ("inverted file", pages - 1)):
        indexing.FLAT = flat
        index = VectorIndex(archive.path, f"{token}.{name[:4]}", dimension)
        with archive.connected() as connection:
            _, built = timed(partial(index.compared, connection))
            nearest = partial(index.nearest, connection, limit=100)
            found, seconds = timed(partial(list[list[int]], map(nearest, asked)))
        exact = exact or found
        same = np.mean([len({*a[:10]} & {*b}) / 10 for a, b in zip(exact, found, strict=True)])
        print(
            f"{name}: {built:.0f} s to build, {1000 * seconds / len(asked):.1f} ms a search, "
            f"{same:.3f} of the flat index's ten among its hundred",
            flush=True,
        )


def made_up_pages(count: int) -> Iterator[Page]:
    """Pages of 40 words each, as frequent as words are (Zipf)."""
    random = np.random.default_rng(1)
    for number in range(count):
        words = random.zipf(1.3, 40) % 200_000
        yield Page(number, f"https://made-up.example/{number}", (" ".join(map("w{}".format, words.tolist())),))


def made_up_vectors(count: int, dimension: int, seed: int) -> Vectors:
    """Unit vectors around 5,000 centres."""
    centres = np.random.default_rng(0).standard_normal((5000, dimension), dtype=np.float32)
    random = np.random.default_rng(seed)
    vectors = centres[random.integers(5000, size=count)] + random.standard_normal((count, dimension), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def write_vectors(archive: Archive, count: int, dimension: int) -> None:
    """One made-up vector a page."""
    for begin in range(0, count, 10_000):
        vectors = made_up_vectors(min(10_000, count - begin), dimension, 10 + begin)
        with archive.connected(writing=True) as connection:
            connection.executemany(
                "INSERT INTO vectors (page, start, vector) VALUES (?, 0, ?)",
                ((begin + place + 1, packed(vector)) for place, vector in enumerate(vectors)),
            )


def rows_of(archive: Archive) -> list[int]:
    """All rows of an archive."""
    with archive.connected() as connection:
        return [row for (row,) in connection.execute("SELECT id FROM pages")]


def all_bytes(archive: Archive) -> int:
    """Of the archive and its index."""
    return sum(file.stat().st_size for file in archive.path.parent.glob(f"{archive.path.name}*"))


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result of work, and its seconds of processor time."""
    began = process_time()
    return work(), process_time() - began


if __name__ == "__main__":
    main()
