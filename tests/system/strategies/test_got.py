"""The graph with a scripted model: the shape of figure 2, its rounds, its verdict, and what may fail."""

import asyncio
from dataclasses import replace

import pytest

from knowledge_store.settings import BM25_TOP_K
from system.graph.records import AnswerType, Failure, Label, QuestionAnswer, Source, Verdict
from system.graph.thoughts import Hypothetical, Verification
from system.settings import load
from system.strategies.debate.tasks import Argue
from system.strategies.steps.questions import replacements
from system.strategies.steps.tasks import (
    AnswerQuestion,
    AnswerReply,
    AskQuestion,
    JudgeClaim,
    MergeAnswers,
    MergeReply,
    QuestionReply,
    VerdictReply,
    VerificationReply,
    VerifyAnswer,
    WritePassage,
)
from system.strategies.steps.verdict import vote
from tests.helpers.bridge import BROKEN, NEI, PAGES, QUESTIONS, REFUTED, SILENT, BagOfWords, asked, ran, run_check


def test_the_graph_of_figure_2(make_case):
    case, outcome = ran(make_case())
    ids = {thought.id for thought in case.graph}
    assert ids == {
        "claim", "q1", "q2", "q3", "q3.p1",
        "q1.e1", "q1.e2", "q1.e1.a1", "q1.e2.a1", "q1.m1", "q1.v1",
        "q2.e1", "q2.e2", "q2.e1.a1", "q2.e2.a1", "q2.m1", "q2.v1",
        "v1",
    }  # fmt: skip
    assert case.graph["q1.m1"].parents == ("q1.e1.a1", "q1.e2.a1")
    assert case.graph["q1.v1"].parents == ("q1.m1",)
    assert case.graph["v1"].parents == ("q1.v1", "q2.v1")
    assert outcome.verdict.label is Label.SUPPORTED
    assert (outcome.rounds, outcome.branches) == (1, 2)
    first, others = case.model.requests[:3], case.model.requests[3:]
    assert [(r.task.index, r.temperature) for r in first] == [(0, 0.0), (1, 0.7), (2, 0.7)]
    assert len({r.seed for r in first}) == 3 and {r.temperature for r in others} == {0.0}
    assert [pair.question for pair in outcome.pairs] == [case.graph[q].content.text for q in ("q1", "q2")]


def test_not_enough_evidence_asks_again_and_sees_what_was_asked(make_case, answers):
    answers.replace[JudgeClaim] = lambda request: NEI if len(request.task.pairs) == 1 else REFUTED
    case, outcome = ran(make_case())
    assert (outcome.verdict.label, outcome.rounds) == (Label.REFUTED, 2)
    assert case.graph["q1.v1.q1"].parents == ("q1.v1", "q1.m1")
    assert case.graph["q1.v1.q1.v1"].parents == ("q1.v1.q1.m1", "q1.m1")
    contexts = [task.context for task in asked(case, AskQuestion) if task.context and not task.asked]
    seen = sorted([pair.question for pair in context] for context in contexts)
    assert seen == sorted([case.graph[question].content.text] for question in ("q1", "q2"))


def test_a_repeated_follow_up_question_ends_the_branch(make_case, answers):
    answers.replace[JudgeClaim] = lambda _: NEI
    answers.replace[AskQuestion] = lambda r: QuestionReply(question="When did it open?") if r.task.context else None
    case, outcome = ran(make_case(graph__depth=5, graph__branches=1))
    assert outcome.rounds == 2
    pruned = case.graph["q1.v1.q1.v1.q1.p1"]
    assert pruned.parents == ("q1.v1.q1.v1.q1", "q1.v1.q1") and pruned.content.similarity > 0.99
    assert not replacements(case) and len([task for task in asked(case, AskQuestion) if task.asked]) == 2


def test_replaces_duplicates_among_the_first_questions(make_case, make_engine, answers):
    same, near = "When did the Aster bridge open?", "When did the bridge Aster open?"
    others = ("Who paid for the crossing?", "What do locals call it?")
    answers.replace[AskQuestion] = lambda r: QuestionReply(
        question=others[r.task.index - 5] if r.task.index > 4 else near if r.task.index else same
    )
    case, outcome = ran(make_case(graph__branches=3))
    assert outcome.branches == 3
    again = [(task.index, task.asked) for task in asked(case, AskQuestion) if task.asked]
    assert again == [(4, (same,)), (5, (same,)), (6, (same, others[0]))]
    assert [q.content.text for q in replacements(case)] == list(others)
    timing = run_check(make_engine(graph__branches=3))[0].timing
    assert (timing.duplicates, timing.replaced) == (4, 2) and "ask again" in timing.stages


