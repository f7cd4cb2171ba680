"""The errors of all commands that a user can mend; anything else is a defect of ours and keeps its traceback."""

from knowledge_store.dense.encoder import EncoderUnavailable
from knowledge_store.pages.documents import DocumentsError
from knowledge_store.searchers import SearchError
from system.app.service.access import AccessError
from system.averitec.claims import ClaimsError
from system.files.journal import JournalError
from system.files.texts import FileError
from system.hardware.weights import WeightsError
from system.models.base import ModelUnavailable
from system.runner.run import CheckerError
from system.settings import SettingsError
from system.verifier.base import VerifierUnavailable

USER_ERRORS = (
    AccessError,
    CheckerError,
    ClaimsError,
    DocumentsError,
    EncoderUnavailable,
    FileError,
    JournalError,
    ModelUnavailable,
    SearchError,
    SettingsError,
    VerifierUnavailable,
    WeightsError,
)
