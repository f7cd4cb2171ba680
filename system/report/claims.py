"""Predictions of systems, and the claims as a report shows them: a row in the list, and details that open from it."""

import re
from math import isfinite
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError, WrapValidator
from pydantic_core.core_schema import ValidatorFunctionWrapHandler

from system.averitec.gold import GoldClaim
from system.files.texts import repair
from system.graph.records import ClaimResult, QuestionAnswer, Record, Source
from system.report.graphs import StoredGraph

QUOTED = re.compile(r"“([^“”\s]+(?:\s+[^“”\s]+){2,})”")
"""A quotation of three words or more."""


def _words(value: object) -> object:
    """Return a field that systems leave out, leave null, or fill with a list of sentences, as a text."""
    return " ".join(map(str, value)) if isinstance(value, list) else "" if value is None else value


def _or_nothing(value: object, validated: ValidatorFunctionWrapHandler) -> object:
    """Return no pairs for evidence that the organizers' converter cannot read either."""
    try:
        return validated(value)
    except ValidationError:
        return ()


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and isfinite(value) else None


Repaired = Annotated[str, AfterValidator(repair)]  # JSON may escape half of a surrogate pair, which no file can hold
Words = Annotated[Repaired, BeforeValidator(_words)]


class EvidencePair(Record):
    """A question with its answer and the passage behind it; fields of other systems are ignored."""

    model_config = ConfigDict(extra="ignore")

    question: Repaired
    answer: Repaired
    #: address of the passage in ``scraped_text``; empty if the answer comes from the claim's metadata or from nothing
    url: Words = ""
    scraped_text: Words = ""  #: the passage that the answer rests on most
    urls: tuple[Repaired, ...] = ()  #: addresses of all pages that the answer was merged from, the most important first

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
    """A system's prediction for a claim, an entry of ``submission.json``; fields of other systems are ignored."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    claim_id: int
    claim: Repaired
    #: empty if the evidence cannot be read as pairs
    pairs: Annotated[tuple[EvidencePair, ...], WrapValidator(_or_nothing)] = Field((), alias="evidence")
    label: Repaired = Field(alias="pred_label")  #: in the system's spelling
    justification: Words = ""
    confidence: Annotated[float | None, BeforeValidator(_number)] = None  #: None if the system gives none

    @classmethod
    def of(cls, result: ClaimResult) -> "Entry":
        """Return a result as a prediction."""
        return cls(
            claim_id=result.claim.id,
            claim=result.claim.text,
            pairs=tuple(map(EvidencePair.of, result.pairs)),
            label=result.verdict.label,
            justification=result.verdict.justification,
            confidence=result.verdict.confidence,
        )

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The questions, each with its answer."""
        return tuple((pair.question, pair.answer) for pair in self.pairs)

    @property
    def quotation(self) -> str:
        """The first sentence that the justification quotes; empty if there is none."""
        found = QUOTED.search(self.justification)
        return found[1] if found else ""


class Row(Record):
    """A line of the claim list."""

    claim_id: int
    claim: str
    label: str
    gold: str  #: the gold label; empty if it is unknown
    quotation: str  #: the sentence that decides, verbatim; empty if none is quoted
    types: tuple[str, ...]  #: the claim's types in AVeriTeC
    seconds: float | None  #: None if they are unknown
    #: what the list can be filtered by (right, wrong, slow, failed, debated, cut-short, or instructions if a passage
    #: looks like some)
    marks: tuple[str, ...]
    incidents: dict[str, str]  #: deviations from plan by name, each with its message; equal names are counted together


def view(
    entry: Entry,
    result: ClaimResult | None,
    graph: StoredGraph,
    gold: GoldClaim | None = None,
    slow_from: float = float("inf"),
) -> tuple[Row, dict[str, Any]]:
    """Return a claim's line in the list, and as plain data for the page all that opens from it.

    Args:
        result: the full result of a run of ours.
        slow_from: seconds from which a claim is called slow.
    """
    details = {
        **entry.model_dump(mode="json"),
        "metadata": result.claim.metadata if result else {},
        "timing": result.timing.model_dump(mode="json") if result else None,
        "failures": [failure.model_dump() for failure in result.failures] if result else [],
        "flaws": result.flaws if result else {},
        "warnings": result.warnings if result else (),
        "correction": result.correction.model_dump() if result and result.correction else None,
        "gold": gold.model_dump(mode="json", exclude={"claim"}) if gold else None,
        **graph.embedded(),
    }
    return _row(entry, result, graph, gold, slow_from), details


def _row(entry: Entry, result: ClaimResult | None, graph: StoredGraph, gold: GoldClaim | None, slow_from: float) -> Row:
    seconds = result.timing.seconds if result else None
    marks = {
        "right": gold is not None and entry.label == gold.label,
        "wrong": gold is not None and entry.label != gold.label,
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
        gold=gold.label if gold else "",
        quotation=entry.quotation,
        types=gold.types if gold else (),
        seconds=seconds,
        marks=tuple(name for name, given in marks.items() if given),
        incidents=_incidents(result, graph),
    )


def _incidents(result: ClaimResult | None, graph: StoredGraph) -> dict[str, str]:
    """Return failures by operation, what replaced them, and steps that were skipped."""
    failures = result.failures if result else ()
    found = {f"failed: {failure.operation}": failure.message for failure in reversed(failures)}
    if any(failure.unanswered for failure in failures):
        found["no verdict: the label stands for a failure"] = ""
    if result and result.timing.cut_short:
        found["ran out of time; decided by what was found until then"] = ""
    return found | {f"not done: {', '.join(map(str, node.content.values()))}": "" for node in graph.of_kind("skipped")}
