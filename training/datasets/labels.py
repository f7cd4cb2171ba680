"""Labels alone, for a model too small to reason first: of public entailment pairs, and of AVeriTeC's answers.

AVeriTeC has 3,068 claims, too few to teach a model of 100 million weights that "opened in May 1932" contradicts "opened
in 1931". Public sets of natural-language inference and fact verification can: each pair becomes a claim with one
question and the evidence as its answer.

A model that reads gold answers alone trusts whatever it is shown. In use a branch shows it what a retriever found,
first one answer, of a page about something else as often as not. So it learns from the judgments that runs ask for
(``runs``) too.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError
from tqdm import tqdm

from knowledge_store.dense.encoder import Encoder
from system.gold import GoldClaim
from system.models.extractive import ExtractiveModel
from system.records import Claim, Label, QuestionAnswer
from system.settings import Settings
from system.tasks.judge_claim import JudgeClaim, LabelClaim, LabelReply
from training import TrainingError
from training.datasets.gold import gold_pairs
from training.datasets.runs import LOST, NEIGHBORS, STRANGERS, judgments, pseudo_stores
from training.datasets.samples import DataSet, Drops, Sample, falls

QUESTION = "What does the evidence say?"
LONGEST = 300  # characters of evidence; the prompt cuts longer answers
LABELS = {
    "supported": Label.SUPPORTED,
    "refuted": Label.REFUTED,
    "not enough": Label.NOT_ENOUGH_EVIDENCE,
}
LICENSE = (
    "FEVER, FEVER-Symmetric, VitaminC: CC BY-SA 3.0; FM2, counterfactual SNLI: Apache 2.0; Breaking NLI: CC BY-SA 4.0; "
    "SemiAutoNLI: CC BY-SA; MNLI: MIT; SICK: CC BY-NC-SA; SciFact: CC BY-NC; each license holds for what is made of it"
)
# Pairs of each set, the same number of each label. Sets that state no license are left out.
SHARES = {
    "fever_eraser": 3000,
    "fever_symmetric": 1200,
    "vitaminc_sample": 380,
    "fm2": 1500,
    "breaking_nli": 400,
    "semiauto_nli_wiki": 800,
    "mnli": 1500,
    "snli_counterfactual": 1000,
    "sick": 200,
    "scifact_rte": 100,
}


class Pair(BaseModel):
    """A line of an entailment set."""

    evidence: str
    claim: str
    label: Literal["supported", "refuted", "not enough"]


def entailment_pairs(folder: Path, start: int) -> tuple[DataSet, DataSet]:
    """Samples of all sets in a folder, chosen by the hash of their text, so always the same.

    Three tenths are a data set of their own, to be learned from beside AVeriTeC's, lest the rest be forgotten.

    Args:
        folder: ``<set>.jsonl`` for each set of ``SHARES``.
        start: first claim id; those of the annotated claims are below.

    Raises:
        TrainingError: a set is missing or a line is no pair; names file and line.
    """
    drops = Drops()
    chosen = [(name, pair) for name, count in SHARES.items() for pair in _choose(_read(folder, name, drops), count)]
    samples = [_of_pair(start + number, name, pair) for number, (name, pair) in enumerate(chosen)]
    notes = {"licence": LICENSE, "sets": SHARES, "longest evidence": LONGEST}
    rest = DataSet("entailment_rest", [one for i, one in enumerate(samples) if i % 10 >= 7], Drops(), notes)
    return DataSet("entailment", [one for i, one in enumerate(samples) if i % 10 < 7], drops, notes), rest


def _of_pair(number: int, name: str, pair: Pair) -> Sample:
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


FOUND = 0.25  # share of the claims that are shown with found answers too


async def label_prediction(claims: Sequence[GoldClaim], encoder: Encoder, settings: Settings) -> DataSet:
    """A sample for each claim with its gold answers, and some for a share with what branches of a run find."""
    reader, drops = ExtractiveModel(encoder), Drops()
    stores = pseudo_stores(claims, encoder, settings.model.seed, LOST)
    samples = []
    for annotated, store in tqdm(zip(claims, stores, strict=True), total=len(claims), unit="claim", desc="labels"):
        samples.append(_sample(annotated, "gold", gold_pairs(annotated)))
        if falls(FOUND, annotated.claim.text):
            found = await judgments(annotated.claim, store, encoder, reader, settings)
            samples += [_sample(annotated, f"found-{i}", task.pairs) for i, task in enumerate(_of_branches(found))]
    notes = {"neighbors": NEIGHBORS, "strangers": STRANGERS, "questions without their own answers": LOST}
    return DataSet("labels", samples, drops, notes)


def _of_branches(found: Sequence[JudgeClaim | LabelClaim]) -> Sequence[JudgeClaim | LabelClaim]:
    """Three of the first round's and the last two of all, which have the most answers."""
    return list({task.model_dump_json(): task for task in [*found[:3], *found[-2:]]}.values())


def _sample(annotated: GoldClaim, kind: str, pairs: tuple[QuestionAnswer, ...]) -> Sample:
    return Sample(
        id=f"label-{annotated.claim.id}-{kind}",
        label=annotated.label,
        task=LabelClaim(claim=annotated.claim, pairs=pairs),
        reply=LabelReply(label=annotated.label),
        kind=kind.split("-")[0],
    )
