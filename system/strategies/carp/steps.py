"""CARP (Lo et al., 2026): draft and revise, decompose, plan, follow the plan, and let two teams make their cases."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from system.case import Case, Step, Unusable
from system.graph.records import Content, Cost, QuestionAnswer, Verdict
from system.graph.thoughts import D, Question, Thought
from system.models.base import Completion, ModelError
from system.strategies.base import options_of
from system.strategies.carp.records import (
    CarpOptions,
    Check,
    ClaimGraph,
    Phase,
    Plan,
    Position,
    Stance,
    Subclaims,
    Team,
)
from system.strategies.carp.tasks import (
    CorrectionReply,
    CorrectOneself,
    DecideBetweenTeams,
    DecideBetweenTeamsInTwoLabels,
    DecomposeClaim,
    GraphClaim,
    PlanReply,
    PlanVerification,
    RefineSubclaims,
    StateCase,
    StatementReply,
    SubclaimsReply,
)
from system.strategies.steps.evidence import SharedEvidence, answer_questions, cited
from system.strategies.steps.questions import question_of_statement
from system.strategies.steps.verdict import as_verdict
from system.tasks.base import R, Task

TEAM_AGENTS = 2  # that a team has (section 4); with several models they take turns on these
NO_GRAPH = ClaimGraph(entities=(), relations=())
Statements = Sequence[Thought[Stance]]


async def draft(case: Case, operation: str, steps: Sequence[Step[R, D]]) -> list[Thought[D] | None]:
    """Do steps in two stages: drafts, then a final reply that sees them (section 3.7).

    With one model this is self-refinement: a draft and its revision. With several, each writes a draft on its own and
    the agent's own makes one reply of them. Without time for the second stage, or if it fails, the agent's own draft
    stands.
    """
    if not options_of(case, CarpOptions).drafts:
        return await case.think(operation, steps)
    writers = 1 + len(case.settings.model.other_models)
    tasks = [step.task for step in steps]
    asked = [task.model_copy(update={"agent": task.agent + writer}) for task in tasks for writer in range(writers)]
    written = await case.generate(operation, asked)
    drafts = [written[start : start + writers] for start in range(0, len(written), writers)]
    results = [_best(of_task) for of_task in drafts]
    if case.stopwatch.has_time_for(operation):
        revising = [_with_drafts(task, of_task) for task, of_task in zip(tasks, drafts, strict=True)]
        revised = await case.generate(operation, revising)
        results = [_best([result, *of_task]) for result, of_task in zip(revised, drafts, strict=True)]
    return case.keep(operation, steps, results)


def _with_drafts(task: Task[R], results: Sequence[Completion[R] | ModelError]) -> Task[R]:
    replies = tuple(result.reply for result in results if isinstance(result, Completion))
    return task.model_copy(update={"drafts": replies})


def _best(results: Sequence[Completion[R] | ModelError]) -> Completion[R] | ModelError:
    """The first reply that is usable, with the cost of all of them."""
    best = next((result for result in results if isinstance(result, Completion)), results[0])
    return replace(best, cost=Cost.total(result.cost for result in results))


async def decompose(case: Case) -> Thought[Subclaims]:
    """Return the first set of subclaims (section 3.3); the claim itself if the model gave none."""
    root = case.graph.root
    (subclaims,) = await draft(case, "decompose", [Step(DecomposeClaim(claim=case.claim), _subclaims, [root])])
    return subclaims or case.graph.add(Subclaims(subclaims=(case.claim.text,)), [root], "decompose")


async def graph_claim(case: Case, subclaims: Thought[Subclaims]) -> Thought[ClaimGraph]:
    """Return the claim-representation graph (section 3.3); one without entities if the model gave none."""
    task = GraphClaim(claim=case.claim, subclaims=subclaims.content.subclaims)
    step = Step(task, lambda result: ClaimGraph(**dict(result.reply)), [subclaims])
    (graph,) = await draft(case, "graph claim", [step])
    return graph or case.graph.add(NO_GRAPH, [subclaims], "graph claim")


async def refine(case: Case, subclaims: Thought[Subclaims], graph: Thought[ClaimGraph]) -> Thought[Subclaims]:
    """Return the subclaims with all references resolved; as they were if refining them failed or lost one."""
    before = subclaims.content.subclaims

    def refined(result: Completion[SubclaimsReply]) -> Subclaims:
        if len(result.reply.subclaims) != len(before):
            raise Unusable(f"expected {len(before)} subclaims, got {len(result.reply.subclaims)}")
        return _subclaims(result)

    task = RefineSubclaims(claim=case.claim, subclaims=before, graph=graph.content)
    (better,) = await draft(case, "refine", [Step(task, refined, [subclaims, graph])])
    return better or subclaims


def _subclaims(result: Completion[SubclaimsReply]) -> Subclaims:
    return Subclaims(subclaims=result.reply.subclaims)


async def plan(case: Case, subclaims: Thought[Subclaims], graph: Thought[ClaimGraph] | None) -> Thought[Plan]:
    """Return the verification plan (section 3.5); one simple phase if the model gave none that covers all."""
    texts = subclaims.content.subclaims
    parents: list[Thought[Content]] = [subclaims, graph] if graph else [subclaims]

    def planned(result: Completion[PlanReply]) -> Plan:
        if not result.reply.covers(len(texts)):
            raise Unusable(f"expected a plan with steps for subclaims 1 to {len(texts)} and no others")
        return Plan(**dict(result.reply))

    task = PlanVerification(claim=case.claim, subclaims=texts, graph=graph.content if graph else NO_GRAPH)
    (made,) = await draft(case, "plan", [Step(task, planned, parents)])
    return made or case.graph.add(Plan.in_one_phase(texts), parents, "plan")


async def follow(
    case: Case, subclaims: Thought[Subclaims], plan: Thought[Plan], phase: Phase
) -> list[Thought[QuestionAnswer]]:
    """The answers to the questions of a phase's steps, all looked up together (sections 3.4 and 3.5)."""
    wanted = [pair for check in phase.steps for pair in _questions(check, subclaims.content.subclaims)]
    questions = [
        (case.graph.add(Question(text=text), [subclaims, plan], "follow"), query)
        for text, query in dict(wanted).items()  # steps with the same question share its evidence
    ]
    return await answer_questions(case, *questions, by_hops=options_of(case, CarpOptions).multi_hop)


