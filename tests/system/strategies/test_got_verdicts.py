"""The verdict of the graph with a scripted model: votes, ties, one judgement of all evidence, its reasons."""

import asyncio

import pytest

from system.graph.records import AnswerType, Label, QuestionAnswer, Source, Verdict
from system.models.base import Completion
from system.strategies.debate.tasks import Argue
from system.strategies.steps.evidence import as_pair
from system.strategies.steps.tasks import (
    EVIDENCE_QUESTION,
    NEAREST,
    AnswerQuestion,
    AnswerReply,
    AskQuestion,
    JudgeClaim,
    QuestionReply,
    VerdictReply,
)
from system.strategies.steps.verdict import nearest_sentences
from system.text.words import content_stems, sentences
from tests.helpers.bridge import BROKEN, CLAIM, NEI, PAGES, QUESTIONS, BagOfWords, run_got


def judge_by_branch(answers, *labels):
    """Each branch finds its label, in the order of the questions, whatever it has learnt."""

    def judge(request):
        branch = QUESTIONS.index(request.task.pairs[0].question)
        return VerdictReply(justification="So it is.", label=labels[branch])

    answers.replace[JudgeClaim] = judge


@pytest.mark.parametrize("debate", [True, False])
def test_stops_asking_once_most_branches_agree(make_case, answers, debate):
    """Two of three cannot be outvoted; the third has not enough, and neither goes on nor calls for a debate."""
    judge_by_branch(answers, Label.REFUTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)
    case = make_case(graph__branches=3, graph__depth=3, graph__debate=debate)
    outcome = run_got(case)
    assert (outcome.verdict.label, outcome.rounds) == (Label.REFUTED, 1)
    assert not any(isinstance(request.task, Argue) for request in case.model.requests)


def test_continues_if_the_search_must_not_end_early(make_case, answers):
    judge_by_branch(answers, Label.REFUTED, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE)
    case = make_case(graph__branches=3, graph__depth=3, graph__stop_early=False, graph__debate=True)
    assert run_got(case).rounds == 3
    assert any(isinstance(request.task, Argue) for request in case.model.requests)


@pytest.mark.parametrize("third", [Label.NOT_ENOUGH_EVIDENCE, Label.SUPPORTED])
def test_continues_if_only_half_of_the_branches_agree(make_case, answers, third):
    judge_by_branch(answers, Label.REFUTED, Label.NOT_ENOUGH_EVIDENCE, third)
    assert run_got(make_case(graph__branches=3, graph__depth=2)).rounds == 2


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ((Label.SUPPORTED, Label.REFUTED, Label.REFUTED), Label.REFUTED),
        ((Label.NOT_ENOUGH_EVIDENCE, Label.NOT_ENOUGH_EVIDENCE, Label.REFUTED), Label.NOT_ENOUGH_EVIDENCE),
        ((Label.NOT_ENOUGH_EVIDENCE, Label.CONFLICTING), Label.CONFLICTING),  # tie: conclusive first
        ((Label.SUPPORTED, Label.REFUTED), Label.REFUTED),  # tie with equal confidence: the more frequent label
        ((Label.SUPPORTED, Label.CONFLICTING), Label.SUPPORTED),
    ],
)
def test_the_majority_decides_and_ties_have_a_rule(make_case, answers, labels, expected):
    questions = ("When did it open?", "Who built the crossing?", "What was reported that year?")
    answers.replace[AskQuestion] = lambda r: QuestionReply(question=questions[r.task.index])
    by_question = dict(zip(questions, labels, strict=False))
    answers.replace[JudgeClaim] = lambda r: VerdictReply(justification="x", label=by_question[r.task.pairs[0].question])
    case = make_case(graph__branches=len(labels), graph__depth=1, graph__debate=False)
    assert run_got(case).verdict.label is expected


