"""Answers of the tools: the JSON of the command line and the service, of the parts of a job that are known so far.

An assistant reads all that it is given. So the text itself is left out, and of each verdict all but its first passages.
"""

from collections.abc import Sequence
from typing import Any

from system.app.service.jobs import Job, Kind
from system.article.records import CheckedText
from system.citations.records import CheckedCitations

CLAIMS_PASSAGES, STATEMENTS_PASSAGES = 10, 3


def answer(job: Job) -> dict[str, Any]:
    """Return what is known of a job; a claim that has not ended has nothing yet."""
    match job.kind:
        case Kind.CLAIM if job.result:
            return _brief(job.result.to_dict(), CLAIMS_PASSAGES)
        case Kind.TEXT if job.parts:
            whole = (job.result or CheckedText.of(job.parts[0], job.parts[1:])).to_dict()
            whole["statements"] = [_brief(one, STATEMENTS_PASSAGES) for one in whole["statements"]]
            return {name: value for name, value in whole.items() if name not in ("text", "sentences")}
        case Kind.CITATIONS if job.parts:
            citing, *found = job.parts
            whole = (job.result or CheckedCitations.of(citing.article, found, citing.unresolved)).to_dict()
            for one in whole["citations"]:
                one["passages"] = one["passages"][:STATEMENTS_PASSAGES]
            return {name: value for name, value in whole.items() if name != "text"}
    return {}


def step(kind: Kind, parts: Sequence[Any]) -> tuple[int, int | None, str]:
    """Return how many parts are done, how many there will be (None if unknown), and what the last one is."""
    if kind is Kind.CLAIM:
        return len(parts), None, parts[-1].kind
    text, *found = parts
    total = len(text.claims if kind is Kind.TEXT else text.citations)
    done = str(found[-1].label if kind is Kind.TEXT else found[-1].outcome) if found else "reading"
    return len(found), total, done


def _brief(answer: dict[str, Any], most: int) -> dict[str, Any]:
    evidence = []
    for pair in answer["evidence"]:
        kept = pair["passages"][:most]
        most -= len(kept)
        if kept:
            evidence.append({**pair, "passages": kept})
    return {**answer, "evidence": evidence}
