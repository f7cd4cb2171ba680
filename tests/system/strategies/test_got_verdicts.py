"""The verdict of the graph with a scripted model: votes, ties, one judgement of all evidence, its reasons."""

import pytest

from system.graph.records import AnswerType, Label, QuestionAnswer, Source, Verdict
from system.models.base import Completion
from system.strategies.debate.tasks import Argue
from system.strategies.steps.tasks import (
    AnswerQuestion,
    AnswerReply,
    JudgeClaim,
    VerdictReply,
)
from tests.helpers.bridge import BROKEN, QUESTIONS, asked, run_got


def judge_by_branch(answers, *labels):
    """Each branch finds its label, in the order of the questions, whatever it has learnt."""

    def judge(request):
        branch = QUESTIONS.index(request.task.pairs[0].question)
        return VerdictReply(justification="So it is.", label=labels[branch])

    answers.replace[JudgeClaim] = judge


NEE = Label.NOT_ENOUGH_EVIDENCE


@pytest.mark.parametrize(
    ("third", "changes", "rounds", "debated"),
    [
        (Label.REFUTED, {"graph__debate": False}, 1, False),  # two of three cannot be outvoted
        (Label.REFUTED, {"graph__debate": True}, 1, False),
        (Label.REFUTED, {"graph__debate": True, "graph__stop_early": False}, 3, True),
        (NEE, {"graph__debate": False}, 3, False),
        (Label.SUPPORTED, {"graph__debate": False}, 3, False),
    ],
)
def test_stops_asking_once_most_branches_agree(make_case, answers, third, changes, rounds, debated):
    judge_by_branch(answers, Label.REFUTED, third, NEE)
    case = make_case(graph__branches=3, graph__depth=3, **changes)
    outcome = run_got(case)
    assert outcome.rounds == rounds and bool(asked(case, Argue)) is debated


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
    judge_by_branch(answers, *labels)
    case = make_case(graph__branches=len(labels), graph__depth=1, graph__debate=False)
    assert run_got(case).verdict.label is expected


def test_a_tie_goes_to_the_more_confident_side(make_case, answers):
    judge_by_branch(answers, Label.SUPPORTED, Label.REFUTED)
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
    """The label of the judgement over all branches; each alone finds the claim supported."""
    verdict = VerdictReply(justification="They say so.", label=label)
    answers.replace[JudgeClaim] = lambda r: verdict if len(r.task.pairs) > 1 else None


def test_the_last_judgement_reads_what_all_branches_found(make_case, answers):
    pooled(answers, Label.REFUTED)
    case = make_case(model__backend="extractive", graph__debate=False)
    run_got(case)
    (task,) = [task for task in asked(case, JudgeClaim) if len(task.pairs) > 1]
    assert {pair.question for pair in task.pairs} == {
        pair.content.question for pair in case.graph.holding(QuestionAnswer) if pair.content.answered
    }


@pytest.mark.parametrize("debate", [False, True])  # there is none where branches agree
@pytest.mark.parametrize("branches", [2, 3])
def test_the_last_judgement_overrides_the_branches(make_case, answers, branches, debate):
    pooled(answers, Label.REFUTED)
    case = make_case(model__backend="extractive", graph__debate=debate, graph__branches=branches)
    outcome = run_got(case)
    *cast, last = case.graph.holding(Verdict)
    assert [verdict.content.label for verdict in cast] == [Label.SUPPORTED] * branches
    assert outcome.verdict == last.content and (last.content.label, last.operation) == (Label.REFUTED, "judge")
    assert set(last.parents) == {verdict.id for verdict in cast}  # branches end in any order


@pytest.mark.parametrize("found", [True, False])
def test_branches_vote_if_there_is_no_pooled_judgement(make_case, answers, found):
    answers.replace[JudgeClaim] = lambda r: BROKEN if len(r.task.pairs) > 1 else None
    nothing = AnswerReply(source=Source.EVIDENCE, type=AnswerType.UNANSWERABLE, answer="Nothing.")
    answers.replace[AnswerQuestion] = lambda _: None if found else nothing
    case = make_case(model__backend="extractive", graph__debate=False)
    run_got(case)
    assert len(case.graph.holding(Verdict)) == 3  # of two branches and their vote
    assert [failure.operation for failure in case.failures] == (["judge"] if found else ["cite"])
