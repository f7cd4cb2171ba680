"""Settings: one typed tree = one TOML profile = the command line, validated here and nowhere else."""

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, Field, ValidationError, field_validator

from knowledge_store.settings import MultiHopSettings, RetrievalSettings
from system.records import Calibration, Record, explain
from system.tasks.base import Adapter
from system.tasks.debate import PERSONAS

PROFILES = Path(__file__).parent / "profiles"
ADAPTERS = Path(__file__).parent / "adapters"


def bundled(name: str) -> str:
    """The path of what comes with this package, such as smollm2-135m/verdict_prediction; other paths as they are."""
    return str(ADAPTERS / name) if not Path(name).exists() and (ADAPTERS / name).exists() else name


class SettingsError(Exception):
    """A setting is unknown or has a value that it cannot have; the message names it and its source."""


class GraphSettings(Record):
    """Shape of the graph of thoughts (section 3.1)."""

    questions: int = Field(6, gt=0, description="initial questions to ask about a claim")
    branches: int = Field(5, gt=0, description="initial questions to explore, each in its own branch")
    depth: int = Field(3, gt=0, description="maximum question rounds per branch")
    verification: bool = Field(False, description="check each answer against its passage before merging")
    duplicate_threshold: float = Field(
        0.9, ge=0, le=1, description="cosine similarity at which two questions count as duplicates"
    )
    debate: bool = Field(True, description="settle disagreeing verdicts by debate; otherwise by vote")
    pool: bool = Field(
        False,
        description="where no debate decides, judge by the sentences nearest to the claim instead of by vote",
    )
    stop_early: bool = Field(
        True, description="end the search once most branches agree, and count the undecided ones as outvoted"
    )
    justify: bool = Field(True, description="write the reasons before the label; otherwise quote what decides after it")
    sentence_rules: Literal["never", "documents", "always"] = Field(
        "never",
        description="judge by rules that compare the claim with sentences; documents: only if the user gave any",
    )


class DebateSettings(Record):
    """Shape of a debate (DebateCV, section 3.2)."""

    rounds: int = Field(3, gt=0, description="maximum rounds per debate")
    evidence: Literal["retrieved", "gold", "none"] = Field(
        "retrieved", description="evidence to debate; gold: the annotators', from an annotated claims file"
    )
    consultant_side: Literal["affirmative", "negative"] = Field(
        "affirmative", description="side that the consultant argues"
    )
    personas: int = Field(
        0,
        ge=0,
        le=len(PERSONAS),
        description="judges of a consultancy, each with a persona; 0: one judge without a persona",
    )
    exhibits: int = Field(10, gt=0, description="maximum passages that debaters read and may cite")


class CarpSettings(Record):
    """Parts of CARP (section 6) that can be left out, and its shape."""

    team_agents: int = Field(2, gt=0, description="agents per team; with several models they take turns")
    claim_graph: bool = Field(True, description="resolve references between subclaims by a claim-representation graph")
    self_correction: bool = Field(True, description="let the teams read each other and change their positions")
    drafts: bool = Field(True, description="draft each reply, then revise it")
    two_labels: bool = Field(False, description="the paper's two labels: a claim not shown to be true is Refuted")


class ModelSettings(Record):
    """Which model answers."""

    backend: Literal["extractive", "transformers", "vllm", "server"] = Field(
        "extractive", description="runtime of the model"
    )
    model: str = Field("", description="model folder or name; leave it out for the extractive backend")
    other_models: list[str] = Field(
        default_factory=list,
        description="more models for a team's agents to take turns on; for a server: NAME or NAME@ADDRESS",
    )
    adapters: dict[Adapter, str] = Field(
        default_factory=dict, description="LoRA adapters by task: folders, or the server's names for them"
    )
    rules: list[Literal["ask_question", "answer_question", "verify_answer", "merge_answers"]] = Field(
        default_factory=list, description="tasks done by the extractive reader instead of the model"
    )
    temperature: float = Field(
        0.7, ge=0, description="sampling temperature for generating questions; everything else is greedy"
    )
    seed: int = Field(1, description="random seed for sampling")

    @field_validator("adapters")
    @classmethod
    def _bundled(cls, adapters: dict[Adapter, str]) -> dict[Adapter, str]:
        """The folders of adapters that come with this package, such as smollm2-135m/verdict_prediction."""
        return {adapter: bundled(name) for adapter, name in adapters.items()}


