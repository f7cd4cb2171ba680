"""Questions that a claim raises, in the order in which a fact-checker would ask them.

The first asks whether the core of the claim is so; the next ask for its figures, its pictures and words, its
circumstances, and where it comes from. A branch that lacks
evidence asks for what no answer has covered yet.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from system.graph.records import Claim, QuestionAnswer
from system.models.extractive.grammar import FINITE, Clause, clause, noun_phrases, tag
from system.strategies.steps.tasks.ask_question import AskQuestion
from system.text.quantities import Kind, Quantity, quantities
from system.text.words import content_stems, coverage, sentences, words

PICTURE = re.compile(r"\b(?:photo(?:graph)?s?|pictures?|images?|videos?|footage|clips?|screenshots?)\b", re.IGNORECASE)
_ABOUT = r"(?:(?:about|approximately|around|over|nearly|almost|more than|less than|at least|up to|only|just)\s+)?"
_FUNCTION_WORD = r"(?:and|or|in|to|for|from|by|on|at|per|the|a|as|with|every|this|that|is|are)\b"
_COUNTED = rf"(?:\s+(?:of\s+)?(?!{_FUNCTION_WORD})(?P<noun>[a-zA-Z]+))?"
_SAYING = {"say", "state", "tell", "claim", "tweet", "declare", "announce", "write", "call", "argue", "suggest", "post"}
_TIME = re.compile(r"\b(?:19|20)\d\d\b|\b(?:today|yesterday|now|currently)\b", re.IGNORECASE)
_DURATION = re.compile(r"^How (?:many|much) (?:years?|months?|weeks?|days?|hours?|minutes?)\b", re.IGNORECASE)
_LONG = 12  # words; a longer subject is no topic to name in another question


def ask(task: AskQuestion) -> str:
    """The question of the wanted index; indices past the last question start again from the first."""
    if not content_stems(task.claim.text):
        return "What is claimed?"
    claim, context = task.claim, task.context
    candidates = follow_ups(claim, context) if context else openers(claim)
    asked = [content_stems(question) for question in (*(pair.question for pair in context), *task.asked)]
    fresh = [question for question in candidates if content_stems(question) not in asked] or candidates
    return fresh[task.index % len(fresh)]


def openers(claim: Claim) -> list[str]:
    """First questions, the most telling first; no two are alike."""
    statement = core(claim.text)
    main = clause(statement)
    candidates = [
        _question(main.inverted if main else f"Is it true that {statement}"),
        *_figures(statement, main),
        *_second_half(main),
        *_pictures(statement),
        *_words_said(claim, statement, main),
        *_definitions(statement),
        *_circumstances(statement, main),
        "Where was the claim first published?",
        *(["When was the claim made?"] if claim.date else []),
    ]
    return list(dict.fromkeys(candidates))


def follow_ups(claim: Claim, context: Sequence[QuestionAnswer]) -> list[str]:
    """Later questions of a branch: for evidence of the whole, and for what the answers so far leave uncovered.

    Branches that began with different questions continue with different ones: each starts at its own place in the list.
    """
    statement = core(claim.text)
    topic = _topic(statement)
    covered = frozenset[str]().union(*(content_stems(pair.answer) for pair in context if pair.answered))
    apart = [phrase for phrase in noun_phrases(statement) if not content_stems(phrase) <= content_stems(topic)]
    missing = sorted(apart, key=lambda phrase: (coverage(content_stems(phrase), covered) >= 0.5, -len(phrase)))
    first = openers(claim)
    later = [f"What is known about {phrase} and {topic}" for phrase in missing]
    later[1:1] = [f"Is there any evidence that {_embedded(statement)}", f"What do reports say about {topic}"]
    own = first.index(context[0].question) if context[0].question in first else 0
    turn = own % len(later)
    return list(dict.fromkeys([*map(_question, later[turn:] + later[:turn]), *first]))


def core(text: str) -> str:
    """The sentence of a claim that carries it, without quotation marks around it and whitespace within.

    >>> core('“Wow!  The [new] law passed in May.”')
    'The new law passed in May'
    """
    text = re.sub(r"\s+", " ", text.replace("[", "").replace("]", "")).strip(" \"'“”‘’.…")
    return next((sentence for sentence in sentences(text) if len(words(sentence)) > 4), text).rstrip(" .!?…")


def _figures(statement: str, main: Clause | None) -> Iterator[str]:
    """How many, how much or what percentage: the statement asked with a figure taken out, two figures at most."""
    figures = [q for q in quantities(statement) if q.kind is not Kind.YEAR and not q.text.isalpha()]
    for quantity in figures[:2]:
        if main and (question := _figure(quantity, main)) and not _DURATION.search(question):
            yield _question(question)


def _figure(quantity: Quantity, main: Clause) -> str:
    """The question for a figure that opens the subject or stands in the predicate; empty for any other place."""
    figure = rf"(?<!\S){_ABOUT}{re.escape(quantity.text)}(?!\S*\d)"
    if found := re.match(rf"{figure}\s+(?:of\s+)?(.+)", main.subject, re.IGNORECASE):
        return f"{_how_much(quantity, found[1])} {main.predicate} {main.opening}"
    found = re.search(rf"(?:\b(?:of|by|at|to|with)\s+)?{figure}{_COUNTED}", main.rest, re.IGNORECASE)
    if not found:
        return ""
    rest = f"{main.rest[: found.start()]} {main.rest[found.end() :]} {main.opening}"
    if main.verb == "be" and found.start() == 0:
        return f"What {main.auxiliary} {main.subject} {rest}"
    return f"{_how_much(quantity, found['noun'] or '')} {main.auxiliary} {main.subject} {rest}"


def _how_much(quantity: Quantity, counted: str) -> str:
    if quantity.kind is Kind.PERCENT:
        return f"What percentage of {counted}" if counted else "By what percentage"
    return f"How much {counted}" if quantity.kind is Kind.MONEY or not counted else f"How many {counted}"


def _pictures(statement: str) -> Iterator[str]:
    if found := PICTURE.search(statement):
        yield f"Where and when was the {found[0].lower()} taken?"


def _words_said(claim: Claim, statement: str, main: Clause | None) -> Iterator[str]:
    """Ask what was said, by whom the claim says it or by its speaker."""
    if main and main.verb in _SAYING and main.auxiliary in {"do", "does", "did"}:
        about = next(iter(noun_phrases(main.rest)), "this")
        yield _question(f"What {main.auxiliary} {main.subject} say about {about}")
    elif claim.speaker and not content_stems(claim.speaker) & content_stems(_topic(statement)):
        yield _question(f"What did {claim.speaker.strip()} say about {_topic(statement)}")


def _second_half(main: Clause | None) -> Iterator[str]:
    """Ask for a claim's addition with "and" or "but" of the same subject."""
    if not main:
        return
    for token, following in pairwise(tag(main.predicate)):
        if token.text in {"and", "but"} and following.tag in FINITE:
            half = clause(f"{main.subject} {main.predicate[following.start :]}")
            yield from [_question(half.inverted)] if half else []


