"""Pairs of evidence and a statement, read from public sets in JSON Lines.

A row is ``{"evidence", "claim", "label"}``, where ``"two_way": true`` marks a set that does not tell refuted from not
enough. VitaminC's labels (SUPPORTS, REFUTES, NOT ENOUGH INFO) and LLM-AggreFact's rows (``doc``, ``claim``, ``label`` 1
or 0) are read as their authors publish them. Example: ``read_pairs(Path("nli/mnli.jsonl"))``.
"""

import re
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from training import TrainingError

LABELS = ("supported", "refuted", "not enough")
SUPPORTED, REFUTED, NOT_ENOUGH = range(3)
_PUBLISHED = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")  # VitaminC
SETS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("sets.toml").read_text(encoding="utf-8"))
"""What ``sets.toml`` says of each public set."""
FACTUAL = frozenset(name for name, one in SETS.items() if "factual" in one)
WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
"""What ``words.toml`` holds, for edits and rumours."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Evidence and a statement."""

    evidence: str
    statement: str
    label: int  #: index in ``LABELS``
    source: str
    two_way: bool = False  #: whether *not enough* may also mean refuted; the loss then adds both probabilities


def held_out(text: str, one_in: int = 30) -> bool:
    """Return whether what is made of this text is held out, the same on any machine and in any order."""
    return zlib.crc32(" ".join(text.lower().split()).encode("utf-8", "replace")) % one_in == 0


def read_pairs(file: Path) -> list[Pair]:
    """Read the labelled rows of a file; questions with answers are skipped.

    Raises a ``TrainingError``, which names file and line, if a row lacks evidence, claim or label, or there is none.
    """
    found = []
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            row = orjson.loads(line)
            if "question" not in row:
                found.append(_pair(row, file.stem))
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
            expected = f"expected texts 'evidence' and 'claim', and 'label' one of {', '.join(LABELS)}"
            raise TrainingError(f"{file}, line {number}: {expected} ({error})") from error
    if not found:
        raise TrainingError(f"{file}: expected rows, got an empty file")
    return found


def _pair(row: dict[str, Any], source: str) -> Pair:
    statement, label = row["claim"].strip(), row["label"]
    if "doc" in row:
        return Pair(row["doc"].strip(), statement, SUPPORTED if label else NOT_ENOUGH, source, two_way=True)
    labels = _PUBLISHED if label in _PUBLISHED else LABELS
    return Pair(row["evidence"].strip(), statement, labels.index(label), source, bool(row.get("two_way")))


def sentences_of(text: str) -> list[str]:
    """Cut a text at sentence ends; rough, but it needs no model."""
    return [one for one in re.split(r"(?<=[.!?])\s+(?=[A-Z\"“(])", text.strip()) if one]


def each_set(place: Path) -> Iterator[tuple[str, list[Pair]]]:
    """Yield name and pairs of a file, or of each file of a folder; raises a ``TrainingError`` if it has none."""
    files = sorted(place.glob("*.jsonl")) if place.is_dir() else [place]
    if not files:
        raise TrainingError(f"{place}: no .jsonl files; expected lines with 'evidence', 'claim' and 'label'")
    for file in files:
        yield file.stem, read_pairs(file)
