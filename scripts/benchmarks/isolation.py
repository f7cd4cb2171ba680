"""Cost of reading documents in worker processes: a folder read in isolation and in this process, in turns.

    python -m scripts.benchmarks.isolation [--sentences POOL.json] [--documents 200] [--rounds 5]

The folder is made of the sentences of a JSON list, or of those of the bundled stores: text, Markdown, HTML and CSV in
equal parts. Both ways are warm, so libraries are loaded and a worker runs.
"""

import argparse
import logging
import statistics
import tempfile
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from unittest import mock

import orjson
import psutil

from knowledge_store.pages import reading
from knowledge_store.pages.documents import read_documents
from knowledge_store.pages.page import Flaws
from knowledge_store.pages.store import read_pages

EXAMPLES = Path(__file__).parent.parent / "knowledge_store" / "examples"
SENTENCES = 60  # of a document


def main() -> None:
    """Print the median of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=Path, help="a JSON list of sentences, or a store (default: the examples)")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    logging.disable()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, _sentences(args.sentences), args.documents)
        assert _read(folder) == _read_here(folder)
        rounds = [(_timed(_read_here, folder), _timed(_read, folder)) for _ in range(args.rounds)]
    for here, isolated in rounds:
        print("in this process {:.2f} s (processor {:.2f} s), isolated {:.2f} s ({:.2f} s)".format(*here, *isolated))
    for place, time in enumerate(("wall", "processor")):
        ratio = statistics.median(isolated[place] / here[place] for here, isolated in rounds)
        print(f"median ratio of {time} time {ratio:.3f}")


def _sentences(source: Path | None) -> list[str]:
    if source and (data := orjson.loads(source.read_bytes().partition(b"\n")[0])) and isinstance(data, list):
        return [sentence for sentence in data if isinstance(sentence, str)]
    stores = [source] if source else sorted(EXAMPLES.glob("*.json"))
    return [sentence for store in stores for page in read_pages(store, Flaws()) for sentence in page.sentences]


def _write(folder: Path, sentences: list[str], count: int) -> None:
    rest = cycle(sentences)
    for number in range(count):
        texts = list(islice(rest, SENTENCES))
        suffix = (".txt", ".md", ".html", ".csv")[number % 4]
        text = {
            ".txt": " ".join(texts),
            ".md": "# A title\n\n" + "\n\n".join(texts),
            ".html": f"<html><body><article>{''.join(f'<p>{each}</p>' for each in texts)}</article></body></html>",
            ".csv": "number,text\n" + "\n".join(f'{place},"{each}"' for place, each in enumerate(texts)),
        }[suffix]
        (folder / f"{number:03}{suffix}").write_text(text)


def _read(folder: Path) -> int:
    return sum(len(page.text) for page in read_documents(folder, Flaws()))


def _read_here(folder: Path) -> int:
    def call(limits: object, function: object, *arguments: object, **_: object) -> object:
        return function(*arguments)  # type: ignore[operator]

    with mock.patch.object(reading, "isolated", call):
        return _read(folder)


def _timed(read: Callable[[Path], int], folder: Path) -> tuple[float, float]:
    """Seconds of wall time, and of processor time of this process and its workers."""
    began, worked = perf_counter(), _worked()
    read(folder)
    return perf_counter() - began, _worked() - worked


def _worked() -> float:
    this = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (this, *this.children()))


if __name__ == "__main__":
    main()
