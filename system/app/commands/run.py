"""``factgraph run``, or ``factgraph`` without the name of a command: check a file of claims."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from system.app.commands.common import Inputs
from system.app.options import SettingOptions


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

    return check_file(options, settings)
