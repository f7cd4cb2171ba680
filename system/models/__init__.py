"""Backends behind the one seam to models (see ``base``)."""

from knowledge_store.encoder import Encoder
from system.models.base import Model
from system.settings import Settings


def load_model(settings: Settings, encoder: Encoder) -> Model:
    """Load the backend that the settings name.

    Raises:
        ModelUnavailable: its library or its files are missing, or they do not fit together.
    """
    # Each backend is imported only when asked for: its libraries are large and may be absent.
    match settings.model.backend:
        case "extractive":
            from system.models.extractive import ExtractiveModel

            return ExtractiveModel(encoder)
        case "transformers":
            from system.models.transformers import TransformersModel

            return TransformersModel(settings.model.model, settings.model.adapters)
        case "vllm":
            from system.models.vllm import VllmModel

            return VllmModel(settings.model.model, settings.model.adapters, settings.engine)
        case "server":
            from system.models.server import ServerModel

            return ServerModel(settings.model.model, settings.model.adapters, settings.engine)
