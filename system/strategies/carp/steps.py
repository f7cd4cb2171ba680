"""Steps of CARP (Lo et al., 2026): draft and revise, take the claim apart, plan, follow the plan, argue in teams."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from system.case import Case, Step, Unusable
from system.graph.records import Content, Cost, QuestionAnswer, Verdict
from system.graph.thoughts import D, Question, Thought
from system.models.base import Completion, ModelError
from system.strategies.base import options_of
from system.strategies.carp.records import TEAMS, CarpOptions, Check, ClaimGraph, Phase, Plan, Stance, Subclaims, Team
from system.strategies.carp.tasks import (
    CorrectOneself,
    DecideBetweenTeams,
    DecomposeClaim,
    GraphClaim,
    PlanVerification,
    RefineSubclaims,
    StateCase,
    StatementReply,
)
from system.strategies.steps.evidence import SharedEvidence, answer_questions, cited
from system.strategies.steps.verdict import as_verdict
from system.tasks.base import R
from system.text.questions import question_of_statement

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
    tasks, writers = [step.task for step in steps], range(1 + len(case.settings.model.other_models))
    asked = [task.model_copy(update={"agent": task.agent + writer}) for task in tasks for writer in writers]
    written = await case.generate(operation, asked)
    drafts = [written[i : i + len(writers)] for i in range(0, len(written), len(writers))]
    results = [_best(of_task) for of_task in drafts]
    if case.stopwatch.has_time_for(operation):
        usable = [tuple(one.reply for one in of_task if isinstance(one, Completion)) for of_task in drafts]
        revising = [task.model_copy(update={"drafts": replies}) for task, replies in zip(tasks, usable, strict=True)]
        revised = await case.generate(operation, revising)
        results = [_best([result, *of_task]) for result, of_task in zip(revised, drafts, strict=True)]
    return case.keep(operation, steps, results)


def _best(results: Sequence[Completion[R] | ModelError]) -> Completion[R] | ModelError:
    """The first reply that is usable, with the cost of all of them."""
    best = next((result for result in results if isinstance(result, Completion)), results[0])
    return replace(best, cost=Cost.total(result.cost for result in results))


async def _draft_one(case: Case, operation: str, step: Step[R, D], otherwise: D) -> Thought[D]:
    (thought,) = await draft(case, operation, [step])
    return thought or case.graph.add(otherwise, step.parents, operation)


async def decompose(case: Case) -> Thought[Subclaims]:
    """Return the first set of subclaims (section 3.3); the claim itself if the model gave none."""
    step = Step(DecomposeClaim(claim=case.claim), lambda result: result.reply, [case.graph.root])
    return await _draft_one(case, "decompose", step, Subclaims(subclaims=(case.claim.text,)))


async def graph_claim(case: Case, subclaims: Thought[Subclaims]) -> Thought[ClaimGraph]:
    """Return the claim-representation graph (section 3.3); one without entities if the model gave none."""
    task = GraphClaim(claim=case.claim, subclaims=subclaims.content.subclaims)
    return await _draft_one(case, "graph claim", Step(task, lambda result: result.reply, [subclaims]), NO_GRAPH)


async def refine(case: Case, subclaims: Thought[Subclaims], graph: Thought[ClaimGraph]) -> Thought[Subclaims]:
    """Return the subclaims with all references resolved; as they were if refining them failed or lost one."""
    before = subclaims.content

    def refined(result: Completion[Subclaims]) -> Subclaims:
        if len(result.reply.subclaims) != len(before.subclaims):
            raise Unusable(f"expected {len(before.subclaims)} subclaims, got {len(result.reply.subclaims)}")
        return result.reply

    task = RefineSubclaims(claim=case.claim, subclaims=before.subclaims, graph=graph.content)
    return await _draft_one(case, "refine", Step(task, refined, [subclaims, graph]), before)


async def plan(case: Case, subclaims: Thought[Subclaims], graph: Thought[ClaimGraph] | None) -> Thought[Plan]:
    """Return the verification plan (section 3.5); one simple phase if the model gave none that covers all."""
    texts = subclaims.content.subclaims

    def planned(result: Completion[Plan]) -> Plan:
        covered = {step.subclaim for phase in result.reply.phases for step in phase.steps}
        if covered != set(range(1, len(texts) + 1)):
            raise Unusable(f"expected a plan with steps for subclaims 1 to {len(texts)} and no others")
        return result.reply

    task = PlanVerification(claim=case.claim, subclaims=texts, graph=graph.content if graph else NO_GRAPH)
    step = Step(task, planned, [subclaims, graph] if graph else [subclaims])
    return await _draft_one(case, "plan", step, _plan_in_one_phase(texts))


def _plan_in_one_phase(subclaims: Sequence[str]) -> Plan:
    checks = [
        Check(
            subclaim=number,
            action="check_existence",
            strategy="factual lookup",
            evidence_type="any",
            query_hint=text,
            derived_question="",
        )
        for number, text in enumerate(subclaims, start=1)
    ]
    phase = Phase(id=1, goal="Verify all subclaims.", depends_on=(), steps=tuple(checks))
    return Plan(dependencies=(), phases=(phase,), requires_all=True, resolution="The claim needs all of its subclaims.")


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
        task = StateCase(
            **shared_evidence.read_by(case),
            agent=agent,
            team=team,
            subclaims=subclaims.content.subclaims,
            phase=phase,
            said=tuple(s.content for s in own),
        )
        return _turn(case, "state", task, shared_evidence, [*shared_evidence.thoughts, subclaims, *own])

    steps = [step(team, agent) for team in TEAMS for agent in range(TEAM_AGENTS)]
    return [stance for stance in await draft(case, "state", steps) if stance]


async def correct_themselves(
    case: Case, shared_evidence: SharedEvidence, plan: Thought[Plan], record: Statements
) -> list[Thought[Stance]]:
    """Return the positions of all agents after they have read the other team; whether one changed is seen, not asked.

    An agent supported the claim so far if it supported every phase, or one of them if the claim does not need all.
    """
    said = [thought.content for thought in record]

    def step(team: Team, agent: int) -> Step[StatementReply, Stance]:
        task = CorrectOneself(
            **shared_evidence.read_by(case),
            agent=agent,
            team=team,
            plan=plan.content,
            own=tuple(one for one in said if one.team == team),
            opposing=tuple(one for one in said if one.team != team),
        )
        mine = [one.supports for one in task.own if one.agent == agent]
        supported = all(mine) if plan.content.requires_all else any(mine)
        return _turn(case, "correct", task, shared_evidence, record, supported)

    steps = [step(*agent) for agent in dict.fromkeys((one.team, one.agent) for one in said)]
    return [stance for stance in await draft(case, "correct", steps) if stance]


def _turn(
    case: Case,
    operation: str,
    task: StateCase | CorrectOneself,
    shared_evidence: SharedEvidence,
    parents: Sequence[Thought[Content]],
    supported: bool | None = None,
) -> Step[StatementReply, Stance]:
    """A turn of an agent, who supported the claim before or did not; None: it has taken no position yet."""

    def stance(result: Completion[StatementReply]) -> Stance:
        reply = result.reply
        return Stance(
            team=task.team,
            agent=task.agent,
            phase=task.phase.id if isinstance(task, StateCase) else 0,
            text=reply.statement.strip(),
            position=reply.position,
            changed=supported not in (None, reply.position == "SUPPORT"),
            confidence=reply.confidence / 100,
            passages=cited(case, operation, reply.citations, shared_evidence, parents),
        )

    return Step(task, stance, parents, under=case.graph.root)


async def decide_between_teams(
    case: Case, shared_evidence: SharedEvidence, subclaims: Thought[Subclaims], plan: Thought[Plan], record: Statements
) -> Thought[Verdict] | None:
    """The moderator's verdict on the whole record, or if no team spoke by plan and passages alone (section 6).

    None when the model failed.
    """
    task = DecideBetweenTeams(
        **shared_evidence.read_by(case),
        subclaims=subclaims.content.subclaims,
        plan=plan.content,
        statements=tuple(thought.content for thought in record),
    )
    parents: list[Thought[Content]] = [subclaims, plan, *shared_evidence.thoughts, *record]
    (verdict,) = await draft(case, "decide", [Step(task, as_verdict, parents, under=case.graph.root)])
    return verdict
