"""Settings of a run: typed, loaded from a TOML profile and overridden by options of the command line.

    settings = load("a10g", {"depth": 2})

What a strategy alone obeys is checked where the strategy is loaded (``system.strategies.base``).
"""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, Field, ValidationError

from knowledge_store.settings import Name, RetrievalSettings
from system.graph.records import Calibration, Record, explain
from system.strategies import STRATEGIES, unknown_strategy
from system.tasks.base import Adapter

PROFILES = Path(__file__).parent / "profiles"
YEAR = 365 * 24 * 60 * 60.0  # seconds; nothing is waited for longer

Backend = Literal["extractive", "vllm", "server"]


class SettingsError(Exception):
    """A setting is unknown or has a value that it cannot have; the message names it and its source."""


class GraphSettings(Record):
    """Shape of the graph of thoughts (section 3.1)."""

    branches: int = Field(5, gt=0, le=1000, description="first questions, each explored in its own branch")
    depth: int = Field(3, gt=0, le=100, description="maximum question rounds per branch")
    verification: bool = Field(False, description="check each answer against its passage before merging")
    debate: bool = Field(True, description="settle disagreeing verdicts by debate; otherwise by vote")
    stop_early: bool = Field(
        True, description="end the search once most branches agree, and count the undecided ones as outvoted"
    )
    two_labels: bool = Field(
        False, description="conclude with two labels, as CARP does: what is not shown to be true is Refuted"
    )


class DebateSettings(Record):
    """Shape of a debate (DebateCV, section 3.2), and the evidence that claims are checked on."""

    rounds: int = Field(3, gt=0, le=100, description="maximum rounds of a debate (got, debatecv)")
    evidence: Literal["retrieved", "gold", "none"] = Field(
        "retrieved", description="evidence to check on; gold: the annotators', from an annotated claims file"
    )


class ModelSettings(Record):
    """Which model answers."""

    backend: Backend = Field("extractive", description="runtime of the model")
    model: Name = Field("", description="model folder or name; leave it out for the extractive backend")
    other_models: list[Name] = Field(
        default_factory=list,
        description="more models: a team's agents take turns on all, debaters and consultants on these; "
        "for a server: NAME or NAME@ADDRESS",
    )
    adapters: dict[Adapter, Name] = Field(
        default_factory=dict, description="LoRA adapters by task: folders, hub names, or a server's names"
    )


TEMPERATURE = 0.7
"""Of every reply but the first to the same inputs: questions after the first, further agents of a model, second tries.
Everything else is greedy."""
SEED = 1  # of the first reply; the next to the same inputs have the next seeds
SEQUENCES = 64  # requests that an engine decodes together
BATCHED_TOKENS = 4096  # of a forward pass, at most


class EngineSettings(Record):
    """How a language model uses its device; the server backend reads only ``address``, ``timeout`` and ``context``."""

    context: int = Field(4096, gt=0, le=10**9, description="maximum length of a prompt plus its reply, in tokens")
    gpu_memory: float = Field(0.0, ge=0, le=10_000, description="GiB of device memory to use; 0: all")
    encoder_memory: float = Field(
        0.0, ge=0, le=10_000, description="GiB of that memory to reserve for the retrieval encoder"
    )
    address: str = Field("", description="URL of an OpenAI-compatible server, including /v1")
    timeout: float = Field(30.0, gt=0, le=YEAR, description="timeout per server request, in seconds")


class ReadingSettings(Record):
    """How sentences are read beside a statement."""

    document_strategy: str = Field(
        "", description="strategy for documents of your own and for texts; empty: the same as for stores"
    )
    verifier: Name = Field("mpnet", description="sentence-pair model that reads: mpnet, a folder or a hub name")


RESERVE = 0.15  # share of a budget that is kept for the final verdict
READING = 0.8  # share of a budget, without its reserve, that reading may take
CLAIM_LIMIT = 480.0  # seconds that a claim of a run may take at most, however fast the others were
COLD = 2.0  # seconds that the first claim takes to be judged, since much is loaded for it


class RunSettings(Record):
    """How a run uses the machine."""

    budget: float = Field(60.0, gt=0, le=YEAR, description="seconds per claim; in a run of several claims, on average")
    max_concurrent_claims: int = Field(2, gt=0, le=1000, description="claims checked at the same time")
    workers: int = Field(1, gt=0, le=1000, description="processes that read and rank the next claims' stores")
    calibration: Name = Field("", description="calibration file from 'python -m submission calibrate'")

    @property
    def places(self) -> int:
        """Claims that are held at a time: those that are checked, and as many whose stores are ranked ahead."""
        return 2 * self.max_concurrent_claims

    @property
    def reading(self) -> float:
        """Seconds of a claim's budget that reading may take, so that time is left to judge what was read."""
        budget = (1 - RESERVE) * self.budget
        return max(budget / 2, min(READING * budget, budget - COLD))