def test_follow_ups_differ_between_branches(make_case, answers):
    """Both branches would ask the same: the second is asked again, and told what was asked."""
    follow_ups = ("Is there a plaque?", "Who cut the ribbon?")
    answers.replace[AskQuestion] = lambda r: (
        QuestionReply(question=follow_ups[bool(r.task.asked)]) if r.task.context else None
    )
    answers.replace[JudgeClaim] = lambda _: NEI
    case, outcome = ran(make_case(graph__branches=2))
    assert outcome.rounds == 2
    (again,) = (task for task in asked(case, AskQuestion) if task.asked)
    assert follow_ups[0] in again.asked and len(again.asked) == 3
    assert [q.content.text for q in replacements(case)] == [follow_ups[1]]


@pytest.mark.parametrize(("number", "reply", "nearest"), [(0, None, 1), (3, None, 2), (3, BROKEN, 1)])
def test_passages_that_the_model_writes_lead_the_search_and_are_no_evidence(make_case, answers, number, reply, nearest):
    answers.replace[WritePassage] = lambda _: reply
    case, outcome = ran(make_case(options={"hypothetical": number}))
    assert [request.temperature for request in case.model.requests[:number]] == [0.0, 0.7, 0.7][:number]
    assert case.graph["q1.e1"].content.passage.url == PAGES[nearest][0]
    assert len(case.graph.holding(Hypothetical)) == (0 if reply else number)
    assert {passage.url for pair in outcome.pairs for passage in pair.passages} <= {url for url, _ in PAGES}


def test_verification_drops_answers_that_do_not_follow(make_case, answers):
    answers.replace[VerifyAnswer] = lambda request: VerificationReply(
        reason="Not there.", entailed="opened" in request.task.answer.text
    )
    case, _ = ran(make_case(graph__verification=True, graph__branches=1, retrieval__top_k=3))
    assert len(case.graph.holding(Verification)) == 3
    pair = case.graph["q1.m1"].content
    assert [answer.passage.url for answer in pair.answers] == ["https://history.example/aster"]


def test_an_answer_may_name_the_metadata_as_its_source(make_case, answers):
    answers.replace[AnswerQuestion] = lambda _: AnswerReply(
        source=Source.METADATA, type=AnswerType.EXTRACTIVE, answer="Mara Quill said it."
    )
    case, outcome = ran(make_case(graph__branches=1))
    assert (outcome.pairs[0].answer, outcome.pairs[0].passages) == ("Mara Quill said it.", ())
    assert outcome.verdict.label is Label.NOT_ENOUGH_EVIDENCE  # whatever the model says
    assert [failure.operation for failure in case.failures] == ["cite"]


def test_passages_that_do_not_answer_are_left_out_of_the_merge(make_case, answers):
    answers.replace[AnswerQuestion] = lambda request: None if "opened" in request.task.passage.text else SILENT
    case, _ = ran(make_case(graph__branches=1, retrieval__top_k=3))
    assert not asked(case, MergeAnswers)
    pair = case.graph["q1.m1"].content
    assert len(pair.answers) == 1 and pair.answered


@pytest.mark.parametrize("sources", [[0], [3], [1, 9]])
def test_a_merge_of_missing_answers_takes_the_first(make_case, answers, sources):
    answers.replace[MergeAnswers] = lambda _: MergeReply(answer="Made up.", sources=sources)
    case, outcome = ran(make_case(graph__branches=1))
    assert outcome.pairs[0].answer == outcome.pairs[0].answers[0].text
    assert "expected source numbers from 1 to 2" in case.failures[0].message


def test_the_timing_adds_up(make_engine):
    result, graph = run_check(make_engine())
    timing = result.timing
    assert set(timing.stages) == {"rank", "ask", "deduplicate", "retrieve", "answer", "merge", "judge"}
    assert all(0 <= seconds <= timing.seconds for seconds in timing.stages.values())
    assert timing.cost.calls == sum(thought.cost.calls for thought in graph) == 3 + 4 + 2 + 2


def test_a_round_embeds_all_branches_in_one_batch(make_engine):
    batches = []

    class Batches(BagOfWords):
        def encode(self, texts):
            batches.append(set(texts))
            return super().encode(texts)

    run_check(replace(make_engine(), encoder=Batches()))
    texts = {text for _, text in PAGES}
    assert [batch for batch in batches if batch & texts] == [texts]


def test_the_papers_profile_embeds_all_and_never_stops_early(make_case, answers):
    profile = load("paper", {})
    assert profile.retrieval.dense_candidates >= BM25_TOP_K == 3000
    labels = iter([Label.SUPPORTED, Label.SUPPORTED, *[Label.NOT_ENOUGH_EVIDENCE] * 20])
    answers.replace[JudgeClaim] = lambda _: VerdictReply(justification="So.", label=next(labels))
    case, outcome = ran(make_case(**{f"graph__{name}": value for name, value in profile.graph.model_dump().items()}))
    assert not asked(case, Argue)
    assert (outcome.verdict.label, outcome.rounds, outcome.branches) == (Label.SUPPORTED, profile.graph.depth, 3)


