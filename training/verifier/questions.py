"""Questions and answers of reading comprehension as statements: right answers, wrong ones, and open questions.

The words of a question are a person's, not the passage's, so these pairs are true paraphrases. An open question beside
an answered one, and the answer to another question in place of the right one, keep all three labels in each group.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from training.verifier.pairs import Pair, Verdict, read_rows

_SPANS, _YES_NO = ("squad2_dev",), ("boolq", "boolq_contrast")
_SUBJECT = re.compile(  # the asked-for subject, where a verb follows it without the inversion of a question
    r"(?:who|what|which(?: [a-z'’-]+){1,3}?|how many [a-z'’-]+) "
    r"(?=(?:[a-z]+ed|[a-z]{3,}s|wrote|won|led|became|made|gave|built|held|ran|began"
    r"|(?:is|was|are|were|has|had|have|will|can|could) (?!the\b|a\b|an\b|his\b|her\b|its\b|their\b|[a-z]+s\b)[a-z]+)\b)"
    r"(?!do\b|does\b|did\b|is [A-Z]|was [A-Z])",
    re.ASCII,
)
_COUNTED = re.compile(r"how many ([\w'’-]+) ", re.IGNORECASE)
_NUMBER, _YEAR = r"\d[\d,.]*\d|\d", r"\b1\d{3}\b|\b20\d\d\b"
_NAME = r"[A-Z][\w'’-]+(?: (?:of |the |de )?[A-Z][\w'’-]+)*"
_FORMS = dict.fromkeys(("how many", "how much"), _NUMBER) | dict.fromkeys(("when", "year"), _YEAR)
_FORMS |= dict.fromkeys(("who", "where", "which"), _NAME)
"""The form of an answer, by a word of the question that excludes every other answer."""

_WITHOUT_A_TWIN = 0.2  # share of the right answers that are kept where the passage has no wrong one of their form


@dataclass(frozen=True)
class _Asked:
    question: str
    answer: str | None


def question_pairs(folder: Path, rng: Random) -> Iterator[Pair]:
    """Yield pairs of the question sets of a folder; a set that is not there is passed over.

    Raises:
        TrainingError: a line is no JSON object; the message names file and line.
    """
    yield from _of_spans(_by_passage(folder, _SPANS), rng)
    yield from _of_yes_no(_by_passage(folder, _YES_NO), rng)


def _by_passage(folder: Path, names: tuple[str, ...]) -> dict[str, list[_Asked]]:
    found: dict[str, list[_Asked]] = defaultdict(list)
    for name in names:
        file = folder / f"{name}.jsonl"
        for row in read_rows(file) if file.exists() else ():
            found[str(row["passage"])].append(_Asked(_cleaned(row), row["answer"] and str(row["answer"]).strip()))
    return found


def _cleaned(row: dict[str, Any]) -> str:
    question = " ".join(str(row["question"]).split()).rstrip(" ?")
    return question[:1].upper() + question[1:]


def _of_spans(passages: dict[str, list[_Asked]], rng: Random) -> Iterator[Pair]:
    for passage, asked in passages.items():
        for one in asked:
            wrong = [text for text in _candidates(one.question, passage) if not _same(text, one.answer or one.question)]
            if one.answer and (wrong or rng.random() < _WITHOUT_A_TWIN):
                yield _pair(passage, stated(one.question, one.answer, rng), "supported", "answer", "squad2")
            if wrong:
                label: Verdict = "refuted" if one.answer else "not enough"
                kind = "wrong answer" if one.answer else "open question"
                yield _pair(passage, stated(one.question, rng.choice(wrong), rng), label, kind, "squad2")


def _candidates(question: str, passage: str) -> list[str]:
    """Texts of a passage that have the form of the answer."""
    form = next((form for word, form in _FORMS.items() if re.search(rf"\b{word}\b", question.lower())), None)
    found = re.findall(form, passage) if form else []
    if form == _NAME:  # the first word of a sentence is seldom a name
        found = [name for name in found if " " in name or re.search(rf"[a-z,] {re.escape(name)}\b", passage)]
    return sorted(set(found))


def _of_yes_no(passages: dict[str, list[_Asked]], rng: Random) -> Iterator[Pair]:
    every = list(passages.items())
    for passage, asked in every:
        for one in asked:
            right = one.answer == "yes"
            said = rng.random() < 0.5
            label: Verdict = "supported" if said == right else "refuted"
            yield _pair(passage, f"{one.question}? {'Yes' if said else 'No'}.", label, "yes or no", "boolq")
        if rng.random() < 0.4:
            other = rng.choice(rng.choice(every)[1])
            if not _share(other.question, passage):
                said_of_other = rng.choice(("Yes", "No"))
                yield _pair(passage, f"{other.question}? {said_of_other}.", "not enough", "other question", "boolq")


def stated(question: str, answer: str, rng: Random) -> str:
    """Question and answer as one statement where the question asks for the subject; else one after the other.

    >>> stated("Who led the revolt of 1640", "Anna Brandt", Random(0))
    'Anna Brandt led the revolt of 1640.'
    >>> stated("When did she leave", "1640", Random(0))
    'When did she leave? 1640.'
    """
    end = "" if answer.endswith(".") else "."
    match = _SUBJECT.match(question[:1].lower() + question[1:])
    if not match or rng.random() < 0.15:
        return f"{question}? {answer[:1].upper()}{answer[1:]}{end}"
    counted = _COUNTED.match(question)
    noun = f" {counted[1]}" if counted and counted[1] not in answer and not match[0].lower().endswith("many ") else ""
    return f"{answer[:1].upper()}{answer[1:]}{noun} {question[match.end() :]}{end}"


def _same(one: str, other: str | None) -> bool:
    mine, others = (set(re.findall(r"\w+", (text or "").lower())) for text in (one, other))
    return bool(mine & others)


def _share(question: str, passage: str) -> bool:
    long = set(re.findall(r"\w{5,}", question.lower()))
    return sum(word in passage.lower() for word in long) * 2 > len(long)


def _pair(passage: str, statement: str, label: Verdict, kind: str, source: str) -> Pair:
    return Pair(passage, statement, label, f"questions_{source}", kind, passage)
