"""Write the report of a run, or of any system's predictions, with its figures and the organisers' timings."""

from pathlib import Path

from submission.files import write_atomically
from submission.pairing import Pairing, pair
from submission.reading import Gold, Predicted
from submission.report.annotation import GoldClaim, annotations_if_any, read_annotations
from submission.report.claims import claim_views
from submission.report.material import Material, read_run, read_system
from submission.report.overview import overview
from submission.report.page import figures, packed, render
from submission.report.time_rule import write_measured_timings


def write_report(folder: Path, gold: Path | None = None, predictions: Path | None = None) -> Path:
    """Write ``report.html``, ``figures/*.svg``, and for a run of ours ``measured_timings.txt``.

    Args:
        folder: the output folder of a run, or where to write the report on ``predictions``.
        gold: the split with labels; unless given, the run's claims file if that has labels.
        predictions: predictions of another system; unless given, the run in ``folder``.

    Returns:
        The path of the report.

    Raises:
        SubmissionError: a file cannot be read, or gold and predictions share no claim.
    """
    material = read_system(predictions) if predictions else read_run(folder)
    annotations = read_annotations(gold) if gold else _annotations_of(material)
    pairing = _pair(material, annotations) if annotations else None
    annotated = {one.gold.claim_id: annotations[one.gold.claim_id] for one in pairing.pairs} if pairing else {}
    rows, details, reaches = [], [], []
    for view in claim_views(material, annotated):
        rows.append(view.row)
        details.append(packed(view.details))
        reaches += [view.reach] if view.reach else []
    summary = overview(material, rows, reaches, pairing)
    path = folder / "report.html"
    write_atomically(path, render(_name(material), summary, rows, details, material.timings))
    for name, svg in figures(summary, material.timings).items():
        write_atomically(folder / "figures" / f"{name}.svg", svg + "\n")
    if material.timings:
        write_measured_timings(material.timings, folder / "measured_timings.txt")
    return path


def _annotations_of(material: Material) -> list[GoldClaim]:
    """The annotations of the claims file of a run, if it is still there and has any."""
    file = material.setup.get("claims_file")
    return annotations_if_any(Path(file)) if file else []


def _pair(material: Material, annotations: list[GoldClaim]) -> Pairing:
    predicted = [Predicted(claim_id=one.claim_id, claim=one.claim, label=one.label) for one in material.entries]
    gold = [Gold(claim_id=number, claim=one.claim, label=one.label) for number, one in enumerate(annotations)]
    return pair(predicted, gold)


def _name(material: Material) -> str:
    return material.path.resolve().name