def test_a_tie_goes_to_the_more_confident_side(make_case, answers):
    def judge(request):
        supported = request.task.pairs[0].question.startswith("When")
        return VerdictReply(justification="x", label=Label.SUPPORTED if supported else Label.REFUTED)

    answers.replace[JudgeClaim] = judge
    case = make_case(graph__debate=False)
    generate = case.model.generate

    async def with_confidence(requests):
        results = await generate(requests)
        return [
            Completion(r.reply, confidence=0.9 if getattr(r.reply, "label", None) is Label.SUPPORTED else 0.4)
            for r in results
        ]

    case.model.generate = with_confidence
    outcome = run_got(case)
    assert outcome.verdict.label is Label.SUPPORTED
    assert outcome.verdict.confidence == pytest.approx(0.45)  # half of the branches, 0.9 sure


def pooled(answers, label):
    """The label of the judgement over sentences; branches find the claim supported."""
    verdict = VerdictReply(justification="They say so.", label=label)
    answers.replace[JudgeClaim] = lambda r: verdict if r.task.pairs[0].question == EVIDENCE_QUESTION else None


def test_the_last_judgement_reads_the_nearest_sentences(make_case, answers):
    pooled(answers, Label.REFUTED)
    case = make_case(model__backend="extractive", graph__debate=False)
    run_got(case)
    labeled = [request.task for request in case.model.requests if isinstance(request.task, JudgeClaim)]
    (task,) = [task for task in labeled if task.pairs[0].question == EVIDENCE_QUESTION]
    claim, *nearest = BagOfWords().encode([CLAIM.text, *(pair.answer for pair in task.pairs)])
    near = [float(sentence @ claim) for sentence in nearest]
    pages = dict(PAGES)
    read = {p.url for pair in case.graph.holding(QuestionAnswer) for p in pair.content.passages}
    found = list(dict.fromkeys(s for url in read for s in sentences(pages[url]) if len(content_stems(s)) > 1))
    all_near = sorted((float(vector @ claim) for vector in BagOfWords().encode(found)), reverse=True)
    assert near == pytest.approx(all_near[:NEAREST], abs=1e-4)
    assert all(pair.answer in pages[pair.passages[0].url] for pair in task.pairs)


@pytest.mark.parametrize("own", [False, True])
def test_a_copy_of_the_claim_is_pooled_from_own_documents_alone(make_case, own):
    case = make_case([("https://one.example", f"{CLAIM.text} Builders needed 12 years, says Ines Kort.")])
    case.own = own
    (hit,) = case.index.nearest(CLAIM.text, 1)
    pooled = asyncio.run(nearest_sentences(case, [as_pair("What is said?", hit.passage)]))
    assert [pair.answer for pair in pooled] == [CLAIM.text] * own + ["Builders needed 12 years, says Ines Kort."]


@pytest.mark.parametrize("debate", [False, True])  # there is none where branches agree
@pytest.mark.parametrize("branches", [1, 3])
def test_the_last_judgement_overrides_the_branches(make_case, answers, branches, debate):
    pooled(answers, Label.REFUTED)
    case = make_case(model__backend="extractive", graph__debate=debate, graph__branches=branches)
    outcome = run_got(case)
    *cast, last = case.graph.holding(Verdict)
    assert [verdict.content.label for verdict in cast] == [Label.SUPPORTED] * branches
    assert outcome.verdict == last.content and (last.content.label, last.operation) == (Label.REFUTED, "judge")
    assert set(last.parents) == {verdict.id for verdict in cast}  # branches end in any order


def test_branches_vote_where_nothing_was_found_to_pool(make_case, answers):
    answers.replace[AnswerQuestion] = lambda request: AnswerReply(
        source=Source.EVIDENCE, type=AnswerType.UNANSWERABLE, answer="Nothing."
    )
    answers.replace[JudgeClaim] = lambda request: NEI
    case = make_case(model__backend="extractive", graph__debate=False, graph__depth=1)
    assert run_got(case).verdict.label is Label.NOT_ENOUGH_EVIDENCE
    assert len(case.graph.holding(Verdict)) == 3  # of two branches and their vote


def test_branches_vote_where_the_pooled_judgement_fails(make_case, answers):
    answers.replace[JudgeClaim] = lambda request: (
        BROKEN if request.task.pairs[0].question == EVIDENCE_QUESTION else None
    )
    case = make_case(model__backend="extractive", graph__debate=False)
    assert run_got(case).verdict.label is Label.SUPPORTED
    assert [failure.operation for failure in case.failures] == ["judge"]
