"""Answers cut from passages, their check against the passage, and the choice among several of them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.encoder import CachingEncoder, Encoder
from knowledge_store.pages.sentences import ENDING
from system.graph.records import NO_ANSWER, AnswerType, Claim, Source
from system.strategies.steps.tasks.answer_question import AnswerQuestion, AnswerReply
from system.strategies.steps.tasks.merge_answers import MergeAnswers, MergeReply
from system.strategies.steps.tasks.verify_answer import VerificationReply, VerifyAnswer
from system.text.copies import copies_in
from system.text.language import other_language
from system.text.quantities import Kind, quantities
from system.text.words import content_stems, coverage, sentences, words

LANGUAGE = "en"  # of the rules here, and of the stems and stop words that they compare
MERGED_SENTENCES = 5
_DECIMALS = 4  # cosines are rounded: the batch that a text was embedded in shows only in later digits
_HOW_MUCH = ("How many", "How much", "What percentage", "By what percentage")
_MISSING = 0.15
_ABOUT = 0.3  # below this score a sentence is not about the question
_REDUNDANT = 0.9  # cosine from which two answers say the same
_HEADING = 8  # words of what has no end of a sentence
_WINDOW = 300  # characters of an answer that brings along the sentence that names what it speaks of
_WHEN = re.compile(r"when was (?:this|the) (?:claim|statement) (?:made|published)", re.IGNORECASE)
_WHO = re.compile(r"who (?:made|said|published|is the source of) (?:this|the) (?:claim|statement)", re.IGNORECASE)
_WHERE = re.compile(r"where was (?:this|the) claim (?:first |originally )?(?:made|published)", re.IGNORECASE)


class Similarity:
    """Cosines between texts, with a cache of their vectors.

    Args:
        encoder: turns texts into unit vectors.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder if isinstance(encoder, CachingEncoder) else CachingEncoder(encoder)

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed, in one call, those of the texts that have no vector yet."""
        self._encoder.encode(list(texts))

    def between(self, one: str, others: Iterable[str]) -> NDArray[np.float64]:
        """Cosines of a text with others, rounded: (number of others,) float64."""
        others = list(others)
        if not others:
            return np.zeros(0)
        vectors = self._encoder.encode([one, *others])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float64).round(_DECIMALS)


def relevance(question: str, candidates: Sequence[str], similarity: Similarity) -> list[float]:
    """How much each sentence is about a question, at most 1: cosine, and the share of the question's words it has.

    A sentence without the number or year that the question asks for loses ``_MISSING``.
    """
    wanted = content_stems(question)
    cosines = similarity.between(question, candidates).tolist()
    return [
        round(_score(cosine, coverage(wanted, content_stems(text))) - _MISSING * _lacks_number(question, text), 4)
        for text, cosine in zip(candidates, cosines, strict=True)
    ]


def _score(cosine: float, covered: float) -> float:
    return 0.65 * cosine + 0.35 * covered


def _lacks_number(question: str, sentence: str) -> bool:
    """Whether a question asks for a number or a time and the sentence gives none."""
    kinds = {quantity.kind for quantity in quantities(sentence)}
    if question.startswith("When "):
        return Kind.YEAR not in kinds
    return question.startswith(_HOW_MUCH) and not kinds - {Kind.YEAR}


def answer(task: AnswerQuestion, similarity: Similarity) -> AnswerReply:
    """Cut the sentence of the passage that is most about the question; questions about the claim go to its metadata.

    A sentence that only says the claim again answers nothing, nor does a passage in another language.
    """
    if (known := _from_metadata(task.question, task.claim)) is not None:
        return AnswerReply(source=Source.METADATA, type=AnswerType.EXTRACTIVE, answer=known)
    passage = "" if other_language(task.passage.text, LANGUAGE) else task.passage.text
    copied = copies_in(sentences(passage), task.claim.text)
    candidates = [one for one in excerpts(task.question, passage) if not {one.topic, one.sentence} & copied]
    scores = excerpt_scores(task.question, candidates, similarity)
    best = max(range(len(candidates)), key=lambda i: scores[i], default=None)
    if best is None or scores[best] < _ABOUT:
        return AnswerReply(source=Source.EVIDENCE, type=AnswerType.UNANSWERABLE, answer=NO_ANSWER)
    return AnswerReply(source=Source.EVIDENCE, type=AnswerType.EXTRACTIVE, answer=candidates[best].text)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A sentence of a passage, preceded by the one that names its subject.

    Attributes:
        text: a verbatim part of the passage, from ``topic`` to ``sentence``.
        topic: the sentence that names the subject; the same as ``sentence`` if that does.
    """

    text: str
    topic: str
    sentence: str


