"""``factgraph run``, or ``factgraph`` without the name of a command: check a file of claims."""

from system.app.commands.common import EXIT_REFUTED, ROOT, RunOptions
from system.app.commands.text import text
from system.app.options import SettingOptions

ARTICLE = ROOT / "system" / "examples" / "article" / "ferry.md"
DOCUMENTS = ARTICLE.parent / "documents"
NO_OPTIONS = RunOptions()


def run(options: RunOptions = NO_OPTIONS, settings: SettingOptions | None = None) -> int:
    """Check claims against a knowledge store; write a leaderboard submission, a time report and an HTML report.

    Without claims, the bundled examples of the shared task are checked, then a short article against its documents.
    """
    from system.app.commands.checking import check_file  # only now: it takes seconds, which no help should

    status = check_file(options, settings)
    if status or not _is_first_run(options, settings):
        return status
    print(f"now a short article, against documents: {ARTICLE}", flush=True)
    folder = options.output / "article"
    checked = text(str(ARTICLE), documents=[str(DOCUMENTS)], output=folder, overwrite=True, settings=settings)
    return 0 if checked == EXIT_REFUTED else checked


def _is_first_run(options: RunOptions, settings: SettingOptions | None) -> bool:
    """Whether all the bundled examples were checked, and nothing else."""
    own = options.claims or options.documents or options.knowledge_store or options.start or options.limit
    return not (own or options.ray is not None or {"search", "evidence"} & {*(settings or {})})
