"""Teams: statements for and against, self-correction, and the moderator's verdict (CARP, section 3.6)."""

from collections.abc import Sequence

from system.case import Case
from system.claim_analysis import Phase, Plan, Position, Stance, Subclaims, Team
from system.models.base import ModelError
from system.operations.draft import draft
from system.operations.exhibits import Exhibits, cited
from system.records import Content, Verdict
from system.tasks.carp import CorrectOneself, DecideBetweenTeams, DecideBetweenTeamsInTwoLabels, StateCase
from system.thoughts import Thought

Record = Sequence[Thought[Stance]]


async def state_cases(
    case: Case, exhibits: Exhibits, subclaims: Thought[Subclaims], phase: Phase, record: Record
) -> list[Thought[Stance]]:
    """The statements of all agents of both teams on one phase; an agent that failed says nothing."""
    tasks = [
        StateCase(
            claim=case.claim,
            agent=agent,
            pairs=exhibits.pairs,
            evidence=exhibits.passages,
            team=team,
            subclaims=subclaims.content.subclaims,
            phase=phase,
            said=tuple(s.content for s in record if (s.content.team, s.content.agent) == (team, agent)),
        )
        for team in Team
        for agent in range(case.settings.carp.team_agents)
    ]
    stances = []
    for task, result in zip(tasks, await draft(case, "state", tasks, alone=True), strict=True):
        parents = [*exhibits.thoughts, subclaims, *(s for s in record if s.content in task.said)]
        if isinstance(result, ModelError):
            case.fail("state", result, parents)
            continue
        reply = result.reply
        stance = Stance(
            team=task.team,
            agent=task.agent,
            phase=phase.id,
            text=reply.statement.strip(),
            position=reply.position,
            changed=False,
            confidence=reply.confidence / 100,
            passages=cited(case, "state", reply.citations, exhibits, parents),
        )
        stances.append(case.graph.add(stance, parents, "state", result.cost, under=case.graph.root))
    return stances


async def correct_themselves(case: Case, exhibits: Exhibits, record: Record) -> list[Thought[Stance]]:
    """The positions of all agents after they have read the other team; whether one changed is seen, not asked."""
    tasks = [
        CorrectOneself(
            claim=case.claim,
            agent=agent,
            pairs=exhibits.pairs,
            evidence=exhibits.passages,
            team=team,
            own=tuple(s.content for s in record if s.content.team is team),
            opposing=tuple(s.content for s in record if s.content.team is not team),
        )
        for team, agent in dict.fromkeys((s.content.team, s.content.agent) for s in record)
    ]
    stances = []
    for task, result in zip(tasks, await draft(case, "correct", tasks, alone=True), strict=True):
        if isinstance(result, ModelError):
            case.fail("correct", result, record)
            continue
        stance = Stance(
            team=task.team,
            agent=task.agent,
            phase=0,
            text=result.reply.explanation.strip(),
            position=result.reply.position,
            changed=result.reply.position is not _held(task),
            confidence=result.reply.confidence / 100,
            passages=(),
        )
        stances.append(case.graph.add(stance, record, "correct", result.cost, under=case.graph.root))
    return stances


async def decide_between_teams(
    case: Case, exhibits: Exhibits, subclaims: Thought[Subclaims], plan: Thought[Plan], record: Record
) -> Thought[Verdict] | None:
    """The moderator's verdict on the whole record; None when the model failed."""
    parents: list[Thought[Content]] = [subclaims, plan, *exhibits.thoughts, *record]
    kind = DecideBetweenTeamsInTwoLabels if case.settings.carp.two_labels else DecideBetweenTeams
    task = kind(
        claim=case.claim,
        pairs=exhibits.pairs,
        evidence=exhibits.passages,
        subclaims=subclaims.content.subclaims,
        resolution=plan.content.resolution,
        statements=tuple(thought.content for thought in record),
    )
    (result,) = await draft(case, "decide", [task])
    if isinstance(result, ModelError):
        case.fail("decide", result, parents)
        return None
    reply, confidence = result.reply, result.confidence
    verdict = Verdict(label=reply.label, justification=reply.justification.strip(), confidence=confidence)
    return case.graph.add(verdict, parents, "decide", result.cost, under=case.graph.root)


def _held(task: CorrectOneself) -> Position:
    """The position an agent's statements amount to: SUPPORT if it supported every phase."""
    own = [stance.position for stance in task.own if stance.agent == task.agent]
    return Position.REFUTE if Position.REFUTE in own else Position.SUPPORT
