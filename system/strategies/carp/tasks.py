"""The tasks of CARP (Lo et al., 2026): decompose, plan, state, correct oneself, decide."""

from typing import Annotated, Generic

from pydantic import Field, SerializeAsAny

from system.strategies.carp.records import ClaimGraph, Phase, Plan, Position, Stance, Subclaims, Team
from system.strategies.steps.tasks import VerdictReply
from system.tasks.base import EvidenceTask, R, Reply, Task, Text


class Drafted(Task[R], Generic[R]):
    """Base of the tasks that are drafted, then done (section 3.7).

    Attributes:
        drafts: earlier replies to the same task, to be made into a better one.
    """

    drafts: tuple[SerializeAsAny[Reply], ...] = ()


class DecomposeClaim(Drafted[Subclaims]):
    """Cut the claim into minimal assertions (section 3.3)."""

    name = "decompose_claim"
    reply_type = Subclaims
    max_tokens = 512


class GraphClaim(Drafted[ClaimGraph]):
    """Find what pronouns and other wordings stand for, and how the entities belong together (section 3.3)."""

    name = "graph_claim"
    reply_type = ClaimGraph
    max_tokens = 768

    subclaims: tuple[str, ...]


class RefineSubclaims(Drafted[Subclaims]):
    """Write each subclaim so that it can be understood and verified alone (section 3.3)."""

    name = "refine_subclaims"
    reply_type = Subclaims
    max_tokens = 512

    subclaims: tuple[str, ...]
    graph: ClaimGraph


class PlanVerification(Drafted[Plan]):
    """Plan in which order and how the subclaims are verified (section 3.5, table 4)."""

    name = "plan_verification"
    reply_type = Plan
    max_tokens = 1024

    subclaims: tuple[str, ...]
    graph: ClaimGraph


class StatementReply(Reply):
    """An agent's statement, what it cites, its position and its confidence in percent."""

    statement: Text
    citations: list[int]
    position: Position
    confidence: Annotated[int, Field(ge=0, le=100)]


class AgentTask(Drafted[StatementReply], EvidenceTask[StatementReply]):
    """Base of the tasks of a team's agents; ``agent`` counts within the team."""

    reply_type = StatementReply
    max_tokens = 512

    team: Team


class StateCase(AgentTask):
    """State the team's case on one phase of the plan (section 3.6, initial statement).

    Attributes:
        said: the agent's own statements on earlier phases.
    """

    name = "state_case"

    subclaims: tuple[str, ...]
    phase: Phase
    said: tuple[Stance, ...]


class CorrectOneself(AgentTask):
    """Examine the other team's statements and one's own position (section 3.6, self-correction).

    Attributes:
        own: statements of the agent's own team; ``agent`` says which are its own.
        opposing: statements of the other team.
    """

    name = "correct_oneself"

    plan: Plan
    own: tuple[Stance, ...]
    opposing: tuple[Stance, ...]


class DecideBetweenTeams(Drafted[VerdictReply], EvidenceTask[VerdictReply]):
    """Give the verdict on the whole record, as a neutral moderator (section 3.6).

    Attributes:
        statements: of all agents; without any, plan and evidence decide.
    """

    name = "decide_between_teams"
    reply_type = VerdictReply
    max_tokens = 512

    subclaims: tuple[str, ...]
    plan: Plan
    statements: tuple[Stance, ...]
