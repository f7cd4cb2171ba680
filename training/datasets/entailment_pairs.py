"""Entailment as verdicts: pairs of claim and evidence that teach a small model to read before it learns AVeriTeC.

AVeriTeC has 3,068 claims, too few to teach a model of 100 million weights that "opened in May 1932" contradicts "opened
in 1931". The public sets of natural-language inference and fact verification can: each pair becomes a claim with one
question and the evidence as its answer.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from system.records import Claim, Label, QuestionAnswer
from system.tasks.judge_claim import LabelClaim, LabelReply
from training.datasets.samples import DataSet, Drops, Sample
from training.errors import TrainingError

QUESTION = "What does the evidence say?"
LONGEST = 400  # characters of evidence; the engine's answers are about as long
LABELS = {
    "supported": Label.SUPPORTED,
    "refuted": Label.REFUTED,
    "not enough": Label.NOT_ENOUGH_EVIDENCE,
}
LICENCE = (
    "FEVER, FEVER-Symmetric, VitaminC: CC BY-SA 3.0; FM2, counterfactual SNLI: Apache 2.0; Breaking NLI: CC BY-SA 4.0; "
    "SemiAutoNLI: CC BY-SA; MNLI: MIT; SICK: CC BY-NC-SA; SciFact: CC BY-NC; each licence holds for what is made of it"
)
# Pairs of each set, the same number of each label. Sets that state no licence are left out.
SHARES = {
    "fever_eraser": 2000,
    "fever_symmetric": 800,
    "vitaminc_sample": 400,
    "fm2": 900,
    "breaking_nli": 500,
    "semiauto_nli_wiki": 600,
    "mnli": 1200,
    "snli_counterfactual": 1000,
    "sick": 300,
    "scifact_rte": 300,
}


class Pair(BaseModel):
    """A line of an entailment set."""

    evidence: str
    claim: str
    label: Literal["supported", "refuted", "not enough"]


def entailment_pairs(folder: Path, start: int) -> DataSet:
    """Samples of all sets in a folder, chosen by the hash of their text, so always the same.

    Args:
        folder: ``<set>.jsonl`` for each set of ``SHARES``.
        start: first claim id; those of the annotated claims are below.

    Raises:
        TrainingError: a set is missing or a line is no pair; names file and line.
    """
    drops = Drops()
    chosen = [(name, pair) for name, count in SHARES.items() for pair in _choose(_read(folder, name, drops), count)]
    samples = [_sample(start + number, name, pair) for number, (name, pair) in enumerate(chosen)]
    return DataSet("entailment", samples, drops, {"licence": LICENCE, "sets": SHARES, "longest evidence": LONGEST})


def _sample(number: int, name: str, pair: Pair) -> Sample:
    claim = Claim(id=number, text=pair.claim.strip())
    evidence = QuestionAnswer(question=QUESTION, answer=pair.evidence.strip(), answers=())
    label = LABELS[pair.label]
    return Sample(
        id=f"entailment-{number}",
        label=label,
        task=LabelClaim(claim=claim, pairs=(evidence,)),
        reply=LabelReply(label=label),
        kind=name,
    )


def _choose(pairs: Sequence[Pair], count: int) -> Iterator[Pair]:
    """The same number of pairs of each label that the set has."""
    ordered = sorted(pairs, key=lambda pair: hashlib.sha256(f"{pair.evidence}\n{pair.claim}".encode()).digest())
    labels = sorted({pair.label for pair in pairs})
    for label in labels:
        yield from [pair for pair in ordered if pair.label == label][: count // len(labels)]


def _read(folder: Path, name: str, drops: Drops) -> list[Pair]:
    path = folder / f"{name}.jsonl"
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise TrainingError(f"{path}: cannot read the entailment set ({error.strerror})") from error
    pairs = [_parse(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    short = [pair for pair in pairs if len(pair.evidence) <= LONGEST and pair.claim.strip() and pair.evidence.strip()]
    drops["evidence too long or empty"] += len(pairs) - len(short)
    return short


def _parse(path: Path, number: int, line: bytes) -> Pair:
    try:
        return Pair.model_validate_json(line)
    except ValidationError as error:
        raise TrainingError(
            f"{path}, line {number}: expected evidence, claim and label (supported, refuted, not enough); "
            f"{error.errors()[0]['msg']}"
        ) from error