class EngineSettings(Record):
    """How a language model uses its device; the server backend reads only its own three."""

    context: int = Field(4096, gt=0, description="maximum length of a prompt plus its reply, in tokens")
    sequences: int = Field(64, gt=0, description="maximum requests decoded together")
    batched_tokens: int = Field(4096, gt=0, description="maximum tokens per forward pass")
    gpu_memory: float = Field(0.0, ge=0, description="GiB of device memory to use; 0: all")
    encoder_memory: float = Field(0.0, ge=0, description="GiB of that memory to reserve for the retrieval encoder")
    eager: bool = Field(False, description="do not capture CUDA graphs: starts faster, runs slower")
    prefix_cache: bool = Field(True, description="reuse the KV cache of shared prompt prefixes")
    dtype: Literal["auto", "float16", "bfloat16", "float32"] = Field(
        "auto", description="auto: the model's own; on a CPU the faster of bfloat16 and float32"
    )
    address: str = Field("", description="URL of an OpenAI-compatible server, including /v1")
    timeout: float = Field(30.0, gt=0, description="timeout per server request, in seconds")
    server_attempts: int = Field(3, gt=0, description="attempts to reach the server")


class RunSettings(Record):
    """How a run uses the machine."""

    budget: float = Field(60.0, gt=0, description="seconds per claim; in a run of several claims, on average")
    reserve: float = Field(0.15, ge=0, lt=1, description="share of the budget reserved for the final verdict")
    max_concurrent_claims: int = Field(2, gt=0, description="claims checked at the same time")
    workers: int = Field(1, gt=0, description="processes that read and rank the next claims' stores")
    calibration: str = Field("", description="calibration file from 'python -m submission calibrate'")
    prefetch: int = Field(4, gt=0, description="maximum stores ranked ahead of their turn")


class Settings(Record):
    """All settings of a run.

    Sections hold uniquely named fields, so that ``--depth 2`` on the command line needs no section.
    """

    profile: str = "embedded"
    strategy: Literal[
        "got", "debatecv", "carp", "consultancy", "ai_debate", "single", "majority", "cooperation", "baseline"
    ] = Field("got", description="how a claim is checked")
    graph: GraphSettings = GraphSettings()
    debate: DebateSettings = DebateSettings()
    carp: CarpSettings = CarpSettings()
    model: ModelSettings = ModelSettings()
    engine: EngineSettings = EngineSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    multi_hop: MultiHopSettings = MultiHopSettings()
    run: RunSettings = RunSettings()

    def for_documents(self) -> Self:
        """The settings for claims that documents of the user decide."""
        if self.graph.sentence_rules != "documents":
            return self
        graph = self.graph.model_copy(update={"sentence_rules": "always", "debate": False, "pool": False})
        run = self.run.model_copy(update={"calibration": ""})  # fitted to other verdicts
        return self.model_copy(update={"graph": graph, "run": run})

    @property
    def by_hops(self) -> bool:
        """Whether passages are searched by hops: where nothing is said, it is part of CARP alone."""
        asked = self.multi_hop.multi_hop
        return self.strategy == "carp" if asked is None else asked


SECTIONS: dict[str, type[BaseModel]] = {
    name: type(field.default) for name, field in Settings.model_fields.items() if isinstance(field.default, BaseModel)
}


RENAMED = {
    "agents": "team_agents",
    "ahead": "prefetch",
    "attempts": "server_attempts",
    "candidates": "hop_candidates",
    "duplicate": "duplicate_threshold",
    "in_flight": "max_concurrent_claims",
    "memory": "gpu_memory",
    "others": "other_models",
    "passages": "top_k",
    "prefilter": "bm25_top_k",
    "rate": "hop_rate",
    "shortlist": "dense_candidates",
    "side": "consultant_side",
}
"""Settings that had another name: an old name ends with an error that gives the new one."""