def excerpts(question: str, passage: str) -> list[Excerpt]:
    """Each sentence of a passage, with the names of the question that an earlier one brings; no heading by itself.

    >>> excerpts("Is the head office of Brevik in Halden?", "Brevik makes saws. Its head office is in Tromvik.")[1].text
    'Brevik makes saws. Its head office is in Tromvik.'
    """
    names = content_stems(" ".join(word for word in words(question)[1:] if word[0].isupper()))
    found: list[Excerpt] = []
    named: list[tuple[int, str, frozenset[str]]] = []  # where each sentence with a name begins, and its names
    end = 0
    for sentence in sentences(passage):
        begin = passage.index(sentence, end)
        end = begin + len(sentence)
        own = names & content_stems(sentence)
        earlier = [(at, topic) for at, topic, held in named if held - own and end - at <= _WINDOW]
        at, topic = earlier[-1] if earlier else (begin, sentence)
        if ENDING.search(sentence) or len(words(sentence)) > _HEADING:
            found.append(Excerpt(passage[at:end], topic, sentence))
        if own:
            named.append((begin, sentence, own))
    return found


def excerpt_scores(question: str, candidates: Sequence[Excerpt], similarity: Similarity) -> list[float]:
    """``relevance`` of excerpts; the vector of two sentences is taken to be the sum of theirs."""
    wanted = content_stems(question)
    texts = list(dict.fromkeys(text for one in candidates for text in (one.sentence, one.topic)))
    near = dict(zip(texts, similarity.between(question, texts).tolist(), strict=True))
    scores = []
    for one in candidates:
        cosine = near[one.sentence]
        if one.topic != one.sentence:
            together = similarity.between(one.topic, [one.sentence])[0]
            cosine = (cosine + near[one.topic]) / np.sqrt(2 + 2 * together)
        covered = coverage(wanted, content_stems(one.topic) | content_stems(one.sentence))
        scores.append(round(_score(float(cosine), covered) - _MISSING * _lacks_number(question, one.sentence), 4))
    return scores


def _from_metadata(question: str, claim: Claim) -> str | None:
    for pattern, value in ((_WHEN, claim.date), (_WHO, claim.speaker), (_WHERE, claim.reporting_source)):
        if value and pattern.search(question):
            return value
    return None


def verify(task: VerifyAnswer, similarity: Similarity) -> VerificationReply:
    """An answer holds iff its passage (or the metadata) says it word for word and it is about the question."""
    given = task.answer
    if given.source is Source.METADATA:
        stands = given.text in task.claim.metadata.values()
        return VerificationReply(
            reason=f"the claim's metadata {'says' if stands else 'does not say'} so", entailed=stands
        )
    if given.text not in given.passage.text:
        return VerificationReply(reason="the passage does not contain the answer", entailed=False)
    score = max(relevance(task.question, sentences(given.text), similarity), default=0.0)
    reason = f"the passage contains the answer; its relevance to the question is {score:.2f}"
    return VerificationReply(reason=reason, entailed=score >= _ABOUT)


def merge(task: MergeAnswers, similarity: Similarity) -> MergeReply:
    """Join the most relevant answers that do not repeat each other."""
    texts = [given.text for given in task.answers]
    scores = relevance(task.question, texts, similarity)
    answered = [i for i in range(len(texts)) if task.answers[i].answered]
    chosen: list[int] = []
    for i in sorted(answered, key=lambda i: (-scores[i], i)):
        if len(chosen) < MERGED_SENTENCES and not _repeats(texts[i], [texts[j] for j in chosen], similarity):
            chosen.append(i)
    if not chosen:
        return MergeReply(answer=NO_ANSWER, sources=[1])
    return MergeReply(answer=" ".join(texts[i] for i in chosen), sources=[i + 1 for i in chosen])


def _repeats(text: str, chosen: list[str], similarity: Similarity) -> bool:
    return any(text in other or other in text for other in chosen) or bool(
        (similarity.between(text, chosen) >= _REDUNDANT).any()
    )
