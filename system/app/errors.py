"""The errors of all commands that a user can mend; any other error is a defect of ours and keeps its traceback.

They are listed by name, because the modules that define them take seconds to import.
"""

USER_ERRORS = frozenset(
    {
        "knowledge_store.dense.encoder.EncoderUnavailable",
        "knowledge_store.pages.documents.DocumentsError",
        "knowledge_store.searchers.SearchError",
        "system.app.service.access.AccessError",
        "system.files.journal.JournalError",
        "system.files.texts.FileError",
        "system.graph.records.ClaimsError",
        "system.models.base.ModelUnavailable",
        "system.runner.run.CheckerError",
        "system.settings.SettingsError",
        "system.reader.base.ReaderUnavailable",
    }
)


def can_be_mended(error: Exception) -> bool:
    """Whether an error, or a kind of error that it is one of, is among ``USER_ERRORS``."""
    return any(f"{kind.__module__}.{kind.__qualname__}" in USER_ERRORS for kind in type(error).__mro__)