def test_passages_that_add_nothing_are_counted_and_answer_nothing(make_engine):
    bare = ("https://bare.example", "Officials confirm that the Aster bridge did open that year.")
    result, _ = run_check(make_engine(), [bare, *PAGES])
    assert result.flaws["passage that adds nothing to the claim"] == 1
    assert bare[0] not in {answer.passage.url for pair in result.pairs for answer in pair.answers if answer.passage}


@pytest.mark.parametrize("task", [AskQuestion, AnswerQuestion, MergeAnswers, JudgeClaim])
def test_one_failed_request_costs_only_itself(make_case, answers, task):
    replies = iter([BROKEN])
    answers.replace[task] = lambda _: next(replies, None)
    case, outcome = ran(make_case())
    assert outcome.verdict.label is Label.SUPPORTED
    assert [failure.message for failure in case.failures] == ["backend error: expected a reply, got none"]
    assert len(case.graph.holding(Failure)) == 1


def test_a_model_that_never_asks_leaves_the_claim_as_question(make_case, answers):
    answers.replace[AskQuestion] = lambda _: BROKEN
    case, outcome = ran(make_case())
    assert outcome.pairs[0].question == "Is it true that the Aster bridge opened in 1932?"
    assert outcome.verdict.label is Label.SUPPORTED
    assert len(case.failures) == 3


def test_no_round_starts_without_enough_time(make_engine, answers):
    async def slow(request):
        await asyncio.sleep(0.25)
        return NEI

    answers.replace[JudgeClaim] = slow
    result, _ = run_check(make_engine(run__budget=0.5, graph__depth=9))
    assert result.timing.rounds == 1 and result.timing.cut_short


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
    labels = dict(zip(QUESTIONS, (Label.REFUTED, third, NEE), strict=True))
    answers.replace[JudgeClaim] = lambda r: VerdictReply(justification="So.", label=labels[r.task.pairs[0].question])
    case, outcome = ran(make_case(graph__branches=3, graph__depth=3, **changes))
    assert outcome.rounds == rounds and bool(asked(case, Argue)) is debated


@pytest.mark.parametrize(
    ("cast", "expected"),
    [
        ([(Label.SUPPORTED, 1.0), (Label.REFUTED, 1.0), (Label.REFUTED, 1.0)], (Label.REFUTED, 2 / 3)),
        ([(NEE, 1.0), (NEE, 1.0), (Label.REFUTED, 1.0)], (NEE, 2 / 3)),
        ([(NEE, 1.0), (Label.CONFLICTING, 1.0)], (Label.CONFLICTING, 0.5)),  # tie: conclusive first
        ([(Label.SUPPORTED, 0.9), (Label.REFUTED, 0.4)], (Label.SUPPORTED, 0.45)),  # then the more confident
        ([(Label.SUPPORTED, 1.0), (Label.REFUTED, 1.0)], (Label.REFUTED, 0.5)),  # then the more frequent label
        ([(Label.SUPPORTED, 1.0), (Label.CONFLICTING, 1.0)], (Label.SUPPORTED, 0.5)),
    ],
)
def test_the_majority_decides_and_ties_have_a_rule(make_case, cast, expected):
    case = make_case()
    contents = [Verdict(label=label, justification="So.", confidence=sure) for label, sure in cast]
    merged = vote(case, [case.graph.add(content, [case.graph.root], "judge") for content in contents]).content
    assert (merged.label, pytest.approx(merged.confidence)) == expected


@pytest.mark.parametrize("debate", [False, True])  # there is none where branches agree
@pytest.mark.parametrize("branches", [2, 3])
def test_a_last_judgement_of_what_all_branches_found_overrides_them(make_case, answers, branches, debate):
    pooled = VerdictReply(justification="They say so.", label=Label.REFUTED)
    answers.replace[JudgeClaim] = lambda r: pooled if len(r.task.pairs) > 1 else None
    case, outcome = ran(make_case(model__backend="extractive", graph__debate=debate, graph__branches=branches))
    *cast, last = case.graph.holding(Verdict)
    assert [verdict.content.label for verdict in cast] == [Label.SUPPORTED] * branches
    assert outcome.verdict == last.content and (last.content.label, last.operation) == (Label.REFUTED, "judge")
    assert set(last.parents) == {verdict.id for verdict in cast}  # branches end in any order
    (task,) = [task for task in asked(case, JudgeClaim) if len(task.pairs) > 1]
    found = {pair.content.question for pair in case.graph.holding(QuestionAnswer) if pair.content.answered}
    assert {pair.question for pair in task.pairs} == found


@pytest.mark.parametrize("found", [True, False])
def test_branches_vote_if_there_is_no_pooled_judgement(make_case, answers, found):
    answers.replace[JudgeClaim] = lambda r: BROKEN if len(r.task.pairs) > 1 else None
    answers.replace[AnswerQuestion] = lambda _: None if found else SILENT
    case, _ = ran(make_case(model__backend="extractive", graph__debate=False))
    assert len(case.graph.holding(Verdict)) == 3  # of two branches and their vote
    assert [failure.operation for failure in case.failures] == (["judge"] if found else ["cite"])
