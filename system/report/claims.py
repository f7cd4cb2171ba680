"""The claims as a report shows them: a row in the list, and the details that open from it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from system.averitec.gold import GoldClaim
from system.graph.records import ClaimResult, QuestionAnswer, Record, Source
from system.report.graphs import StoredGraph
from system.report.losses import ClaimReach, Reach, as_text, claim_types, reach

QUOTED = re.compile(r"“([^“”\s]+(?:\s+[^“”\s]+){2,})”")
"""A quotation of three words or more."""


class EvidencePair(Record):
    """A question with its answer and the passage behind it.

    Attributes:
        url: address of the passage in ``scraped_text``; empty if the answer comes from the claim's metadata or from
            nothing.
        scraped_text: the passage that the answer rests on most.
        urls: addresses of all pages that the answer was merged from, the most important first.
    """

    question: str
    answer: str
    url: str = ""
    scraped_text: str = ""
    urls: tuple[str, ...] = ()

    @classmethod
    def of(cls, pair: QuestionAnswer) -> "EvidencePair":
        """Take a result's pair with the first passage of its answer."""
        first = pair.answers[0] if pair.answers else None
        passage = first.passage if first and first.source is Source.EVIDENCE else None
        return cls(
            question=pair.question,
            answer=pair.answer,
            url=passage.url if passage else "",
            scraped_text=passage.text if passage else "",
            urls=pair.urls,
        )


class Entry(Record):
    """A system's prediction for a claim; the label keeps the system's spelling.

    Attributes:
        pairs: empty if the evidence cannot be read as pairs.
        confidence: None if the system gives none.
    """

    claim_id: int
    claim: str
    label: str
    pairs: tuple[EvidencePair, ...] = ()
    justification: str = ""
    confidence: float | None = None

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The questions, each with its answer."""
        return tuple((pair.question, pair.answer) for pair in self.pairs)

    @property
    def quotation(self) -> str:
        """The first sentence that the justification quotes; empty if there is none."""
        found = QUOTED.search(self.justification)
        return found[1] if found else ""


class Incident(Record):
    """Something that deviated from plan; equal names are counted together."""

    name: str
    message: str = ""


class Row(Record):
    """A line of the claim list.

    Attributes:
        gold: the gold label; empty if it is unknown.
        quotation: the sentence that decides, verbatim; empty if none is quoted.
        seconds: None if they are unknown.
        marks: what the list can be filtered by: right, wrong, slow, failed, debated, cut-short, instructions
            (a passage that looks like instructions).
        reach: how far the gold evidence came; empty if there is no gold.
    """

    claim_id: int
    claim: str
    label: str
    gold: str
    quotation: str
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


def view(
    entry: Entry,
    result: ClaimResult | None,
    graph: StoredGraph,
    gold: GoldClaim | None = None,
    slow_from: float = float("inf"),
) -> ClaimView:
    """View one claim.

    Args:
        result: the full result of a run of ours.
        slow_from: seconds from which a claim is called slow.
    """
    reached = _reach(entry, result, graph, gold) if gold else None
    details = {
        **entry.model_dump(mode="json"),
        "metadata": result.claim.metadata if result else {},
        "timing": result.timing.model_dump(mode="json") if result else None,
        "failures": [failure.model_dump() for failure in result.failures] if result else [],
        "flaws": result.flaws if result else {},
        "correction": result.correction.model_dump() if result and result.correction else None,
        "gold": _gold_details(gold, reached.answers) if gold and reached else None,
        **graph.embedded(),
    }
    return ClaimView(_row(entry, result, graph, reached, slow_from), reached, details)


def entry_of(result: ClaimResult) -> Entry:
    """Return a result as a prediction."""
    return Entry(
        claim_id=result.claim.id,
        claim=result.claim.text,
        label=result.verdict.label,
        pairs=tuple(map(EvidencePair.of, result.pairs)),
        justification=result.verdict.justification,
        confidence=result.verdict.confidence,
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
        quotation=entry.quotation,
        types=claim_types(reached) if reached else (),
        seconds=seconds,
        marks=tuple(name for name, given in marks.items() if given),
        incidents=tuple(_incidents(result, graph)),
        reach=reached.reach if reached else "",
    )


def _incidents(result: ClaimResult | None, graph: StoredGraph) -> Iterator[Incident]:
    """Yield failures by operation, what replaced them, and steps that were skipped."""
    failures = result.failures if result else ()
    for failure in failures:
        yield Incident(name=f"failed: {failure.operation}", message=failure.message)
    if any(failure.unanswered for failure in failures):
        yield Incident(name="no verdict: the label stands for a failure")
    if result and result.timing.cut_short:
        yield Incident(name="ran out of time; decided by what was found until then")
    for node in graph.of_kind("skipped"):
        yield Incident(name=f"not done: {': '.join(map(str, node.content.values()))}")


def _gold_details(gold: GoldClaim, reaches: Sequence[Reach]) -> Mapping[str, Any]:
    """Return the annotation, each answer with how far it came."""
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
