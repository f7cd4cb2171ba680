"""Answers of the tools: the JSON of the command line and the service, of the parts of a job that are known so far.

A long text can have hundreds of statements, and an assistant reads all that it is given. So the text itself is left
out, and of each verdict's passages the first ones are kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from system.app.service.jobs import Kind
from system.app.service.worker import public_result
from system.article.records import CheckedText
from system.citations.records import CheckedCitations

CLAIMS_PASSAGES, STATEMENTS_PASSAGES = 10, 3


@dataclass(frozen=True)
class Form:
    """How the jobs of one kind are shown.

    Attributes:
        partial: the answer from the parts so far; the first part is the text.
        whole: the answer from the result.
        step: how many parts are done, how many there will be (None if unknown), and what the last one is.
    """

    partial: Callable[[Sequence[Any]], dict[str, Any]]
    whole: Callable[[Any], dict[str, Any]]
    step: Callable[[Sequence[Any]], tuple[int, int | None, str]]


def _brief(answer: dict[str, Any], most: int) -> dict[str, Any]:
    """Return an answer with its first passages."""
    evidence = []
    for pair in answer["evidence"]:
        kept = pair["passages"][:most]
        most -= len(kept)
        if kept:
            evidence.append({**pair, "passages": kept})
    return {**answer, "evidence": evidence}


def _claim(checked: Any) -> dict[str, Any]:
    return _brief(public_result(checked.result).to_dict(), CLAIMS_PASSAGES)


def _text(checked: CheckedText) -> dict[str, Any]:
    whole = checked.to_dict()
    whole["statements"] = [_brief(one, STATEMENTS_PASSAGES) for one in whole["statements"]]
    return {name: value for name, value in whole.items() if name not in ("text", "sentences")}


def _citations(checked: CheckedCitations) -> dict[str, Any]:
    whole = checked.to_dict()
    for one in whole["citations"]:
        one["passages"] = one["passages"][:STATEMENTS_PASSAGES]
    return {name: value for name, value in whole.items() if name != "text"}


FORMS = {
    Kind.CLAIM: Form(lambda _: {}, _claim, lambda parts: (len(parts), None, parts[-1].kind)),
    Kind.TEXT: Form(
        lambda parts: _text(CheckedText.of(parts[0], parts[1:])),
        _text,
        lambda parts: (len(parts) - 1, len(parts[0].claims), str(parts[-1].label) if parts[1:] else "reading"),
    ),
    Kind.CITATIONS: Form(
        lambda parts: _citations(CheckedCitations.of(parts[0].article, parts[1:], parts[0].unresolved)),
        _citations,
        lambda parts: (len(parts) - 1, len(parts[0].citations), str(parts[-1].outcome) if parts[1:] else "reading"),
    ),
    Kind.SEARCH: Form(lambda _: {}, lambda hits: {"passages": hits}, lambda parts: (len(parts), None, "ranking")),
}
