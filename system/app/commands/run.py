"""``factgraph run``, or ``factgraph`` without the name of a command: check a file of claims."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from system.app.commands.common import EXIT_REFUTED, ROOT, Inputs
from system.app.commands.text import text
from system.app.options import SettingOptions

ARTICLE = ROOT / "system" / "examples" / "article" / "ferry.md"
DOCUMENTS = ARTICLE.parent / "documents"


@Parameter(name="*")
@dataclass(frozen=True)
class RunOptions(Inputs):
    """The options of a run."""

    resume: Annotated[bool, Parameter(help="resume the run in --output")] = False
    overwrite: Annotated[bool, Parameter(help="replace the run in --output")] = False
    trace: Annotated[bool, Parameter(help="write every prompt and reply to trace.jsonl")] = False
    ray: Annotated[
        str,
        Parameter(
            help="spread the claims over a Ray cluster, one engine per GPU or per share of CPUs: HOST:PORT of its "
            "head, auto for the cluster that this machine belongs to, or no value for this machine alone"
        ),
    ] = ""


def run(options: RunOptions = RunOptions(), settings: SettingOptions | None = None) -> int:
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
    return not (own or options.ray or {"search", "evidence"} & {*(settings or {})})
