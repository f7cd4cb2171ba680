"""Load what claims are checked with, from the settings alone, in whatever process asks for it."""

from pathlib import Path

from knowledge_store.dense.encoder import SentenceEncoder
from system.check import Engine
from system.models import load_model
from system.models.traced import TracedModel
from system.settings import Settings, load_calibration


def load_engine(settings: Settings, trace: Path | None = None) -> Engine:
    """Load encoder, model and calibration.

    Args:
        trace: file that every prompt and reply is added to.

    Raises:
        EncoderUnavailable: the encoder's files are missing.
        ModelUnavailable: the backend's library or files are missing.
        SettingsError: the calibration cannot be read.
    """
    calibration = load_calibration(settings)
    encoder = SentenceEncoder.of(settings.retrieval)
    model = load_model(settings, encoder)
    return Engine(TracedModel(model, trace) if trace else model, encoder, settings, calibration)
