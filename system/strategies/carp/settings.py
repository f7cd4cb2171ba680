"""The settings of CARP."""

from pydantic import Field

from system.graph.records import Record
from system.settings import section


@section("carp")
class CarpSettings(Record):
    """Parts of CARP (section 6) that can be left out, and its shape."""

    team_agents: int = Field(2, gt=0, le=100, description="agents per team; with several models they take turns")
    claim_graph: bool = Field(True, description="resolve references between subclaims by a claim-representation graph")
    self_correction: bool = Field(True, description="let the teams read each other and change their positions")
    drafts: bool = Field(True, description="draft each reply, then revise it")
