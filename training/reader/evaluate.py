"""Figures of a reader that others can compare: on public sets, beside published values.

Files have a form that ``read_pairs`` knows, VitaminC's and LLM-AggreFact's among them; a folder may hold RAGTruth's two
files. Two-way rows count only supported against the rest.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from tqdm import tqdm

from system.reader.base import Reader
from system.reader.loading import load_reader
from system.reader.openvino import GRAPH, OpenVinoReader
from system.text.words import sentences
from training import TrainingError
from training.reader.pairs import NOT_ENOUGH, SUPPORTED, Pair, each_set

PUBLISHED = """published, for comparison (accuracy unless said otherwise):
  nli-deberta-v3-xsmall   AllNLI 0.89          Ettin-68M-NLI     SNLI and MNLI 0.881
  GroundCheck v2 (150M)   VitaminC 0.850, 80.4% of single-fact edits caught
  LettuceDetect-base      RAGTruth 0.76 (F1 of whole answers; here single sentences)
  MiniCheck-DeBERTa-L, FactCG  LLM-AggreFact balanced 0.741, 0.772"""


def evaluate(*, reader: str = "mpnet", sets: list[Path], rows: int = 0) -> str:
    """Return a table with a line for each file.

    Args:
        reader: mpnet, an exported folder, or a hub name.
        sets: files, folders of files, or folders of RAGTruth.
        rows: of each file; 0 for all.

    Raises:
        ReaderUnavailable: the reader cannot be loaded.
        TrainingError: a file has none of the known forms.
    """
    loaded = OpenVinoReader(Path(reader)) if (Path(reader) / GRAPH).exists() else load_reader(reader)
    return table(loaded, sets, rows)


def table(reader: Reader, sets: Sequence[Path], rows: int = 0) -> str:
    """Return the table of a loaded reader, see ``evaluate``."""
    lines = [f"{'set':24} {'rows':>6} {'accuracy':>9} {'balanced':>9} {'macro-F1':>9} {'reversed':>9}"]
    for name, pairs in (one for place in sets for one in _pairs(place)):
        pairs = pairs[:rows] if rows else pairs
        lines.append(f"{name:24} {len(pairs):6,} " + _figures(reader, pairs, name))
    return "\n".join([*lines, PUBLISHED])


def _figures(reader: Reader, pairs: Sequence[Pair], name: str) -> str:
    from sklearn.metrics import balanced_accuracy_score, f1_score  # takes seconds, which no help should

    found = [
        reader.probabilities([(pair.evidence, pair.statement) for pair in pairs[start : start + 256]])
        for start in tqdm(range(0, len(pairs), 256), desc=name, leave=False)
    ]
    said = np.concatenate(found).argmax(axis=1)
    truth = np.array([pair.label for pair in pairs])
    turned = float(np.mean((said + truth == 1) & (said != truth)))
    if any(pair.two_way for pair in pairs):
        said, truth = said == SUPPORTED, truth == SUPPORTED
    balanced = balanced_accuracy_score(truth, said)
    macro = f1_score(truth, said, labels=np.unique(truth), average="macro")
    return f"{np.mean(said == truth):9.3f} {balanced:9.3f} {macro:9.3f} {turned:9.3f}"


def _pairs(place: Path) -> Iterator[tuple[str, list[Pair]]]:
    if (place / "response.jsonl").exists():
        yield "RAGTruth, sentences", list(_ragtruth(place))
    else:
        yield from each_set(place)


def _ragtruth(folder: Path) -> Iterator[Pair]:
    """Sentences of the test split's answers; one that a marked span touches is not supported."""
    sources = {row["source_id"]: row["source_info"] for row in _rows(folder / "source_info.jsonl")}
    for row in _rows(folder / "response.jsonl"):
        if row.get("split") != "test":
            continue
        info = sources[row["source_id"]]
        evidence = info if isinstance(info, str) else " ".join(map(str, info.values()))
        end = 0
        for sentence in sentences(row["response"]):
            start = row["response"].index(sentence, end)
            end = start + len(sentence)
            marked = any(span["start"] < end and span["end"] > start for span in row["labels"])
            yield Pair(evidence, sentence, NOT_ENOUGH if marked else SUPPORTED, "ragtruth", True)


def _rows(file: Path) -> list[dict[str, Any]]:
    try:
        return [orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip()]
    except (OSError, orjson.JSONDecodeError) as error:
        raise TrainingError(f"{file}: expected JSON Lines ({error})") from error
