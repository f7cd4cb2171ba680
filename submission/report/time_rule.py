"""The one-minute rule in words and numbers, and the timings in the organisers' text form."""

from pathlib import Path

from submission.files import write_atomically
from submission.timings import RULE_SECONDS, RunTiming, TimeReport
from system.records import Cost, Record


class TimeVerdict(Record):
    """How a run stands to the rule that a claim may take a minute on average.

    Attributes:
        mean: seconds a claim by its own clock; claims in flight together each count in full.
        worst: the longest claim.
        wall: seconds of the whole program, loading included, divided by the claims, as the organisers count.
        over: claims that took longer than the rule allows on average.
        cost: means per claim; seconds are those spent in the model.
    """

    mean: float
    worst: float
    wall: float
    over: int
    cost: Cost
    keeps_rule: bool
    sentence: str


def time_verdict(report: TimeReport) -> TimeVerdict:
    """Judge a run by the rule; by the organisers' count, and the claims' own mean beside it."""
    run = report.run
    wall = (run.facts.model_load_seconds + run.facts.run_seconds) / run.claims
    return TimeVerdict(
        mean=run.mean,
        worst=run.max,
        wall=wall,
        over=sum(claim.seconds > RULE_SECONDS for claim in report.claims),
        cost=_mean_cost(run),
        keeps_rule=wall <= RULE_SECONDS and run.within_rule,
        sentence=_sentence(run, wall),
    )


def _mean_cost(run: RunTiming) -> Cost:
    """Mean per claim, tokens and calls rounded to whole ones."""
    means = {name: value / run.claims for name, value in run.cost.model_dump().items()}
    return Cost(**{name: value if "seconds" in name else round(value) for name, value in means.items()})


def _sentence(run: RunTiming, wall: float) -> str:
    keeps = "keeps" if wall <= RULE_SECONDS and run.within_rule else "breaks"
    return (
        f"The run {keeps} the one-minute rule: {wall:.1f} s of wall time a claim with loading, "
        f"{run.mean:.1f} s on average by each claim’s own clock, {run.max:.1f} s for the longest, "
        f"{RULE_SECONDS:.0f} s allowed on average."
    )


def write_measured_timings(report: TimeReport, path: Path) -> None:
    """Write ``measured_timings.txt`` as the organisers' script does: whole seconds, a block for each stage."""
    facts = report.run.facts
    blocks = [("Model loading", facts.model_load_seconds), ("Main Execution", facts.run_seconds)]
    lines = ["Script Execution Timings", "=" * 20]
    for name, seconds in blocks:
        lines += [f"Finished {name}", f"Duration: {_clock(seconds)}", "-" * 40]
    lines += ["=" * 44, f"Total execution time: {_clock(sum(seconds for _, seconds in blocks))}"]
    write_atomically(path, "\n".join(lines) + "\n")


def _clock(seconds: float) -> str:
    """Whole seconds as hours, minutes and seconds, cut off as a shell's clock does.

    >>> _clock(3725.9)
    '01:02:05'
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest:02d}"
