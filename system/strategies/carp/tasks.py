"""The tasks of CARP and what they leave in the graph (Lo et al., 2026, sections 3.3 to 3.7).

Subclaims, claim graph and plan are what the model replies, and the graph of thoughts holds them as they are.
"""

from typing import Annotated, Generic, Literal, Self

from pydantic import Field, SerializeAsAny, model_validator

from knowledge_store.pages.page import Passage
from system.graph.records import Content, Label, Record, Summary
from system.strategies.steps.tasks import VerdictReply
from system.tasks.base import EvidenceTask, R, Reply, Task, Text

MOST = 8  # subclaims, phases and what refers to them: without a bound a constrained model may never stop
Number = Annotated[int, Field(ge=1, le=MOST)]  # of a subclaim or a phase
Numbers = Annotated[tuple[Number, ...], Field(max_length=MOST)]

Team = Literal["support", "refutation"]
TEAMS: tuple[Team, ...] = ("support", "refutation")
Position = Literal["SUPPORT", "REFUTE"]


class Drafted(Task[R], Generic[R]):
    """Base of the tasks that are drafted, then done: the drafts are made into a better reply (section 3.7)."""

    drafts: tuple[SerializeAsAny[Reply], ...] = ()


class Subclaims(Content, Reply):
    """The claim as minimal assertions that can be verified each on its own."""

    kind = "subclaims"
    letter = "s"

    subclaims: Annotated[tuple[Text, ...], Field(min_length=1, max_length=MOST)]

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        numbered = " ".join(f"{number}. {text}" for number, text in enumerate(self.subclaims, start=1))
        return Summary(heading=self.kind, text=numbered)


class DecomposeClaim(Drafted[Subclaims]):
    """Cut the claim into minimal assertions (section 3.3)."""

    name = "decompose_claim"
    max_tokens = 512


class Entity(Record):
    """Something that the claim is about: its canonical name, every wording that means it, and where it occurs."""

    name: Text
    mentions: Annotated[tuple[str, ...], Field(max_length=MOST)]
    subclaims: Numbers


class Relation(Record):
    """How two entities belong together."""

    subject: Text
    relation: Text
    object: Text


class ClaimGraph(Content, Reply):
    """The claim-representation graph: subclaims, entities and relations, G = (S, E, R)."""

    kind = "claim graph"
    letter = "g"

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        relations = "; ".join(f"{one.subject} — {one.relation} → {one.object}" for one in self.relations)
        return Summary(heading=self.kind, text=relations or ", ".join(entity.name for entity in self.entities))


class GraphClaim(Drafted[ClaimGraph]):
    """Find what pronouns and other wordings stand for, and how the entities belong together (section 3.3)."""

    name = "graph_claim"
    max_tokens = 768

    subclaims: tuple[str, ...]


class RefineSubclaims(Drafted[Subclaims]):
    """Write each subclaim so that it can be understood and verified alone (section 3.3)."""

    name = "refine_subclaims"
    max_tokens = 512

    subclaims: tuple[str, ...]
    graph: ClaimGraph


class Dependency(Record):
    """Why one subclaim is verified before another, or that it need not be."""

    kind: Literal["logical", "temporal", "evidential", "independent"]
    first: Number
    then: Number


class Check(Record):
    """The verification of one subclaim, in the words of the paper's table 4; the derived question may be empty."""

    subclaim: Number
    action: str
    strategy: str
    evidence_type: str
    query_hint: Text
    derived_question: str


class Phase(Record):
    """Subclaims that are verified together, after the phases that this one depends on."""

    id: Number
    goal: str
    depends_on: Numbers
    steps: Annotated[tuple[Check, ...], Field(min_length=1, max_length=MOST)]


class Plan(Content, Reply):
    """The verification plan: phases in their order, whether the claim needs all subclaims, and how they combine."""

    kind = "plan"
    letter = "l"

    dependencies: tuple[Dependency, ...]
    phases: Annotated[tuple[Phase, ...], Field(min_length=1, max_length=MOST)]
    requires_all: bool
    resolution: str

    @model_validator(mode="after")
    def _phases_are_in_order(self) -> Self:
        for number, phase in enumerate(self.phases, start=1):
            if phase.id != number or any(before >= number for before in phase.depends_on):
                raise ValueError("phases are numbered 1, 2, 3, …, and depend on earlier ones only")
        return self

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        return Summary(heading=self.kind, text=" ".join(f"{phase.id}. {phase.goal}" for phase in self.phases))


class PlanVerification(Drafted[Plan]):
    """Plan in which order and how the subclaims are verified (section 3.5, table 4)."""

    name = "plan_verification"
    max_tokens = 1024

    subclaims: tuple[str, ...]
    graph: ClaimGraph


class StatementReply(Reply):
    """An agent's statement, what it cites, its position and its confidence in percent."""

    statement: Text
    citations: list[int]
    position: Position
    confidence: Annotated[int, Field(ge=0, le=100)]


class Stance(Content):
    """The statement of a team's agent on a phase, or on the whole claim (phase 0) after it had read the other team."""

    kind = "stance"
    letter = "t"

    team: Team
    agent: int
    phase: int
    text: str
    position: Position
    changed: bool
    confidence: float
    passages: tuple[Passage, ...]

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        place = f"phase {self.phase}" if self.phase else "self-correction"
        position = f"{self.position.lower()}s the claim{', changed' if self.changed else ''}"
        return Summary(
            heading=f"{self.team} agent {self.agent + 1}, {place}: {position}, {self.confidence:.0%}",
            text=self.text,
            leaning=Label.SUPPORTED if self.position == "SUPPORT" else Label.REFUTED,
        )


class AgentTask(Drafted[StatementReply], EvidenceTask[StatementReply]):
    """Base of the tasks of a team's agents; ``agent`` counts within the team."""

    max_tokens = 512

    team: Team


class StateCase(AgentTask):
    """State the team's case on one phase of the plan, having said something on earlier ones (section 3.6)."""

    name = "state_case"

    subclaims: tuple[str, ...]
    phase: Phase
    said: tuple[Stance, ...]


class CorrectOneself(AgentTask):
    """Examine the opposing team's statements and the position of one's own team (section 3.6, self-correction)."""

    name = "correct_oneself"

    plan: Plan
    own: tuple[Stance, ...]
    opposing: tuple[Stance, ...]


class DecideBetweenTeams(Drafted[VerdictReply], EvidenceTask[VerdictReply]):
    """Give the verdict as a neutral moderator: on all statements, or without any on plan and evidence (section 3.6)."""

    name = "decide_between_teams"
    max_tokens = 512

    subclaims: tuple[str, ...]
    plan: Plan
    statements: tuple[Stance, ...]
