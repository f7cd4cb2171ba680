"""What the report says of a run as a whole."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from submission.read import Pair, Pairing
from submission.report.claims import Row
from submission.report.losses import ClaimReach, Losses, losses
from submission.report.material import Material, read_object
from submission.score import LabelScores, constant_scores, label_scores
from system.journal import flat
from system.records import Label

SLOWEST_SHOWN = 8


@dataclass(frozen=True)
class Incidents:
    """What happened under one name; ``example`` is the message of the first."""

    name: str
    claims: tuple[int, ...]
    example: str


@dataclass(frozen=True)
class Overview:
    """The run as a whole; what needs gold or timings is None, or empty, without them.

    Attributes:
        scores: names and numbers of further metrics, by the file that held them.
        unpaired: what of the predictions could not be compared with gold, in words.
    """

    labels: LabelScores | None
    constant: LabelScores | None
    scores: Mapping[str, Mapping[str, float]]
    unpaired: tuple[str, ...]
    losses: Mapping[str, Sequence[Losses]]
    slowest: tuple[Row, ...]
    incidents: tuple[Incidents, ...]
    setup: Mapping[str, str]


def overview(
    material: Material, rows: Sequence[Row], reaches: Sequence[ClaimReach], pairing: Pairing | None
) -> Overview:
    """Sum up the claims."""
    pairs: tuple[Pair, ...] = pairing.pairs if pairing else ()
    timed = [row for row in rows if row.seconds is not None]
    return Overview(
        labels=label_scores(pairs) if pairs else None,
        constant=constant_scores(pairs, Label.REFUTED) if pairs else None,
        scores=dict(_further_scores(material.path)) if material.path.is_dir() else {},
        unpaired=tuple(_unpaired(pairing)) if pairing else (),
        losses=losses(reaches) if reaches else {},
        slowest=tuple(sorted(timed, key=lambda row: -(row.seconds or 0.0))[:SLOWEST_SHOWN]),
        incidents=tuple(_incidents(rows)),
        setup=_setup(material.setup),
    )


def _unpaired(pairing: Pairing) -> Iterator[str]:
    for count, words in (
        (len(pairing.missing), "claims in the gold file have no prediction"),
        (len(pairing.extra), "predictions have an id that is not in the gold file"),
        (len(pairing.mismatched), "predictions have a text that differs from the gold claim with their id"),
    ):
        if count:
            yield f"{count} {words}; they are not scored."


def _incidents(rows: Sequence[Row]) -> Iterator[Incidents]:
    """What happened, the most frequent first."""
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
