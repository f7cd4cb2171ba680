"""Why a label was given, in words: the sentences that it rests on, each with what was read from it."""

from collections.abc import Sequence

from system.models.extractive.findings import Finding
from system.records import Label

_QUOTED = 300  # longest quotation, in characters


def justify(label: Label, found: Sequence[Finding]) -> str:
    """Quote what speaks for a label.

    Args:
        found: the findings that counted, closest first; at least one.
    """
    against = max(found, key=_weight_against)
    rest = [finding for finding in found if finding is not against] or [against]
    towards = min(rest, key=_weight_against)
    match label:
        case Label.REFUTED:
            return f"The evidence speaks against the claim: {_quotation(against)}"
        case Label.SUPPORTED:
            return f"The evidence agrees with the claim: {_quotation(min(found, key=_weight_against))}"
        case Label.CONFLICTING:
            return f"Passages disagree. One says: {_quotation(towards)} Another says: {_quotation(against)}"
        case Label.NOT_ENOUGH_EVIDENCE:
            return f"Nothing found settles the claim; the closest passage says: {_quotation(found[0])}"


def _weight_against(finding: Finding) -> float:
    """How much a finding speaks against the claim: its cues first, then its lean."""
    cues = bool(finding.refuting) + bool(finding.negation) + bool(finding.differing) - bool(finding.agreeing)
    return finding.closeness * cues + finding.denial


def _quotation(finding: Finding) -> str:
    sentence = finding.sentence if len(finding.sentence) <= _QUOTED else f"{finding.sentence[:_QUOTED].rstrip()} …"
    remarks = [remark for remark in _remarks(finding) if remark]
    return f"“{sentence}”" + (f" ({'; '.join(remarks)})." if remarks else ".")


def _remarks(finding: Finding) -> list[str]:
    """What was read from a sentence."""
    return [
        f"same figure as the claim: {', '.join(finding.agreeing)}" if finding.agreeing else "",
        f"another figure than the claim: {', '.join(finding.differing)}" if finding.differing else "",
        f"it says “{finding.refuting}”" if finding.refuting else "",
        f"“{finding.negation}” stands in one of sentence and claim alone" if finding.negation else "",
    ]
