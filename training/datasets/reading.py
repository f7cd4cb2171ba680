"""Reading: questions over passages that hold their answer among other sentences, or do not hold it.

For small models, and without a knowledge store: the training split has none. A passage is made of the sentences of
gold answers that lie nearest to the question, of claims on the same topic and of others (``web``). In
half of them stands the question's own answer, somewhere; in the others it is left out, so that what is nearest, the
hard negative, has to be refused.
"""

import hashlib
from collections.abc import Iterator, Sequence

from knowledge_store.pages.page import Passage
from system.gold import GoldAnswer, GoldClaim
from system.records import NO_ANSWER, AnswerType, Source
from system.tasks.answer_question import AnswerQuestion, AnswerReply
from training.datasets.gold import answer_text
from training.datasets.samples import DataSet, Drops, Sample
from training.datasets.web import Web, sentences

SHARE = 0.4  # of the questions; each costs twice as much as one of the other sets
LONGEST = 700  # characters of a passage
OTHERS = 6  # sentences of other answers in a passage, at most


def reading(claims: Sequence[GoldClaim], web: Web) -> DataSet:
    """A sample for a share of the questions that have an answer."""
    samples = [sample for place, annotated in enumerate(claims) for sample in _samples(place, annotated, web)]
    return DataSet("reading", samples, Drops(), {"share of questions": SHARE, "sentences of others": OTHERS})


def _samples(place: int, annotated: GoldClaim, web: Web) -> Iterator[Sample]:
    for answer in {answer.place: answer for answer in annotated.answers if sentences(answer)}.values():
        draw = hashlib.sha256(f"{annotated.claim.text}\n{answer.question}".encode()).digest()
        if draw[0] < SHARE * 256:
            yield _sample(place, annotated, answer, web, draw[1])


def _sample(place: int, annotated: GoldClaim, answer: GoldAnswer, web: Web, draw: int) -> Sample:
    """``draw`` (0 to 255) decides whether the answer is in its passage, and where."""
    there = draw % 2 == 0
    own = " ".join(sentences(answer)) if there else ""
    around = web.nearest(place, answer, OTHERS)
    while len(around) + there > 1 and len(" ".join([own, *around])) > LONGEST:
        around.pop()  # the farthest; the answer itself stays
    if there:
        around.insert(draw // 2 % (len(around) + 1), own)
    text = " ".join(around)
    found = AnswerReply(source=Source.EVIDENCE, type=answer.type, answer=answer_text(answer))
    nothing = AnswerReply(source=Source.EVIDENCE, type=AnswerType.UNANSWERABLE, answer=NO_ANSWER)
    return Sample(
        id=f"reading-{annotated.claim.id}-{answer.place + 1}",
        label=annotated.label,
        task=AnswerQuestion(
            claim=annotated.claim, question=answer.question, passage=Passage(text=text, url="", page=0, start=0)
        ),
        reply=found if there else nothing,
        kind="answered" if there else "answer left out",
    )
