"""The page of a checked text: each statement marked by its verdict, with the evidence beside it."""

from system.article.records import CheckedStatement, CheckedText
from system.graph.records import Label
from system.report.marked import Mark, marked_page, reason
from system.report.page import slug


def text_page(checked: CheckedText) -> str:
    """Write a checked text as an HTML page that opens from disk and fetches nothing."""
    total = len(checked.statements)
    figure = f"{checked.decided} of {total}"
    summary = checked.headline.removeprefix(figure).strip()
    under_way = len(checked.article.claims) - total
    if under_way:
        summary = f"{summary}; {under_way} to be checked" if total else f"{under_way} to be checked"
    elif not total:
        summary = "Nothing in this text claims a fact that could be checked."
    counts = [
        (slug(label), label, number)
        for label, number in checked.counts.items()
        if number or label is not Label.CONFLICTING
    ]
    return marked_page(
        checked.article,
        [_mark(one) for one in checked.statements],
        counts if total else [],
        kicker="Text check",
        headline=figure,
        summary=summary,
        unmarked="What is not marked claims nothing that could be checked"
        + (", or is yet to be." if under_way else ".")
        + "".join(f" {warning}." for one in checked.statements for warning in one.result.warnings),
    )


def _mark(statement: CheckedStatement) -> Mark:
    sentence = statement.sentence
    found = reason(statement.result, slug(statement.label), statement.label)
    return Mark(sentence.number, sentence.text, sentence.context, (found,))
