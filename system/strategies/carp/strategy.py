"""CARP (Lo et al., 2026, figure 1): decompose, plan, retrieve by phases, teams for and against, a moderator.

Each reply is drafted, then revised. A component that fails is replaced by the simplest one that does its work.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeVar

from pydantic import Field

from system.case import Case, Outcome, Step, Unusable
from system.deadline import DeadlineExpired
from system.graph.records import Content, Cost, QuestionAnswer, Record, Verdict
from system.graph.thoughts import D, Question, Thought
from system.models.base import Completion, ModelError
from system.strategies.base import options_of, strategy
from system.strategies.carp import tasks
from system.strategies.carp.tasks import TEAMS, ClaimGraph, Phase, Plan, Stance, StatementReply, Subclaims
from system.strategies.steps.evidence import SharedEvidence, answer_questions, gather, share_evidence
from system.strategies.steps.verdict import as_verdict, conclude
from system.tasks.base import R
from system.text.questions import question_of_statement

TEAM_AGENTS = 2  # that a team has (section 4); with several models they take turns on these
NO_GRAPH = ClaimGraph(entities=(), relations=())
Part = TypeVar("Part", Subclaims, ClaimGraph, Plan)  # of the analysis: a reply, and what a thought holds


class CarpOptions(Record):
    """Parts of CARP (section 6) that an ablation leaves out."""

    claim_graph: bool = Field(True, description="resolve references between subclaims by a claim-representation graph")
    self_correction: bool = Field(True, description="let the teams read each other and change their positions")
    drafts: bool = Field(True, description="draft each reply, then revise it")
    multi_hop: bool = Field(True, description="search along chains of passages")


@strategy(uses=("verification", "debate", "evidence"), options=CarpOptions)
async def carp(case: Case) -> Outcome:
    """Check a claim by its subclaims, with teams of agents that argue against each other."""
    return await conclude(case, _verdict(case))


async def _verdict(case: Case) -> Thought[Verdict] | None:
    options, retrieves = options_of(case, CarpOptions), case.settings.debate.evidence == "retrieved"
    subclaims, graph = await analyze(case, with_graph=options.claim_graph)
    plan = await make_plan(case, subclaims, graph)
    examined = Examination(case, subclaims, plan, [] if retrieves else await gather(case))
    for phase in plan.content.phases:
        if retrieves:
            await examined.follow(phase, by_hops=options.multi_hop)
        if case.settings.graph.debate:
            await examined.state_cases(phase)
    if examined.statements and options.self_correction and case.stopwatch.has_time_for("state", "state"):
        await examined.correct_positions()
    return await examined.decide()


async def draft(case: Case, operation: str, steps: Sequence[Step[R, D]]) -> list[Thought[D] | None]:
    """Do steps in two stages: drafts, then a final reply that sees them (section 3.7).

    One model refines its own draft; of several each drafts, and the agent's own makes one reply of the drafts. Without
    time for the second stage, or if it fails, the agent's own draft stands.
    """
    if not options_of(case, CarpOptions).drafts:
        return await case.think(operation, steps)
    asked, writers = [step.task for step in steps], range(1 + len(case.settings.model.other_models))
    drafting = [task.model_copy(update={"agent": task.agent + writer}) for task in asked for writer in writers]
    written = await case.generate(operation, drafting)
    drafts = [written[i : i + len(writers)] for i in range(0, len(written), len(writers))]
    if case.stopwatch.has_time_for(operation):
        usable = [tuple(one.reply for one in of_task if isinstance(one, Completion)) for of_task in drafts]
        revising = [task.model_copy(update={"drafts": replies}) for task, replies in zip(asked, usable, strict=True)]
        with suppress(DeadlineExpired):
            revised = await case.generate(operation, revising)
            drafts = [[result, *of_task] for result, of_task in zip(revised, drafts, strict=True)]
    return case.keep(operation, steps, [_best(of_task) for of_task in drafts])


def _best(results: Sequence[Completion[R] | ModelError]) -> Completion[R] | ModelError:
    """The first reply that is usable, with the cost of all of them."""
    best = next((result for result in results if isinstance(result, Completion)), results[0])
    return replace(best, cost=Cost.total(result.cost for result in results))


async def _draft_one(
    case: Case,
    operation: str,
    task: tasks.Drafted[Part],
    parents: Sequence[Thought[Content]],
    otherwise: Part,
    check: Callable[[Part], None] = lambda reply: None,
) -> Thought[Part]:
    """The reply to a task as a thought; ``otherwise``, if the model failed or ``check`` raises ``Unusable``."""

    def checked(result: Completion[Part]) -> Part:
        check(result.reply)
        return result.reply

    (thought,) = await draft(case, operation, [Step(task, checked, parents)])
    return thought or case.graph.add(otherwise, parents, operation)


async def analyze(case: Case, *, with_graph: bool) -> tuple[Thought[Subclaims], Thought[ClaimGraph] | None]:
    """Return the subclaims, with references resolved by the claim-representation graph if wanted (section 3.3).

    Without a reply they are the claim itself; they stay as they were if refining them failed or lost one.
    """
    task, itself = tasks.DecomposeClaim(claim=case.claim), Subclaims(subclaims=(case.claim.text,))
    subclaims = await _draft_one(case, "decompose", task, [case.graph.root], itself)
    if not with_graph:
        return subclaims, None
    texts = subclaims.content.subclaims

    def as_many(refined: Subclaims) -> None:
        if len(refined.subclaims) != len(texts):
            raise Unusable(f"expected {len(texts)} subclaims, got {len(refined.subclaims)}")

    drawing = tasks.GraphClaim(claim=case.claim, subclaims=texts)
    graph = await _draft_one(case, "graph claim", drawing, [subclaims], NO_GRAPH)
    refining = tasks.RefineSubclaims(claim=case.claim, subclaims=texts, graph=graph.content)
    return await _draft_one(case, "refine", refining, [subclaims, graph], subclaims.content, as_many), graph


async def make_plan(case: Case, subclaims: Thought[Subclaims], graph: Thought[ClaimGraph] | None) -> Thought[Plan]:
    """Return the verification plan (section 3.5); one simple phase if the model gave none that covers all."""
    texts = subclaims.content.subclaims

    def covers_all(plan: Plan) -> None:
        if {step.subclaim for phase in plan.phases for step in phase.steps} != set(range(1, len(texts) + 1)):
            raise Unusable(f"expected a plan with steps for subclaims 1 to {len(texts)} and no others")

    task = tasks.PlanVerification(claim=case.claim, subclaims=texts, graph=graph.content if graph else NO_GRAPH)
    parents = [subclaims, graph] if graph else [subclaims]
    return await _draft_one(case, "plan", task, parents, _plan_in_one_phase(texts), covers_all)


def _plan_in_one_phase(subclaims: Sequence[str]) -> Plan:
    how = {"action": "check_existence", "strategy": "factual lookup", "evidence_type": "any", "derived_question": ""}
    checks = [tasks.Check(subclaim=number, query_hint=text, **how) for number, text in enumerate(subclaims, start=1)]
    phase = Phase(id=1, goal="Verify all subclaims.", depends_on=(), steps=tuple(checks))
    return Plan(dependencies=(), phases=(phase,), requires_all=True, resolution="The claim needs all of its subclaims.")


@dataclass
class Examination:
    """A claim taken apart, with its plan, the answers that were found so far, and what the teams said."""

    case: Case
    subclaims: Thought[Subclaims]
    plan: Thought[Plan]
    pairs: list[Thought[QuestionAnswer]]
    statements: list[Thought[Stance]] = field(default_factory=list)

    async def follow(self, phase: Phase, *, by_hops: bool) -> None:
        """Answer the questions of a phase's steps, all looked up together (sections 3.4 and 3.5)."""
        queries: dict[str, str] = {}  # by question: the implicit one of a step, then its subclaim; none is asked twice
        for step in phase.steps:
            if step.derived_question:
                queries[step.derived_question] = step.derived_question
            queries[question_of_statement(self.subclaims.content.subclaims[step.subclaim - 1])] = step.query_hint
        parents = [self.subclaims, self.plan]
        asked = [self.case.graph.add(Question(text=question), parents, "follow") for question in queries]
        self.pairs += await answer_questions(self.case, *zip(asked, queries.values(), strict=True), by_hops=by_hops)

    async def state_cases(self, phase: Phase) -> None:
        """Have all agents state their team's case on one phase (section 3.6); an agent that failed says nothing."""
        evidence, texts = share_evidence(self.case, self.pairs), self.subclaims.content.subclaims
        steps = []
        for team, agent in product(TEAMS, range(TEAM_AGENTS)):
            own = [one for one in self.statements if (one.content.team, one.content.agent) == (team, agent)]
            said = tuple(thought.content for thought in own)
            task = tasks.StateCase(**evidence.read, agent=agent, team=team, subclaims=texts, phase=phase, said=said)
            steps.append(self._turn(task, evidence, [*evidence.thoughts, self.subclaims, *own]))
        self.statements += [stance for stance in await draft(self.case, "state", steps) if stance]

    async def correct_positions(self) -> None:
        """Have all agents read the other team and give their positions; whether one changed is seen, not asked.

        An agent supported the claim so far if it supported every phase, or one of them if the claim does not need all.
        """
        evidence, plan = share_evidence(self.case, self.pairs), self.plan.content
        said = [thought.content for thought in self.statements]
        steps = []
        for team, agent in dict.fromkeys((one.team, one.agent) for one in said):
            own, opposing = (tuple(one for one in said if (one.team == team) is ours) for ours in (True, False))
            task = tasks.CorrectOneself(**evidence.read, agent=agent, team=team, plan=plan, own=own, opposing=opposing)
            supported = [one.position == "SUPPORT" for one in own if one.agent == agent]
            before = "SUPPORT" if (all if plan.requires_all else any)(supported) else "REFUTE"
            steps.append(self._turn(task, evidence, self.statements, before))
        self.statements += [stance for stance in await draft(self.case, "correct", steps) if stance]

    def _turn(
        self, task: tasks.AgentTask, evidence: SharedEvidence, parents: Sequence[Thought[Content]], before: str = ""
    ) -> Step[StatementReply, Stance]:
        """A turn of an agent, whose position before may have been another."""
        operation, phase = ("state", task.phase.id) if isinstance(task, tasks.StateCase) else ("correct", 0)

        def stance(result: Completion[StatementReply]) -> Stance:
            reply = result.reply
            return Stance(
                team=task.team,
                agent=task.agent,
                phase=phase,
                text=reply.statement.strip(),
                position=reply.position,
                changed=before not in ("", reply.position),
                confidence=reply.confidence / 100,
                passages=evidence.cited(self.case, operation, reply.citations, parents),
            )

        return Step(task, stance, parents, under=self.case.graph.root)

    async def decide(self) -> Thought[Verdict] | None:
        """The moderator's verdict on all statements, or without any on plan and passages (section 6)."""
        evidence, texts = share_evidence(self.case, self.pairs), self.subclaims.content.subclaims
        said = tuple(thought.content for thought in self.statements)
        task = tasks.DecideBetweenTeams(**evidence.read, subclaims=texts, plan=self.plan.content, statements=said)
        parents: list[Thought[Content]] = [self.subclaims, self.plan, *evidence.thoughts, *self.statements]
        step = Step(task, as_verdict, parents, under=self.case.graph.root)
        (verdict,) = await draft(self.case, "decide", [step])
        return verdict