def load(profile: str, overrides: dict[str, Any]) -> Settings:
    """The settings of a profile, changed by values from the command line.

    Args:
        profile: name of a file in ``profiles`` without its ending, or a path of a TOML file.
        overrides: values by field name ("depth", "budget", "strategy", …).

    Raises:
        SettingsError: no such profile, no such setting, or a value out of its range.
    """
    tree = _read(profile)
    _reject_old_names(
        f"profile {profile!r}", (name for section in SECTIONS for name in _section(profile, section, tree))
    )
    _reject_old_names("settings", overrides)
    for name, value in overrides.items():
        section = next((s for s, fields in SECTIONS.items() if name in fields.model_fields), None)
        if section:
            tree[section] = _section(profile, section, tree) | {name: value}
        else:
            tree[name] = value
    if "model" in overrides:
        _drop_bundled(tree, overrides)
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        faults = "; ".join(map(_fault, error.errors()))
        raise SettingsError(f"profile {profile!r} with the command-line values: {faults}") from error


def _fault(fault: Mapping[str, Any]) -> str:
    """One fault of the settings; for an unknown name, the nearest one that exists."""
    if fault["type"] != "extra_forbidden":
        return explain(fault)
    *section, name = map(str, fault["loc"])
    names = [known for fields in SECTIONS.values() for known in fields.model_fields]
    close = get_close_matches(name, names, n=1)
    advice = f"did you mean {close[0]}?" if close else "'factgraph run --help-all' lists all settings"
    return f"{'.'.join([*section, name])}: unknown setting; {advice}"


def bundled_profiles() -> list[str]:
    """The names of the profiles that come with this package."""
    return sorted(path.stem for path in PROFILES.glob("*.toml"))


def _drop_bundled(tree: dict[str, Any], overrides: dict[str, Any]) -> None:
    """Take out adapters and calibration of this package, which fit the profile's own model alone."""
    if "adapters" not in overrides:
        adapters = tree["model"].get("adapters", {})
        tree["model"]["adapters"] = {task: name for task, name in adapters.items() if bundled(name) == name}
    calibration = tree.get("run", {}).get("calibration", "")
    if "calibration" not in overrides and bundled(calibration) != calibration:
        tree["run"]["calibration"] = ""


def load_calibration(settings: Settings) -> Calibration | None:
    """The calibration that the settings name, if they name one.

    Raises:
        SettingsError: the file is missing or not a calibration.
    """
    path = settings.run.calibration
    if not path:
        return None
    try:
        return Calibration.model_validate_json(Path(bundled(path)).read_bytes())
    except FileNotFoundError as error:
        raise SettingsError(f"calibration {path} not found; {_CALIBRATE}") from error
    except (OSError, ValidationError) as error:
        raise SettingsError(f"cannot read calibration {path} ({error}); {_CALIBRATE}") from error


_CALIBRATE = "make one with 'factgraph calibrate'"


def _read(profile: str) -> dict[str, Any]:
    path = Path(profile) if profile.endswith(".toml") else PROFILES / f"{profile}.toml"
    try:
        return {"profile": path.stem, **tomllib.loads(path.read_text(encoding="utf-8"))}
    except FileNotFoundError as error:
        known = ", ".join(bundled_profiles())
        raise SettingsError(f"profile {profile!r} not found; expected {known}, or a .toml file") from error
    except OSError as error:
        raise SettingsError(f"cannot read {path} ({error.strerror})") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or past reading
        raise SettingsError(f"{path}: not a TOML file ({error})") from error


def _reject_old_names(where: str, names: Iterable[str]) -> None:
    if old := next((name for name in names if name in RENAMED), None):
        raise SettingsError(f"{where}: {old} is now {RENAMED[old]}; rename it")


def _section(profile: str, name: str, tree: dict[str, Any]) -> dict[str, Any]:
    section = tree.get(name, {})
    if not isinstance(section, dict):
        raise SettingsError(f"profile {profile!r}: {name}: expected a table [{name}], got {section!r:.60}")
    return section
