"""Records of CARP: its options, the claim taken apart, the plan, the teams (Lo et al., 2026, sections 3.3 to 3.6)."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from knowledge_store.pages.page import Passage
from system.graph.records import Content, Label, Record, Summary

Line = Annotated[str, Field(min_length=1)]
MOST = 8
"""Subclaims, phases and what refers to them, at most: without a bound a constrained model may never stop."""
Number = Annotated[int, Field(ge=1, le=MOST)]
"""Of a subclaim or a phase, counted from 1."""
Numbers = Annotated[tuple[Number, ...], Field(max_length=MOST)]


class CarpOptions(Record):
    """Parts of CARP (section 6) that an ablation leaves out."""

    claim_graph: bool = Field(True, description="resolve references between subclaims by a claim-representation graph")
    self_correction: bool = Field(True, description="let the teams read each other and change their positions")
    drafts: bool = Field(True, description="draft each reply, then revise it")
    multi_hop: bool = Field(True, description="search along chains of passages")


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


class Subclaims(Content):
    """The claim as minimal assertions that can be verified each on its own."""

    kind = "subclaims"
    letter = "s"

    subclaims: Annotated[tuple[Line, ...], Field(min_length=1, max_length=MOST)]

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        numbered = " ".join(f"{number}. {text}" for number, text in enumerate(self.subclaims, start=1))
        return Summary(heading=_counted(len(self.subclaims), "subclaim"), text=numbered)


class Entity(Record):
    """Something that the claim is about: its canonical name, every wording that means it, and where it occurs."""

    name: Line
    mentions: Annotated[tuple[str, ...], Field(max_length=MOST)]
    subclaims: Numbers


class Relation(Record):
    """How two entities belong together."""

    subject: Line
    relation: Line
    object: Line


class ClaimGraph(Content):
    """The claim-representation graph: subclaims, entities and relations, G = (S, E, R)."""

    kind = "claim graph"
    letter = "g"

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        counts = _counted(len(self.entities), "entity", "entities"), _counted(len(self.relations), "relation")
        relations = "; ".join(f"{one.subject} — {one.relation} → {one.object}" for one in self.relations)
        names = ", ".join(entity.name for entity in self.entities)
        return Summary(heading=f"{self.kind}: {', '.join(counts)}", text=relations or names)


class DependencyKind(StrEnum):
    """Why one subclaim is verified before another, or that it need not be."""

    LOGICAL = "logical"
    TEMPORAL = "temporal"
    EVIDENTIAL = "evidential"
    INDEPENDENT = "independent"


class Dependency(Record):
    """How two subclaims depend on each other."""

    kind: DependencyKind
    first: Number
    then: Number


class Action(StrEnum):
    """An action that verifies a subclaim."""

    ENTITY_PROPERTY = "check_entity_property"
    EXISTENCE = "check_existence"
    DEFINITION = "check_definition"
    RELATIONSHIP = "check_relationship"
    AFFILIATION = "check_affiliation"
    LOCATION = "check_location"
    EVENT_OCCURRENCE = "check_event_occurrence"
    TEMPORAL_FACT = "check_temporal_fact"
    SEQUENCE = "check_sequence"
    STATISTICAL_FACT = "check_statistical_fact"
    CAUSAL_CLAIM = "check_causal_claim"
    COMPARISON = "check_comparison"
    QUOTE_CLAIM = "check_quote_claim"
    INFER = "infer_question_answering"


class Method(StrEnum):
    """How it is done; the paper calls it the strategy."""

    FACTUAL_LOOKUP = "factual lookup"
    LOGICAL_REASONING = "logical reasoning"
    TEMPORAL_VALIDATION = "temporal validation"
    CROSS_REFERENCING = "cross-referencing"
    AGGREGATION = "aggregation and counting"
    CONSTRAINT_CHECKING = "constraint checking"


class Check(Record):
    """The verification of one subclaim.

    Attributes:
        derived_question: the implicit question that must be answered first, or empty.
    """

    subclaim: Number
    action: Action
    strategy: Method
    evidence_type: str
    query_hint: Line
    derived_question: str


class Phase(Record):
    """Subclaims that are verified together, after the phases that this one depends on."""

    id: Number
    goal: str
    depends_on: Numbers
    steps: Annotated[tuple[Check, ...], Field(min_length=1, max_length=MOST)]


class Plan(Content):
    """The verification plan; its phases are carried out in their order.

    Attributes:
        dependencies: the logical and temporal ones bind the order of the phases.
        requires_all: whether the claim needs all of its subclaims.
        resolution: how the verdicts on the subclaims combine.
    """

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
        at = {step.subclaim: phase.id for phase in self.phases for step in phase.steps}
        for one in self.dependencies:
            ordered = one.kind in (DependencyKind.LOGICAL, DependencyKind.TEMPORAL)
            if ordered and one.first in at and one.then in at and at[one.first] > at[one.then]:
                raise ValueError(
                    f"subclaim {one.then} depends on {one.first} ({one.kind}), expected it in a later phase or the "
                    f"same, got phases {at[one.then]} and {at[one.first]}"
                )
        return self

    @classmethod
    def in_one_phase(cls, subclaims: tuple[str, ...]) -> Self:
        """The simplest plan: look up each subclaim, all of them together."""
        steps = tuple(
            Check(
                subclaim=number,
                action=Action.EXISTENCE,
                strategy=Method.FACTUAL_LOOKUP,
                evidence_type="any",
                query_hint=text,
                derived_question="",
            )
            for number, text in enumerate(subclaims, start=1)
        )
        phase = Phase(id=1, goal="Verify all subclaims.", depends_on=(), steps=steps)
        return cls(
            dependencies=(), phases=(phase,), requires_all=True, resolution="The claim needs all of its subclaims."
        )

    def covers(self, subclaims: int) -> bool:
        """Whether every one of so many subclaims has a step, and no other has."""
        return {step.subclaim for phase in self.phases for step in phase.steps} == set(range(1, subclaims + 1))

    @property
    def summary(self) -> Summary:
        """See ``Content.summary``."""
        phases = " ".join(
            f"{phase.id}. {phase.goal} ({'; '.join(step.query_hint for step in phase.steps)})" for phase in self.phases
        )
        return Summary(heading=f"{self.kind}: {_counted(len(self.phases), 'phase')}", text=phases)


class Team(StrEnum):
    """The adversarial teams."""

    SUPPORT = "support"
    REFUTATION = "refutation"


class Position(StrEnum):
    """An agent's position on the claim, or on the subclaims of a phase."""

    SUPPORT = "SUPPORT"
    REFUTE = "REFUTE"


class Stance(Content):
    """The statement of a team's agent, on a phase or after having read the other team.

    Attributes:
        phase: of the plan; 0 for the self-correction, which is about the whole claim.
        changed: whether the agent changed its position after it had read the other team.
        confidence: the agent's own, in [0, 1].
    """

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
        position = f"{self.position.value.lower()}s the claim{', changed' if self.changed else ''}"
        return Summary(
            heading=f"{self.team} agent {self.agent + 1}, {place}: {position}, {self.confidence:.0%}",
            text=self.text,
            leaning=Label.SUPPORTED if self.position is Position.SUPPORT else Label.REFUTED,
        )