def _questions(check: Check, subclaims: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The questions of a step, each with its query: the implicit one if there is one, then the subclaim itself."""
    if check.derived_question:
        yield check.derived_question, check.derived_question
    yield question_of_statement(subclaims[check.subclaim - 1]), check.query_hint


async def state_cases(
    case: Case, shared_evidence: SharedEvidence, subclaims: Thought[Subclaims], phase: Phase, record: Statements
) -> list[Thought[Stance]]:
    """Return the statements of all agents on one phase (section 3.6); an agent that failed says nothing."""

    def step(team: Team, agent: int) -> Step[StatementReply, Stance]:
        own = [s for s in record if (s.content.team, s.content.agent) == (team, agent)]
        parents: list[Thought[Content]] = [*shared_evidence.thoughts, subclaims, *own]
        task = StateCase(
            claim=case.claim,
            agent=agent,
            pairs=shared_evidence.pairs,
            evidence=shared_evidence.passages,
            team=team,
            subclaims=subclaims.content.subclaims,
            phase=phase,
            said=tuple(s.content for s in own),
        )

        def stated(result: Completion[StatementReply]) -> Stance:
            passages = cited(case, "state", result.reply.citations, shared_evidence, parents)
            return _stance(task, result.reply.statement, result.reply, phase=phase.id, passages=passages)

        return Step(task, stated, parents, under=case.graph.root)

    steps = [step(team, agent) for team in Team for agent in range(TEAM_AGENTS)]
    return [stance for stance in await draft(case, "state", steps) if stance]


async def correct_themselves(
    case: Case, shared_evidence: SharedEvidence, plan: Thought[Plan], record: Statements
) -> list[Thought[Stance]]:
    """Return the positions of all agents after they have read the other team; whether one changed is seen, not asked.

    An agent supported the claim so far if it supported every phase, or one of them if the claim does not need all.
    """

    def step(team: Team, agent: int) -> Step[CorrectionReply, Stance]:
        mine = [
            s.content.position is Position.SUPPORT for s in record if (s.content.team, s.content.agent) == (team, agent)
        ]
        supported = all(mine) if plan.content.requires_all else any(mine)
        task = CorrectOneself(
            claim=case.claim,
            agent=agent,
            pairs=shared_evidence.pairs,
            evidence=shared_evidence.passages,
            team=team,
            plan=plan.content,
            own=tuple(s.content for s in record if s.content.team is team),
            opposing=tuple(s.content for s in record if s.content.team is not team),
        )

        def corrected(result: Completion[CorrectionReply]) -> Stance:
            changed = (result.reply.position is Position.SUPPORT) != supported
            return _stance(task, result.reply.explanation, result.reply, changed=changed)

        return Step(task, corrected, record, under=case.graph.root)

    agents = dict.fromkeys((s.content.team, s.content.agent) for s in record)
    steps = [step(team, agent) for team, agent in agents]
    return [stance for stance in await draft(case, "correct", steps) if stance]


def _stance(
    task: StateCase | CorrectOneself, text: str, reply: StatementReply | CorrectionReply, **others: Any
) -> Stance:
    """The stance of an agent's reply; without a phase, its self-correction."""
    return Stance(
        team=task.team,
        agent=task.agent,
        text=text.strip(),
        position=reply.position,
        confidence=reply.confidence / 100,
        **{"phase": 0, "changed": False, "passages": (), **others},
    )


async def decide_between_teams(
    case: Case, shared_evidence: SharedEvidence, subclaims: Thought[Subclaims], plan: Thought[Plan], record: Statements
) -> Thought[Verdict] | None:
    """The moderator's verdict on the whole record, or where no team spoke by plan and passages alone (section 6).

    None when the model failed.
    """
    kind = DecideBetweenTeamsInTwoLabels if case.settings.graph.two_labels else DecideBetweenTeams
    task = kind(
        claim=case.claim,
        pairs=shared_evidence.pairs,
        evidence=shared_evidence.passages,
        subclaims=subclaims.content.subclaims,
        plan=plan.content,
        statements=tuple(thought.content for thought in record),
    )
    parents: list[Thought[Content]] = [subclaims, plan, *shared_evidence.thoughts, *record]
    (verdict,) = await draft(case, "decide", [Step(task, as_verdict, parents, under=case.graph.root)])
    return verdict
