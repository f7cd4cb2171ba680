"""Labels alone, for a model too small to reason first: of public entailment pairs, and of AVeriTeC's answers.

AVeriTeC has 3,068 claims, too few to teach a model of 100 million weights that "opened in May 1932" contradicts "opened
in 1931". Public sets of natural-language inference and fact verification can: each pair becomes a claim with one
question and the evidence as its answer.

A model that reads gold answers alone trusts whatever it is shown. In use it also reads the sentences nearest to the
claim, of pages about something else as often as not. A knowledge store of the training split has over 200 GB at dev's
size, too much for a model that two cores train, so what annotators found stands in for the web: the answers of a claim,
those of the claims nearest to it (its topic) and those of some at random (the noise). A share of the questions loses
its own answers, as the web does not have them all, and pages repeat what is claimed, true or not. A share of the claims
is shown alone: where nothing worth reading is found, who claims what still tells something.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from system.averitec.gold import GoldClaim
from system.graph.records import Claim, Label, QuestionAnswer, explain
from system.strategies.steps.tasks.judge_claim import EVIDENCE_QUESTION, LabelClaim, LabelReply
from training import TrainingError
from training.datasets.gold import gold_pairs
from training.datasets.samples import DataSet, Drops, Sample
from training.datasets.web import LOST, NEIGHBORS, REPEATED, STRANGERS, Web, falls

LONGEST = 400  # characters of evidence; the engine's answers are about as long
LABELS = {"supported": Label.SUPPORTED, "refuted": Label.REFUTED, "not enough": Label.NOT_ENOUGH_EVIDENCE}
LICENSE = (
    "FEVER, FEVER-Symmetric, VitaminC: CC BY-SA 3.0; FM2, counterfactual SNLI: Apache 2.0; Breaking NLI: CC BY-SA 4.0; "
    "SemiAutoNLI: CC BY-SA; MNLI: MIT; SICK: CC BY-NC-SA; SciFact: CC BY-NC; each license holds for what is made of it"
)
# Pairs of each set, the same number of each label. Sets that state no license are left out.
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
    samples = [_of_pair(start + number, name, pair) for number, (name, pair) in enumerate(chosen)]
    return DataSet("entailment", samples, drops, {"license": LICENSE, "sets": SHARES, "longest evidence": LONGEST})


def _of_pair(number: int, name: str, pair: Pair) -> Sample:
    claim = Claim(id=number, text=pair.claim.strip())
    evidence = QuestionAnswer(question=EVIDENCE_QUESTION, answer=pair.evidence.strip(), answers=())
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
            f"{explain(error.errors()[0], 'the line')}"
        ) from error


FOUND = 0.4  # share of the claims that are shown with found sentences too; each costs as much as a gold one
ALONE = 0.4  # share of the claims that are shown without evidence too


def label_prediction(claims: Sequence[GoldClaim], web: Web) -> DataSet:
    """Each claim with its gold answers; a share of them with the sentences nearest to the claim, and a share alone."""
    samples = [sample for place, annotated in enumerate(claims) for sample in _samples(place, annotated, web)]
    notes = {
        "neighbors": NEIGHBORS,
        "strangers": STRANGERS,
        "questions without their own answers": LOST,
        "claims that a page repeats": REPEATED,
    }
    return DataSet("labels", samples, Drops(), notes)


def _samples(place: int, annotated: GoldClaim, web: Web) -> Iterator[Sample]:
    yield _sample(annotated, "gold", gold_pairs(annotated))
    if falls(FOUND, annotated.claim.text):
        found = (QuestionAnswer(question=EVIDENCE_QUESTION, answer=text, answers=()) for text in web.about(place))
        yield _sample(annotated, "found", tuple(found))
    if falls(ALONE, f"{annotated.claim.text}\nalone"):
        yield _sample(annotated, "alone", ())


def _sample(annotated: GoldClaim, kind: str, pairs: tuple[QuestionAnswer, ...]) -> Sample:
    return Sample(
        id=f"label-{annotated.claim.id}-{kind}",
        label=annotated.label,
        task=LabelClaim(claim=annotated.claim, pairs=pairs),
        reply=LabelReply(label=annotated.label),
        kind=kind,
    )
