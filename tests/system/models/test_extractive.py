"""The backend without a language model: questions by rule, sentences as answers, the reader's labels."""

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from system.graph.records import NO_ANSWER, Answer, AnswerType, Claim, Label, QuestionAnswer, Source
from system.models.base import Completion, ErrorKind, ModelError, Request
from system.models.extractive import DECIDING, MERGED, ExtractiveModel, ask, in_context, justify
from system.strategies.steps.tasks import AnswerQuestion, AskQuestion, JudgeClaim, MergeAnswers, VerifyAnswer
from system.tasks.base import Reply, Task
from system.text.questions import WHEN, WHERE, questions
from tests.helpers.bridge import CLAIM, PAGES, BagOfWords, passage
from tests.helpers.by_words import ByWords
from tests.helpers.submission_factories import answer, qa

PASSAGES = [passage(text, page=page) for page, (_, text) in enumerate(PAGES)]
ANSWERS = tuple(answer(one.text, cites=one) for one in PASSAGES)
TASKS: list[Task[Reply]] = [
    *(AskQuestion(claim=CLAIM, context=(), index=index) for index in range(3)),
    *(AnswerQuestion(claim=CLAIM, question="When did the bridge open?", passage=passage) for passage in PASSAGES),
    MergeAnswers(claim=CLAIM, question="When did the bridge open?", answers=ANSWERS),
    JudgeClaim(claim=CLAIM, pairs=(qa("When?", ANSWERS[0].text, ANSWERS[0]),)),
]
BRIDGE = passage("Bridges of Halden\n\nWeather was mild. The Aster bridge has many rivets. Tea is served.")


def replies(tasks: list[Task[Reply]]) -> list[Reply]:
    results = asyncio.run(ExtractiveModel(BagOfWords()).generate([Request(task) for task in tasks]))
    assert all(isinstance(result, Completion) for result in results)
    assert all((result.cost.calls, result.cost.tokens_in) == (1, 0) and result.cost.seconds > 0 for result in results)
    return [result.reply for result in results]


def test_a_reply_fits_its_task_and_depends_on_it_alone() -> None:
    together = replies(TASKS)
    assert [type(reply) for reply in together] == [task.reply_type for task in TASKS]
    assert together == [replies([task])[0] for task in TASKS] and replies([]) == []


def test_a_task_that_takes_a_language_model_fails_alone() -> None:
    verify = VerifyAnswer(claim=CLAIM, question="When?", answer=ANSWERS[0])
    error, other = asyncio.run(ExtractiveModel(BagOfWords()).generate([Request(verify), Request(TASKS[0])]))
    assert isinstance(error, ModelError) and error.kind is ErrorKind.BACKEND and "verify_answer" in error.message
    assert isinstance(other, Completion)


def test_a_judgement_reads_the_answers_that_decide_most(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    class Listening(ByWords):
        def labels(self, pairs):
            read.extend(evidence for evidence, _ in pairs)
            return super().labels(pairs)

    monkeypatch.setattr("system.models.extractive.load_reader", lambda name: Listening())
    said, date, *others = answers("It was opened for traffic; a bridge.", "3-5-21", *(f"W{i} here." for i in range(9)))
    date = date.model_copy(update={"source": Source.METADATA})
    pairs = qa("When?", "", date, *others, said), qa("Why?", "", said), QuestionAnswer.unanswered("Where?")
    first, second = replies([JudgeClaim(claim=TRAFFIC, pairs=some) for some in (pairs, pairs[2:])])
    assert read == [*(" ".join(one.text for one in [said, *others][:number]) for number in DECIDING), NO_ANSWER]
    assert (first.label, second.label) == (Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE)
    assert second.justification.startswith("No page was found")


def test_an_answer_is_read_between_the_sentences_around_it() -> None:
    said = ["Two lanes were shut.", "Repairs took a year.", "Ferries ran instead."]
    for before, read in (("Salt " * 90 + "fell.", said), ("Salt fell.", ["Salt fell.", *said])):
        page = passage(" ".join([before, said[0], CLAIM.text, *said[1:], "Tolls rose."]))
        assert in_context(answer(said[0], cites=page), CLAIM) == (*read,)
    assert in_context(answer(page.text, cites=page), CLAIM) == (page.text,)


def test_the_sentence_is_quoted_that_says_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("system.models.extractive.load_reader", lambda name: ByWords())
    page = passage("Salt fell. Cars filled it. Crowds saw the bridge opened for traffic that day. Tolls rose.")
    (reply,) = replies([JudgeClaim(claim=TRAFFIC, pairs=(qa("What?", "", answer("Cars filled it.", cites=page)),))])
    assert "agrees with the claim; most of all: “Crowds saw the bridge opened" in reply.justification


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“In 2017, the  bank earned R17 billion.”", "Is it true that in 2017, the bank earned R17 billion?"),
        ("“Red” is a colour of the sky.", "Is it true that “Red” is a colour of the sky?"),
        ("Wow! Nobody in this town pays any taxes.", "Is it true that nobody in this town pays any taxes?"),
        ("The mayor sold New Mill House to a Swiss bank.", "What is known about New Mill House?"),
    ],
)
def test_questions_are_made_of_a_claims_own_words(text: str, expected: str) -> None:
    assert expected in questions(Claim(id=0, text=text))


