"""Pairs of a passage and a statement, with what the passage says of it: read from public sets."""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from training import TrainingError

Verdict = Literal["supported", "refuted", "not enough"]
LABELS: tuple[Verdict, ...] = ("supported", "refuted", "not enough")

NOISY = ("climate_fever", "healthver", "folio")
"""Sets whose labels are often wrong, or whose pairs ask for more than reading."""

ONE_SIDED = ("wikifactcheck_edits", "mrpc")
"""Sources with one label: alone they teach their style, so they are read for the contrast groups only."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair of training.

    Attributes:
        source: the set it is from, or the generator that made it.
        kind: of difference between passage and statement, where it is known.
        group: pairs of one group lie in one batch: a sentence's flip beside its paraphrase and its silent form.
    """

    evidence: str
    statement: str
    label: Verdict
    source: str
    kind: str = ""
    group: str = ""

    @property
    def held_out(self) -> bool:
        """Whether no training may see the pair: one group in thirty, by its text, so whatever else is read."""
        return held_out(self.group or self.evidence)


def held_out(text: str, one_in: int = 30) -> bool:
    """Whether what is made of a text is held out; the same on any machine, in any order."""
    return zlib.crc32(" ".join(text.lower().split()).encode("utf-8", "replace")) % one_in == 0


def read_sets(folder: Path) -> Iterator[Pair]:
    """Yield the labelled pairs of all JSON Lines files of a folder, but for the noisy sets.

    ``refuted`` of ``semiauto_sim_wiki`` is left out: these pairs are often merely unrelated.

    Raises:
        TrainingError: the folder has no such file, or a line is no pair; the message names file and line.
    """
    files = sorted(path for path in folder.glob("*.jsonl") if path.stem not in NOISY)
    if not files:
        raise TrainingError(f"{folder}: no .jsonl files; expected lines with 'evidence', 'claim', 'label', 'source'")
    for file in files:
        for number, row in enumerate(read_rows(file), start=1):
            if "passage" in row:
                break  # questions and answers, which ``questions.py`` reads
            pair = _pair(row, file, number)
            if (pair.source, pair.label) != ("semiauto_sim_wiki", "refuted"):
                yield pair


def read_rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file.

    Raises:
        TrainingError: a line is no JSON object; the message names file and line.
    """
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise TrainingError(f"{file}, line {number}: not JSON ({error}); expected an object") from error
            if not isinstance(row, dict):
                raise TrainingError(f"{file}, line {number}: expected an object, got {type(row).__name__}")
            yield row


def _pair(row: dict[str, Any], file: Path, number: int) -> Pair:
    evidence, claim, label = (row.get(name) for name in ("evidence", "claim", "label"))
    if label not in LABELS or not isinstance(evidence, str) or not isinstance(claim, str):
        expected = "expected texts 'evidence' and 'claim', and 'label' one of " + ", ".join(LABELS)
        raise TrainingError(f"{file}, line {number}: {expected}; got label {label!r}")
    source = str(row.get("source", file.stem))
    return Pair(evidence, claim, label, source, str(row.get("category", "")), evidence)


def split(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """The pairs to train on, and those held out, without passages that are trained on under another title."""
    kept: tuple[list[Pair], list[Pair]] = ([], [])
    for pair in pairs:
        kept[pair.held_out].append(pair)
    train, held_out = kept
    seen = {_untitled(pair.group or pair.evidence) for pair in train}
    return train, [pair for pair in held_out if _untitled(pair.group or pair.evidence) not in seen]


def _untitled(text: str) -> str:
    return " ".join(re.sub(r"^[^:.]{2,60}: (?=[A-Z(\"])", "", text).lower().split())
