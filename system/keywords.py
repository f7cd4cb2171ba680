"""The settings as keyword arguments, spelled out for editors and type checkers; see ``system.settings``.

A test compares this with the settings themselves.
"""

from typing import Literal, TypedDict

from system.settings import Backend


class SettingKeywords(TypedDict, total=False):
    """All settings by their names; the names of profiles and of the command line's options are the same."""

    strategy: str
    options: dict[str, bool | int | str]

    questions: int
    branches: int
    depth: int
    verification: bool
    duplicate_threshold: float
    debate: bool
    stop_early: bool
    two_labels: bool
    justify: bool

    rounds: int
    evidence: Literal["retrieved", "gold", "none"]
    shared_evidence: int

    backend: Backend
    model: str
    other_models: list[str]
    adapters: dict[str, str]
    examples: str
    temperature: float
    seed: int

    context: int
    batched_tokens: int
    gpu_memory: float
    encoder_memory: float
    dtype: Literal["auto", "float16", "bfloat16", "float32"]
    address: str
    timeout: float

    chunk_size: int
    chunk_overlap: int
    bm25_top_k: int
    dense_candidates: int
    top_k: int
    fact_checks: bool
    claim_copies: bool
    later_pages: bool
    languages: list[str]
    search: str
    search_folder: str
    encoder: str
    encoder_code: bool

    document_strategy: str
    verifier: str

    budget: float
    reserve: float
    max_concurrent_claims: int
    workers: int
    calibration: str
