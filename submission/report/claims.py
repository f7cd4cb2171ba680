"""The claims as the report shows them: a row in the list, and the details that open from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

from submission.report.losses import ClaimReach, Reach, as_text, claim_types, reach
from submission.report.material import Entry, Material, StoredGraph, embedded, parse_graph, read_graph
from submission.write import predictions
from system.averitec.gold import GoldClaim
from system.graph.records import ClaimResult, Record

SLOWEST = 0.05
"""Share of the claims that the list calls slow."""


class Incident(Record):
    """Something that deviated from plan; equal names are counted together."""

    name: str
    message: str = ""


class Row(Record):
    """A line of the claim list.

    Attributes:
        gold: the gold label; empty where it is not known.
        seconds: None where they are not known.
        marks: what the list can be filtered by: right, wrong, slow, failed, debated, cut-short, instructions
            (a passage that looks like instructions).
        reach: how far the gold evidence came; empty where there is no gold.
    """

    claim_id: int
    claim: str
    label: str
    gold: str
    types: tuple[str, ...]
    seconds: float | None
    marks: tuple[str, ...]
    incidents: tuple[Incident, ...]
    reach: str


@dataclass(frozen=True)
class ClaimView:
    """A claim with all that opens from it; ``details`` is plain data for the page."""

    row: Row
    reach: ClaimReach | None
    details: dict[str, Any]


def claim_views(material: Material, gold: Mapping[int, GoldClaim]) -> Iterator[ClaimView]:
    """View the claims one after the other, in the order of the entries; each reads its own graph."""
    limit = _slow_from(material)
    for entry in tqdm(material.entries, unit="claim", desc="report", delay=2):
        yield _view(entry, material, gold.get(entry.claim_id), limit)


def _slow_from(material: Material) -> float:
    """Seconds from which a claim is called slow: what only the slowest twentieth needs."""
    if material.timings is None:
        return 0.0
    seconds = sorted(claim.seconds for claim in material.timings.claims)
    return seconds[-max(1, round(SLOWEST * len(seconds)))]


def _view(entry: Entry, material: Material, gold: GoldClaim | None, slow_from: float) -> ClaimView:
    result = material.results.get(entry.claim_id)
    graph = read_graph(material.graphs / f"{entry.claim_id}.json") if material.graphs else StoredGraph(())
    reached = _reach(entry, result, graph, gold) if gold else None
    return ClaimView(
        row=_row(entry, result, graph, reached, slow_from),
        reach=reached,
        details=_details(entry, result, graph, gold, reached),
    )


def _reach(entry: Entry, result: ClaimResult | None, graph: StoredGraph, gold: GoldClaim) -> ClaimReach:
    used = [(pair.url, f"{pair.answer} {pair.scraped_text}") for pair in entry.pairs]
    if result:
        used += [(passage.url, passage.text) for one in result.pairs for passage in one.passages]
    return ClaimReach(
        claim_id=entry.claim_id,
        gold=gold.label,
        types=gold.types,
        right=entry.label == gold.label,
        answers=reach(gold, [as_text(*one) for one in graph.passages()], [as_text(*one) for one in used]),
    )


def _row(
    entry: Entry, result: ClaimResult | None, graph: StoredGraph, reached: ClaimReach | None, slow_from: float
) -> Row:
    seconds = result.timing.seconds if result else None
    marks = {
        "right": reached is not None and reached.right,
        "wrong": reached is not None and not reached.right,
        "slow": seconds is not None and seconds >= slow_from,
        "failed": bool(result and result.failures),
        "debated": any(graph.of_kind("argument")),
        "cut-short": bool(result and result.timing.cut_short),
        "instructions": graph.suspicious,
    }
    return Row(
        claim_id=entry.claim_id,
        claim=entry.claim,
        label=entry.label,
        gold=reached.gold if reached else "",
        types=claim_types(reached) if reached else (),
        seconds=seconds,
        marks=tuple(name for name, given in marks.items() if given),
        incidents=tuple(_incidents(result, graph)),
        reach=reached.reach if reached else "",
    )


def _incidents(result: ClaimResult | None, graph: StoredGraph) -> Iterator[Incident]:
    """Failures by operation, what they were replaced by, and steps that were not done."""
    failures = result.failures if result else ()
    for failure in failures:
        yield Incident(name=f"failed: {failure.operation}", message=failure.message)
    if any(failure.unanswered for failure in failures):
        yield Incident(name="no verdict: the label stands for a failure")
    if result and result.timing.cut_short:
        yield Incident(name="ran out of time; decided by what was found until then")
    for node in graph.of_kind("skipped"):
        yield Incident(name=f"not done: {': '.join(map(str, node.content.values()))}")


def _details(
    entry: Entry, result: ClaimResult | None, graph: StoredGraph, gold: GoldClaim | None, reached: ClaimReach | None
) -> dict[str, Any]:
    return {
        **entry.model_dump(mode="json"),
        "metadata": result.claim.metadata if result else {},
        "timing": result.timing.model_dump(mode="json") if result else None,
        "failures": [failure.model_dump() for failure in result.failures] if result else [],
        "flaws": result.flaws if result else {},
        "correction": result.correction.model_dump() if result and result.correction else None,
        "gold": _gold_details(gold, reached.answers) if gold and reached else None,
        **embedded(graph),
    }


def details_of(result: ClaimResult, graph: Mapping[str, Any]) -> dict[str, Any]:
    """The details of one result without gold, its graph as JSON, before any file exists."""
    [prediction] = predictions([result])
    entry = Entry(
        claim_id=prediction.claim_id,
        claim=prediction.claim,
        label=prediction.pred_label,
        pairs=prediction.evidence,
        justification=prediction.justification,
        confidence=prediction.confidence,
    )
    return _details(entry, result, parse_graph(graph), None, None)


def _gold_details(gold: GoldClaim, reaches: Sequence[Reach]) -> dict[str, Any]:
    """The annotation, each answer with how far it came."""
    reached = iter(reaches)
    questions = [
        {
            "question": question.text,
            "answers": [
                {"answer": answer.full, "source_url": answer.url, "reach": next(reached)} for answer in question.answers
            ],
        }
        for question in gold.questions
    ]
    return {"label": gold.label, "justification": gold.justification, "claim_types": gold.types, "questions": questions}
