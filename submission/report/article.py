"""The page of a checked text: each statement marked by its verdict, with the evidence beside it."""

from submission.report.marked import Count, Mark, marked_page, reason
from submission.report.page import slug
from system.article.records import CheckedStatement, CheckedText
from system.graph.records import Label


def text_page(checked: CheckedText) -> str:
    """A checked text as an HTML page that opens from disk and fetches nothing."""
    total, decided = len(checked.statements), checked.decided
    headline = f"{decided} of {total}"
    summary = checked.headline.removeprefix(headline).strip()
    under_way = len(checked.article.claims) - total
    if under_way:
        summary = f"{summary}; {under_way} to be checked" if total else f"{under_way} to be checked"
    elif not total:
        summary = "Nothing in this text claims a fact that could be checked."
    counts = [
        Count(slug(label), label, number)
        for label, number in checked.counts.items()
        if number or label is not Label.CONFLICTING
    ]
    marks = [_mark(one) for one in checked.statements]
    return marked_page(
        checked.article,
        marks,
        counts if total else [],
        kicker="Text check",
        headline=headline,
        summary=summary,
        unmarked="What is not marked claims nothing that could be checked"
        + (", or is yet to be." if under_way else "."),
    )


def _mark(statement: CheckedStatement) -> Mark:
    sentence = statement.sentence
    found = reason(statement.result, slug(statement.label), statement.label)
    return Mark(sentence.number, sentence.text, sentence.context, (found,))
