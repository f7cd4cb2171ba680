"""The report's overview of a run: scores, time, failures."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from submission.files import read_object
from submission.read import Pair, Pairing
from submission.report.claims import Row
from submission.report.losses import ClaimReach, Losses, losses
from submission.report.material import Material
from submission.score import LabelScores, constant_scores, in_two_labels, label_scores
from system.files.journal import flat
from system.graph.records import TWO_LABELS, Label

SLOWEST_SHOWN = 8
QUOTED = re.compile(r"“[^“”\s]+(\s+[^“”\s]+){2,}”")  # a quotation of three words or more


@dataclass(frozen=True)
class Incidents:
    """Events of one name; ``example`` is the message of the first."""

    name: str
    claims: tuple[int, ...]
    example: str


@dataclass(frozen=True)
class Example:
    """A claim with the sentence that decides it, for those who see a report for the first time."""

    row: Row
    justification: str
    correction: str


@dataclass(frozen=True)
class Overview:
    """The run as a whole; what needs gold or timings is None, or empty, without them.

    Attributes:
        scores: names and numbers of further metrics, by the file that held them.
        unpaired: what of the predictions could not be compared with gold, in words.
        example: the surest verdict that quotes its evidence, of the right ones where that is known.
    """

    labels: LabelScores | None
    constant: LabelScores | None
    scores: Mapping[str, Mapping[str, float]]
    unpaired: tuple[str, ...]
    losses: Mapping[str, Sequence[Losses]]
    slowest: tuple[Row, ...]
    incidents: tuple[Incidents, ...]
    setup: Mapping[str, str]
    example: Example | None


def overview(
    material: Material, rows: Sequence[Row], reaches: Sequence[ClaimReach], pairing: Pairing | None
) -> Overview:
    """Sum up the claims."""
    pairs: tuple[Pair, ...] = pairing.pairs if pairing else ()
    labels = tuple(Label)
    if material.two_labels:
        pairs, labels = in_two_labels(pairs), TWO_LABELS
    timed = [row for row in rows if row.seconds is not None]
    return Overview(
        labels=label_scores(pairs, labels) if pairs else None,
        constant=constant_scores(pairs, Label.REFUTED, labels) if pairs else None,
        scores=dict(_further_scores(material.path)) if material.path.is_dir() else {},
        unpaired=tuple(_unpaired(pairing)) if pairing else (),
        losses=losses(reaches) if reaches else {},
        slowest=tuple(sorted(timed, key=lambda row: -(row.seconds or 0.0))[:SLOWEST_SHOWN]),
        incidents=tuple(_incidents(rows)),
        setup=_setup(material.setup),
        example=_example(material, rows, judged=bool(pairs)),
    )


def _example(material: Material, rows: Sequence[Row], *, judged: bool) -> Example | None:
    """The example, or None where no verdict quotes anything."""
    eligible = {row.claim_id: row for row in rows if row.label in TWO_LABELS and ("right" in row.marks or not judged)}
    quoting = [one for one in material.entries if one.claim_id in eligible and QUOTED.search(one.justification)]
    if not quoting:
        return None
    surest = max(quoting, key=lambda one: one.confidence or 0.0)
    result = material.results.get(surest.claim_id)
    correction = result.correction.text if result and result.correction else ""
    return Example(eligible[surest.claim_id], surest.justification, correction)


def _unpaired(pairing: Pairing) -> Iterator[str]:
    for count, words in (
        (len(pairing.missing), "claims in the gold file have no prediction"),
        (len(pairing.extra), "predictions have an id that is not in the gold file"),
        (len(pairing.mismatched), "predictions have a text that differs from the gold claim with their id"),
    ):
        if count:
            yield f"{count} {words}; they are not scored."


def _incidents(rows: Sequence[Row]) -> Iterator[Incidents]:
    """List the events, the most frequent first."""
    found: dict[str, list[tuple[int, str]]] = {}
    for row in rows:
        for incident in row.incidents:
            found.setdefault(incident.name, []).append((row.claim_id, incident.message))
    for name, cases in sorted(found.items(), key=lambda item: -len(item[1])):
        yield Incidents(name, tuple(dict.fromkeys(claim_id for claim_id, _ in cases)), cases[0][1])


def _further_scores(folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """The numbers of every ``scores*.json`` beside the predictions, as ``python -m submission score --json`` writes."""
    for path in sorted(folder.glob("scores*.json")):
        tree = read_object(path)
        numbers = dict(_numbers({name: value for name, value in tree.items() if name not in OWN_SCORES}))
        if numbers:
            yield path.name, numbers


OWN_SCORES = {"predictions", "gold", "gold_claims", "missing", "extra", "mismatched", "labels", "constant_refuted"}


def _numbers(tree: Any, prefix: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a tree of objects; lists are per claim, and too long to be shown."""
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{prefix}{name} · ")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{prefix}{name}".replace("_", " "), float(value)


def _setup(setup: Mapping[str, Any]) -> dict[str, str]:
    """The run's settings and machine; what it says of single claims stands with the claims."""
    return dict(flat({name: value for name, value in setup.items() if name not in PER_CLAIM}))


PER_CLAIM = ("failed_claims", "store_flaws_by_claim")