def _definitions(statement: str) -> Iterator[str]:
    """Ask for the longest phrase with a name in it, besides the topic."""
    topic = content_stems(_topic(statement))
    named = [phrase for phrase in noun_phrases(statement) if " " in phrase and not phrase.islower()]
    apart = [phrase for phrase in named if not content_stems(phrase) & topic]
    if apart:
        phrase = max(apart, key=lambda phrase: (len(phrase), phrase))
        yield _question(f"What is {'' if phrase[0].isupper() else 'the '}{phrase}")


def _circumstances(statement: str, main: Clause | None) -> Iterator[str]:
    if main and main.auxiliary in {"did", "was", "were", "has", "have"} and not _TIME.search(statement):
        yield _question(f"When {main.inverted}")
    yield _question(f"What is known about {_topic(statement)}")


def _topic(statement: str) -> str:
    """The topic of a statement: its subject where that is a phrase of some substance, else its longest phrases."""
    main = clause(statement)
    if main and content_stems(main.subject) and len(main.subject.split()) <= _LONG:
        return main.subject
    phrases = sorted(noun_phrases(statement), key=len, reverse=True)[:2]
    return " and ".join(phrases) or statement


def _embedded(statement: str) -> str:
    main = clause(statement)
    return f"{main.subject} {main.predicate} {main.opening}".strip() if main else statement


def _question(text: str) -> str:
    text = re.sub(r"\s+([,.;:])", r"\1", re.sub(r"\s+", " ", text)).strip(" .,;:?!…")
    text = text.replace("about about", "about")
    return text[:1].upper() + text[1:] + "?"