class Settings(Record):
    """All settings of a run.

    Sections hold uniquely named fields, so that ``--depth 2`` on the command line needs no section.
    """

    profile: str = "laptop"
    strategy: str = Field("got", description="how a claim is checked")
    options: dict[str, bool | int | float | str] = Field(
        default_factory=dict, description="options of the strategy alone: docs/debates.md"
    )
    graph: GraphSettings = GraphSettings()
    debate: DebateSettings = DebateSettings()
    model: ModelSettings = ModelSettings()
    engine: EngineSettings = EngineSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    reading: ReadingSettings = ReadingSettings()
    run: RunSettings = RunSettings()

    def for_documents(self) -> Self:
        """The settings for claims on documents of the user, and for the statements of texts."""
        wanted = self.reading.document_strategy
        if wanted in ("", self.strategy):
            return self
        run = self.run.model_copy(update={"calibration": ""})  # fitted to the verdicts of the other strategy
        return self.model_copy(update={"strategy": wanted, "options": {}, "run": run})


SECTIONS: dict[str, type[BaseModel]] = {
    name: type(field.default) for name, field in Settings.model_fields.items() if isinstance(field.default, BaseModel)
}
"""The sections by their names: tables of a profile, groups of options on the command line."""


def load(profile: str, overrides: dict[str, Any]) -> Settings:
    """The settings of a profile, changed by values from the command line.

    Args:
        profile: name of a file in ``profiles`` without its ending, or a path of a TOML file.
        overrides: values by field name ("depth", "budget", "strategy", …).

    Raises:
        SettingsError: no such profile, no such setting, or a value out of its range.
    """
    tree = _read(profile)
    if "strategy" in overrides:  # it checks documents too, unless another is named for them
        overrides = {"document_strategy": "", **overrides}
    for name, value in overrides.items():
        section = next((s for s, fields in SECTIONS.items() if name in fields.model_fields), None)
        if section:
            tree[section] = _section(profile, section, tree) | {name: value}
        else:
            tree[name] = value
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        faults = "; ".join(map(_fault, error.errors()))
        raise SettingsError(f"profile {profile!r} with the values given: {faults}") from error
    for name, chosen in (("strategy", settings.strategy), ("document_strategy", settings.reading.document_strategy)):
        if chosen not in STRATEGIES and (chosen or name == "strategy"):
            raise SettingsError(f"profile {profile!r} with the values given: {name}: {unknown_strategy(chosen)}")
    return settings


def _fault(fault: Mapping[str, Any]) -> str:
    """One fault of the settings; for an unknown name, the nearest one that exists."""
    if fault["type"] != "extra_forbidden":
        return explain(fault)
    *table, name = map(str, fault["loc"])
    homes = {known: home for home, fields in SECTIONS.items() for known in fields.model_fields}
    close = get_close_matches(name, homes, n=1)
    advice = f"did you mean {close[0]}?" if close else "'factgraph run --help-all' lists all settings"
    advice = f"it belongs in [{homes[name]}]" if name in homes else advice
    return f"{'.'.join([*table, name])}: unknown setting; {advice}"


def bundled_profiles() -> list[str]:
    """The names of the profiles that come with this package."""
    return sorted(path.stem for path in PROFILES.glob("*.toml"))


def load_calibration(settings: Settings) -> Calibration | None:
    """The calibration that the settings name, if they name one.

    Raises:
        SettingsError: the file is missing or not a calibration.
    """
    path = settings.run.calibration
    if not path:
        return None
    try:
        return Calibration.model_validate_json(Path(path).read_bytes())
    except OSError as error:
        raise SettingsError(f"calibration {path}: {error.strerror}; {_CALIBRATE}") from error
    except ValidationError as error:
        faults = "; ".join(explain(fault, "the file") for fault in error.errors())
        raise SettingsError(f"calibration {path}: {faults}; {_CALIBRATE}") from error


_CALIBRATE = "make one with 'factgraph calibrate'"


def _read(profile: str) -> dict[str, Any]:
    path = Path(profile) if profile.endswith(".toml") else PROFILES / f"{profile}.toml"
    try:
        return {"profile": path.stem, **tomllib.loads(path.read_text(encoding="utf-8-sig"))}
    except FileNotFoundError as error:
        known = ", ".join(bundled_profiles())
        raise SettingsError(f"profile {profile!r} not found; expected {known}, or a .toml file") from error
    except OSError as error:
        raise SettingsError(f"cannot read {path} ({error.strerror})") from error
    except UnicodeDecodeError as error:
        byte = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
        raise SettingsError(f"{path}: expected UTF-8, got {byte}; save the file as UTF-8") from error
    except (ValueError, RecursionError) as error:  # not TOML, or past reading
        raise SettingsError(f"{path}: not a TOML file ({error})") from error


def _section(profile: str, name: str, tree: dict[str, Any]) -> dict[str, Any]:
    section = tree.get(name, {})
    if not isinstance(section, dict):
        raise SettingsError(f"profile {profile!r}: {name}: expected a table [{name}], got {section!r:.60}")
    return section
