"""The page of a text whose citations were checked: each citing sentence marked by what its sources say."""

from itertools import groupby

from knowledge_store.pages.page import source_name
from system.citations.records import CheckedCitation, CheckedCitations, Outcome, described
from system.report.marked import Mark, Reason, marked_page, reason

STYLES = {
    Outcome.CONTRADICTED: "refuted",
    Outcome.ELSEWHERE: "conflicting",
    Outcome.ABSENT: "not-enough",
    Outcome.UNDECIDED: "not-enough",
    Outcome.UNREADABLE: "unread",
    Outcome.UNANSWERED: "unread",
    Outcome.SUPPORTED: "supported",
}
"""The gravest first: it colors a sentence with several sources."""


def citations_page(checked: CheckedCitations) -> str:
    """Write a text with its citations checked as an HTML page that opens from disk and fetches nothing."""
    supported, total = checked.counts[Outcome.SUPPORTED], len(checked.citations)
    groups = groupby(checked.citations, key=lambda one: one.citation.sentence.number)
    lost = described(checked.unresolved)
    notes = [f"{lost[:1].upper()}{lost[1:]}"] * bool(lost) + [*checked.warnings]
    return marked_page(
        checked.article,
        [_mark(list(group)) for _, group in groups],
        _counts(checked),
        kicker="Citation check",
        headline=f"{supported} of {total}",
        summary=f"citation{'' if total == 1 else 's'} where the source says what the sentence says.",
        unmarked=". ".join(["What is not marked cites nothing, or claims nothing that could be checked", *notes]) + ".",
    )


def _counts(checked: CheckedCitations) -> list[tuple[str, str, int]]:
    """Return the outcomes that occur, those of one style together."""
    by_style: dict[str, list[tuple[Outcome, int]]] = {}
    for outcome, count in checked.counts.items():
        if count:
            by_style.setdefault(STYLES[outcome], []).append((outcome, count))
    return [
        (style, " or ".join(outcome for outcome, _ in found), sum(count for _, count in found))
        for style, found in by_style.items()
    ]


def _mark(citations: list[CheckedCitation]) -> Mark:
    sentence = citations[0].citation.sentence
    gravest_first = sorted(citations, key=lambda one: list(STYLES).index(one.outcome))
    return Mark(sentence.number, sentence.text, sentence.context, tuple(map(_reason, gravest_first)))


def _reason(one: CheckedCitation) -> Reason:
    mark, name = one.citation.mark, source_name(one.citation.target)
    heading = name if mark == one.citation.target else f"{mark} {name}"
    if one.result is None:
        return Reason(STYLES[one.outcome], one.outcome, one.why, heading)
    return reason(one.result, STYLES[one.outcome], one.outcome, heading)
