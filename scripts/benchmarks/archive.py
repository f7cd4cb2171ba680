"""What an archive finds by words, and by words and vectors together: reference sentences and gold pages, with times.

    python -m scripts.benchmarks.archive dev.json STORES dev_reranked_top10.jsonl --archive DEV.sqlite

It indexes all stores of a folder as one archive and searches it with each claim. Indexing resumes in an archive that
exists. Seconds are of processor time.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import orjson

from knowledge_store.dense.archive import OpenBookSearch, add_vectors
from knowledge_store.dense.encoder import Encoder, SentenceEncoder, Vectors
from knowledge_store.pages.documents import read_documents
from knowledge_store.pages.filters import page_key
from knowledge_store.pages.page import Flaws, Page
from knowledge_store.ranking import OpenBook
from knowledge_store.searchers.archive import Archive
from knowledge_store.settings import RetrievalSettings
from system.averitec.gold import gold_by_id

T = TypeVar("T")
LIMIT = 10  # pages of a search
SETTINGS = RetrievalSettings()


def main() -> None:
    """Index and search, and print each figure as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", type=Path, help="AVeriTeC's dev.json")
    parser.add_argument("stores", type=Path, help="folder of stores, all of which become the archive")
    parser.add_argument("reference", type=Path, help="HerO's ten sentences of each claim")
    parser.add_argument("--archive", type=Path, required=True)
    options = parser.parse_args()
    archive = Archive(options.archive)
    encoder = SentenceEncoder.of(SETTINGS)
    stores = sorted(options.stores.glob("*.json"), key=lambda path: int(path.stem))
    build(archive, merged(read_documents(stores, Flaws())), encoder)
    rows = [orjson.loads(line) for line in options.reference.read_bytes().splitlines()]
    found = search(archive, [row["claim"] for row in rows], encoder)
    print_recall(archive, rows, found, options.claims)


def build(archive: Archive, pages: Iterable[Page], encoder: Encoder) -> None:
    """Index pages by words and by vectors, and print seconds and bytes of each."""
    (new, _), seconds = timed(lambda: archive.add(pages))
    size = sum_of_files(archive)
    count, embedding = timed(lambda: add_vectors(archive, encoder, SETTINGS))
    print(f"{new:,} new pages {seconds:.1f} s, {count:,} passages embedded and indexed {embedding:.1f} s")
    print(f"{size / 2**20:,.0f} MiB by words, {(sum_of_files(archive) - size) / 2**20:,.0f} MiB more with vectors")


def merged(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield one page for each address, with the sentences of all its excerpts: stores have different excerpts."""
    sentences: dict[str, dict[str, None]] = {}
    for page in pages:
        sentences.setdefault(page.url, {}).update(dict.fromkeys(page.sentences))
    return (Page(number, url, tuple(found)) for number, (url, found) in enumerate(sentences.items()))


def search(archive: Archive, queries: Sequence[str], encoder: Encoder) -> dict[str, list[list[Page]]]:
    """Search for each query by words and by both, print the time of a search, and return the pages by method."""
    fused = OpenBookSearch(OpenBook(archive.path, "", None), SETTINGS, encoder.dimension)
    vectors, embedding = timed(lambda: encoder.encode_queries(queries))
    print(f"embedding a query: {1000 * embedding / len(queries):.1f} ms")
    methods: dict[str, Callable[[str, Vectors], list[Page]]] = {
        "words": lambda query, vector: list(archive.search(query, None, LIMIT, Flaws())),
        "fused": lambda query, vector: fused.find(query, vector, LIMIT),
    }
    found = {}
    for name, find in methods.items():
        find(queries[0], vectors[0])  # opens the index
        found[name], seconds = timed(lambda find=find: list(map(find, queries, vectors)))  # type: ignore[misc]
        print(f"{name}: {1000 * seconds / len(queries):.1f} ms a search", flush=True)
    return found


def print_recall(archive: Archive, rows: list[Any], found: dict[str, list[list[Page]]], claims: Path) -> None:
    """Print the shares of reference sentences and of archived gold pages in the pages found for each claim."""
    gold = gold_by_id(claims)
    with archive.connected() as connection:
        numbers = [row for (row,) in connection.execute("SELECT id FROM pages")]
    archived = {page_key(page.url) for page in archive.pages(numbers)}
    for name, results in found.items():
        sentences = pages = wanted = 0
        for row, result in zip(rows, results, strict=True):
            text = {page.url: page.sentences for page in result}
            sentences += sum(top["sentence"] in text.get(top["url"], ()) for top in row["top_10"])
            answers = gold[row["claim_id"]].answers if row["claim_id"] in gold else ()
            keys = {page_key(url) for answer in answers for url in (answer.url, answer.archived) if url} & archived
            pages, wanted = pages + len(keys & {page_key(url) for url in text}), wanted + len(keys)
        total = sum(len(row["top_10"]) for row in rows)
        print(f"{name}: sentences {sentences / total:.4f} of {total:,}, gold pages {pages / wanted:.4f} of {wanted:,}")


def sum_of_files(archive: Archive) -> int:
    """Return the bytes of an archive and its index."""
    return sum(file.stat().st_size for file in archive.path.parent.glob(f"{archive.path.name}*"))


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of work and its seconds of processor time."""
    began = process_time()
    return work(), process_time() - began


if __name__ == "__main__":
    main()
