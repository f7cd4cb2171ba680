"""Figures of a reader that others can compare: on public sets, beside published values.

Files have a form that ``read_pairs`` knows, VitaminC's and LLM-AggreFact's among them. Two-way rows count only
supported against the rest.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import balanced_accuracy_score, f1_score
from tqdm import tqdm

from system.reader.base import Reader
from system.reader.loading import load_reader
from system.reader.openvino import GRAPH, OpenVinoReader
from training.reader.pairs import SUPPORTED, Pair, each_set

PUBLISHED = """published, for comparison (accuracy unless said otherwise):
  nli-deberta-v3-xsmall   AllNLI 0.89          Ettin-68M-NLI     SNLI and MNLI 0.881
  GroundCheck v2 (150M)   VitaminC 0.850, 80.4% of single-fact edits caught
  MiniCheck-DeBERTa-L, FactCG  LLM-AggreFact balanced 0.741, 0.772"""


def evaluate(reader: str | Reader, sets: Sequence[Path], rows: int) -> str:
    """Return a table with a line for each file.

    Args:
        reader: the folder of an exported reader, any name that ``load_reader`` knows, or a loaded one.
        sets: files, or folders of files.
        rows: of each file, at most; 0 for all.

    Raises:
        ReaderUnavailable: the reader cannot be loaded.
        TrainingError: a file has none of the known forms.
    """
    if isinstance(reader, str):
        reader = OpenVinoReader(Path(reader)) if (Path(reader) / GRAPH).exists() else load_reader(reader)
    lines = [f"{'set':24} {'rows':>6} {'accuracy':>9} {'balanced':>9} {'macro-F1':>9} {'reversed':>9}"]
    for name, pairs in (one for place in sets for one in each_set(place)):
        pairs = pairs[:rows] if rows else pairs
        lines.append(f"{name:24} {len(pairs):6,} " + _figures(reader, pairs, name))
    return "\n".join([*lines, PUBLISHED])


def _figures(reader: Reader, pairs: Sequence[Pair], name: str) -> str:
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
