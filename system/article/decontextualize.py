"""Statements that stand alone, by language model: for any language, and for references that no rule resolves."""

import re
from collections.abc import Sequence, Set
from typing import ClassVar

from system.article.records import Article, Kind, Sentence
from system.check import Engine
from system.graph.records import Claim
from system.hardware.weights import PACKAGED
from system.models.base import Completion, Request
from system.settings import Settings
from system.tasks.base import Reply, Task, Text
from system.text.words import content_stems, coverage, words

BEFORE = 6  # sentences before that the model reads
KEPT = 0.5  # share of a sentence's words of content that its rewriting must have
NEW = 2  # limit of content words that stand neither in the sentence nor before it
_REFERRING = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|its|their|this|that|these|those|the|there|then|such|same|former|latter)\b",
    re.IGNORECASE,
)


class DecontextualizedReply(Reply):
    """The sentence, so that it can be understood alone."""

    statement: Text


class Decontextualize(Task[DecontextualizedReply]):
    """Write a sentence so that it can be understood and checked without the text around it.

    Attributes:
        claim: the sentence.
        title: of the text, or its first sentence.
        before: the sentences before it, in order.
    """

    name: ClassVar[str] = "decontextualize"
    reply_type = DecontextualizedReply
    max_tokens: ClassVar[int] = 256

    title: str
    before: tuple[str, ...]


def is_capable(settings: Settings) -> bool:
    """Whether the settings name a language model that can rewrite: the small one that comes along cannot."""
    model = settings.model
    return model.backend in ("vllm", "server") or (model.backend == "transformers" and model.model not in PACKAGED)


async def decontextualized(engine: Engine, article: Article, done: Set[int] = frozenset()) -> Article:
    """The text with statements that a language model has made; those of the rules stand where it failed or strayed.

    Args:
        done: numbers of sentences that stay as they are.
    """
    if not is_capable(engine.settings):
        return article
    waiting = (one for one in article.claims if one.number and one.number not in done)
    asked = [one for one in waiting if article.language != "en" or _REFERRING.search(one.text)]
    tasks = [_task(article, sentence) for sentence in asked]
    results = await engine.model.generate([Request(task) for task in tasks]) if tasks else []
    changed = {
        sentence.number: sentence.model_copy(update={"claim": result.reply.statement.strip(), "resolved": ()})
        for sentence, task, result in zip(asked, tasks, results, strict=True)
        if isinstance(result, Completion)
        and isinstance(result.reply, DecontextualizedReply)
        and keeps_to(result.reply.statement, sentence.text, (task.title, *task.before))
    }
    return article.model_copy(update={"sentences": tuple(changed.get(one.number, one) for one in article.sentences)})


def keeps_to(statement: str, sentence: str, before: Sequence[str]) -> bool:
    """Whether a rewriting says what the sentence says: no number lost or new, hardly a word lost, none made up.

    >>> keeps_to("The bridge opened in 1932.", "It opened in 1932.", ["They built a bridge."])
    True
    >>> keeps_to("The bridge opened in 1933.", "It opened in 1932.", ["They built a bridge."])
    False
    """
    own, told = content_stems(sentence), content_stems(" ".join((sentence, *before)))
    new = content_stems(statement) - told
    digits = [{word for word in words(text) if word[0].isdigit()} for text in (statement, sentence, " ".join(before))]
    numbers_stand = digits[1] <= digits[0] <= digits[1] | digits[2]
    return numbers_stand and len(new) <= NEW and coverage(own, content_stems(statement)) >= KEPT


def _task(article: Article, sentence: Sentence) -> Decontextualize:
    earlier = article.sentences[: sentence.number]
    heading = next((one.text for one in earlier if one.kind is Kind.HEADING), earlier[0].text)
    return Decontextualize(
        claim=Claim(id=sentence.number, text=" ".join(sentence.text.split())),
        title=heading,
        before=tuple(" ".join(one.text.split()) for one in earlier[-BEFORE:]),
    )
