"""Settings of retrieval; part of the run's settings."""

import os
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

BM25_TOP_K = 3000
"""Passages that BM25 keeps per claim (Rolinger and Liu, 2025, section 3.2.2)."""
SEARCH_RESULTS = 10
"""Most pages that a search adds to those of a claim."""


def _nameable(name: str) -> str:
    path = os.fsencode(name)
    if "\0" in name or len(path) > 4095 or max(map(len, path.split(b"/"))) > 255:  # bytes, which systems allow
        raise ValueError(f"expected a path or a name that a file can have, got {name!r:.60} of {len(name)} characters")
    return name


Name = Annotated[str, AfterValidator(_nameable)]
"""A path, or a name on the model hub or of a server, that can be looked up as a file."""


class RetrievalSettings(BaseModel):
    """Settings of retrieval: cutting, ranking and choosing passages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunk_size: int = Field(1000, gt=0, le=1_000_000, description="passage length, in characters")
    dense_candidates: int = Field(
        64, gt=0, le=1_000_000, description="passages to embed per question, chosen from those that BM25 kept"
    )
    top_k: int = Field(5, gt=0, le=1000, description="passages used to answer each question")
    fact_checks: bool = Field(True, description="keep pages of fact-checking sites")
    later_pages: bool = Field(True, description="keep pages dated after the claim")
    search: str = Field(
        "", description="where to look for more evidence: an archive (made by 'store index'), or a SearXNG address"
    )
    search_folder: Name = Field(
        "output/searched", description="folder that keeps search results, so that no search is repeated"
    )
    encoder: Name = Field("all-MiniLM-L6-v2", description="sentence-transformers model: a folder or a name")

    @property
    def chunk_overlap(self) -> int:
        """Characters shared by neighboring passages of a page: 200 of 1,000, as in the paper."""
        return self.chunk_size // 5


@dataclass(frozen=True)
class MultiHopSettings:
    """Search along chains of passages, with the paper's numbers (CARP, sections 3.4 and 4)."""

    beam_width: int = 3  # paths kept at each hop
    hops: int = 4  # maximum passages of a path
    hop_candidates: int = 10  # passages that may extend a path at each hop