def test_speaker_and_date_give_questions_of_provenance() -> None:
    assert questions(CLAIM) == [
        "Is it true that the Aster bridge opened in 1932?",
        "What did Mara Quill say about “Aster bridge opened”?",
        "What is known about “Aster bridge opened”?",  # both topics, and alone, too; it is asked once
        "What evidence is there that the Aster bridge opened in 1932?",
        WHERE,
        WHEN,
    ]
    assert WHEN not in questions(Claim(id=0, text=CLAIM.text))


def test_a_branch_asks_what_it_did_not_ask_and_branches_differ() -> None:
    claim = Claim(id=0, text="The mayor of Leeds sold the Old Mill to a Swiss bank.", speaker="Mara Quill")
    every = questions(claim)
    assert [ask(AskQuestion(claim=claim, context=(), index=i)) for i in range(len(every) + 1)] == [*every, every[0]]
    later = []
    for start in range(3):
        context: list[QuestionAnswer] = []
        for question in every[start:] + every[:start]:
            assert not context or ask(AskQuestion(claim=claim, context=tuple(context), index=0)) == question
            context.append(QuestionAnswer.unanswered(question))
        later.append(context[1].question)
        assert ask(AskQuestion(claim=claim, context=tuple(context), index=50)) in every
    assert len({*later}) == 3


@given(st.text(max_size=150), st.integers(0, 9), st.booleans())
def test_any_claim_gives_a_question(text: str, index: int, later: bool) -> None:
    claim = Claim.model_validate({"text": text})
    context = (QuestionAnswer.unanswered("Is it so?"),) if later else ()
    question = ask(AskQuestion(claim=claim, context=context, index=index))
    assert question.endswith("?") and len(question) > 1


@pytest.mark.parametrize(
    ("question", "text", "expected", "source"),
    [
        ("Was weather mild?", BRIDGE.text, "Weather was mild.", Source.EVIDENCE),
        ("Bridges of Halden?", BRIDGE.text, NO_ANSWER, Source.EVIDENCE),  # a heading
        ("Bridges of Halden?", "Bridges of Halden", "Bridges of Halden", Source.EVIDENCE),  # above nothing
        ("Bridges of Halden?", f"Bridges of Halden\n\n{CLAIM.text}", NO_ANSWER, Source.EVIDENCE),  # above the claim
        ("Who painted ceilings?", BRIDGE.text, NO_ANSWER, Source.EVIDENCE),
        ("When did the Aster bridge open?", CLAIM.text, NO_ANSWER, Source.EVIDENCE),  # only says the claim again
        ("Wurde die Brücke geöffnet?", "Die Brücke über die Aster wurde 1932 geöffnet.", NO_ANSWER, Source.EVIDENCE),
        (WHEN, BRIDGE.text, "3-5-2021", Source.METADATA),
        (WHERE, BRIDGE.text, NO_ANSWER, Source.EVIDENCE),  # the claim has no such metadata
    ],
)
def test_the_answer_is_the_sentence_about_the_question(question, text, expected, source) -> None:
    (reply,) = replies([AnswerQuestion(claim=CLAIM, question=question, passage=passage(text))])
    assert (reply.answer, reply.source) == (expected, source)
    assert (reply.type is AnswerType.UNANSWERABLE) == (expected == NO_ANSWER)


def answers(*texts: str) -> tuple[Answer, ...]:
    return tuple(answer(text, cites=passage(text, page=page)) for page, text in enumerate(texts))


def test_merging_puts_the_nearest_first_and_leaves_repetitions_out() -> None:
    given = answers(
        "Tolls are paid on the bridge.", "The bridge opened in 1932.", "The bridge opened in 1932", "It is."
    )
    (reply,) = replies([MergeAnswers(claim=CLAIM, question="When was the bridge opened in 1932?", answers=given)])
    assert reply.sources[0] in (2, 3) and len({2, 3} & {*reply.sources}) == 1
    assert reply.answer == " ".join(given[number - 1].text for number in reply.sources)
    many = answers(*(f"Word{i} other{i} thing{i}." for i in range(MERGED + 4)))
    assert len(replies([MergeAnswers(claim=CLAIM, question="What?", answers=many)])[0].sources) == MERGED


TRAFFIC = Claim(id=0, text="The bridge was opened for traffic.")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (Label.SUPPORTED, "The evidence agrees with the claim; most of all: “It opened.” (page0.example)."),
        (Label.REFUTED, "The evidence contradicts the claim; most of all: “It is closed.” (page1.example)."),
        (Label.CONFLICTING, "both ways: “It opened.” (page0.example), but also “It is closed.” (page1.example)."),
        (Label.NOT_ENOUGH_EVIDENCE, "does not settle the claim; nearest to it: “It is closed.” (page1.example)."),
    ],
)
def test_reasons_quote_the_answer_that_says_most_of_what_is_said(label: Label, expected: str) -> None:
    scores = np.float32([[0.6, 0.1, 0.3], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    given = answers("It opened.", "It is closed.", "word " * 100)
    assert expected in justify(label, given, scores, lambda one, side: one.text)
    long = justify(label, given[2:], scores[2:], lambda one, side: one.text)
    whole = label in (Label.SUPPORTED, Label.REFUTED)
    assert ("as a whole" if whole else " word word” (page2.example).") in long
    assert ("in part" in long) == (label is Label.CONFLICTING)
