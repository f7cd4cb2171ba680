"""The options of CARP."""

from pydantic import Field

from system.graph.records import Record


class CarpOptions(Record):
    """Parts of CARP (section 6) that an ablation leaves out."""

    claim_graph: bool = Field(True, description="resolve references between subclaims by a claim-representation graph")
    self_correction: bool = Field(True, description="let the teams read each other and change their positions")
    drafts: bool = Field(True, description="draft each reply, then revise it")
    multi_hop: bool = Field(True, description="search along chains of passages")
