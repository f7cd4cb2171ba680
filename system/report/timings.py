"""The time report of a run: seconds of each claim, seconds of the run, and whether it keeps the one-minute rule."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from system.files.texts import write_text
from system.graph.records import ClaimResult, Cost, Record

RULE_SECONDS = 60.0
"""FEVER-8: a claim may take one minute of the run on average: wall time with loading, divided by the claims."""

CLOCK = (
    "A claim's seconds are wall time: reading and ranking its knowledge store, and everything from its first question "
    "to its verdict, including the time that it waits while the model serves other claims. Not counted: loading the "
    "models (given as model_load_seconds), reading the claims, a claim's wait for its turn, and writing these files. "
    "Stages may overlap, and claims in flight at the same time share run_seconds, so neither need sum to the whole. "
    "The one-minute rule counts only the run: model_load_seconds and run_seconds, divided by the claims."
)


class RunFacts(Record):
    """Facts of a run that only its caller knows."""

    budget_seconds: float  #: what a claim was allowed to take of the run, on average
    run_seconds: float  #: from the first claim to the last, without loading; for a resumed run, the sum of its parts
    model_load_seconds: float  #: loading encoder and model, before the first claim
    peak_memory_gib: float  #: most resident memory of the program and its workers
    limit_seconds: float = 0.0  #: what a claim was allowed to take by its own clock; 0 if unknown


class ClaimTiming(Record):
    """Seconds, tokens and rounds of one claim."""

    claim_id: int
    seconds: float
    stages: dict[str, float]  #: seconds by stage
    calls: int
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    queue_seconds: float  #: sum over the model calls of the time before the model began with them
    decode_seconds: float  #: sum over the model calls of the time from the first token to the last
    rounds: int
    branches: int
    cut_short: bool
    duplicates: int = 0  #: questions that were dropped because they repeat another
    replaced: int = 0  #: questions that were asked in place of these
    failures: tuple[str, ...]  #: the operations that failed and were survived


class RunTiming(Record):
    """The time of a run; means and percentiles are of seconds a claim by its own clock."""

    claims: int
    mean: float
    p50: float
    p95: float
    max: float
    over_budget: float  #: share of the claims whose own clock passed the budget, which happens if several are in flight
    cut_short: int  #: claims that the deadline ended early
    duplicates: int = 0
    replaced: int = 0
    failures: dict[str, int]  #: failed operations by name
    stages: dict[str, float]  #: mean seconds a claim by stage; a claim without the stage counts as 0
    cost: Cost  #: sum over the claims
    facts: RunFacts
    within_rule: bool  #: whether the run keeps the one-minute rule
    verdict: str
    clock: str

    @property
    def wall(self) -> float:
        """Seconds of the whole program, with loading, divided by the claims, as the organizers count."""
        return _wall(self.facts, self.claims)

    @property
    def mean_cost(self) -> Cost:
        """Mean per claim, tokens and calls rounded to whole ones; seconds are those of the graph's steps."""
        means = {name: value / self.claims for name, value in self.cost.model_dump().items()}
        return Cost(**{name: value if "seconds" in name else round(value) for name, value in means.items()})

    @property
    def sentence(self) -> str:
        """Compare the run with the rule, beside the claims' own clocks."""
        keeps = "keeps" if self.within_rule else "breaks"
        ahead = self.claims * RULE_SECONDS - self.facts.model_load_seconds - self.facts.run_seconds
        limit = f" ({self.facts.limit_seconds:.0f} s is the limit)" if self.facts.limit_seconds else ""
        return (
            f"The run {keeps} the one-minute rule: {self.wall:.1f} s per claim on average with loading, "
            f"{RULE_SECONDS:.0f} s allowed, so it ended {abs(ahead) / 60:.0f} min "
            f"{'early' if ahead >= 0 else 'late'}. By its own clock, which also runs while others are served, a claim "
            f"took {self.mean:.1f} s on average and {self.max:.1f} s at most{limit}; "
            f"{self.cut_short} ran out of time."
        )


class TimeReport(Record):
    """The run as a whole, then claim by claim in the order of the results."""

    run: RunTiming
    claims: tuple[ClaimTiming, ...]


def time_report(results: Sequence[ClaimResult], facts: RunFacts) -> TimeReport:
    """Report the time of at least one result."""
    return TimeReport(run=_run_timing(results, facts), claims=tuple(map(_claim_timing, results)))


def _claim_timing(result: ClaimResult) -> ClaimTiming:
    timing = result.timing
    return ClaimTiming(
        claim_id=result.claim.id,
        **timing.model_dump(include={"seconds", "stages", "rounds", "branches", "cut_short", "duplicates", "replaced"}),
        **timing.cost.model_dump(exclude={"seconds"}),
        failures=tuple(failure.operation for failure in result.failures),
    )


def _run_timing(results: Sequence[ClaimResult], facts: RunFacts) -> RunTiming:
    timings = [result.timing for result in results]
    seconds = np.array([timing.seconds for timing in timings])
    stages: Counter[str] = Counter()
    for timing in timings:
        stages.update(timing.stages)
    wall = _wall(facts, len(results))
    state = "within" if wall <= RULE_SECONDS else "over"
    return RunTiming(
        claims=len(results),
        mean=float(seconds.mean()),
        p50=float(np.percentile(seconds, 50)),
        p95=float(np.percentile(seconds, 95)),
        max=float(seconds.max()),
        over_budget=float((seconds > facts.budget_seconds).mean()),
        cut_short=sum(timing.cut_short for timing in timings),
        duplicates=sum(timing.duplicates for timing in timings),
        replaced=sum(timing.replaced for timing in timings),
        failures=dict(Counter(failure.operation for result in results for failure in result.failures)),
        stages={stage: total / len(results) for stage, total in stages.items()},
        cost=Cost.total(timing.cost for timing in timings),
        facts=facts,
        within_rule=wall <= RULE_SECONDS,
        verdict=f"{state} the one-minute rule: {wall:.2f} s per claim over the whole run, {RULE_SECONDS:.0f} s allowed",
        clock=CLOCK,
    )


def _wall(facts: RunFacts, claims: int) -> float:
    """Return the seconds a claim of the run, as the rule counts them."""
    return (facts.model_load_seconds + facts.run_seconds) / claims


def write_timings_json(report: TimeReport, path: Path) -> None:
    """Write ``timings.json``."""
    write_text(path, report.model_dump_json(indent=2) + "\n")


def write_timings_csv(report: TimeReport, path: Path) -> None:
    """Write ``timings.csv``: one row a claim, one column a stage; the run as a whole is only in the JSON."""
    stages = list(dict.fromkeys(stage for claim in report.claims for stage in claim.stages))
    plain = [name for name in ClaimTiming.model_fields if name not in ("stages", "failures")]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*plain, "failures", *(f"seconds_{stage}" for stage in stages)])
    for claim in report.claims:
        values = [getattr(claim, name) for name in plain]
        writer.writerow([*values, "; ".join(claim.failures), *(claim.stages.get(stage, 0.0) for stage in stages)])
    write_text(path, text.getvalue())


def write_measured_timings(report: TimeReport, path: Path) -> None:
    """Write ``measured_timings.txt`` as the organizers' script does: whole seconds, a block for each stage."""
    facts = report.run.facts
    blocks = [("Model loading", facts.model_load_seconds), ("Main Execution", facts.run_seconds)]
    lines = ["Script Execution Timings", "=" * 20]
    for name, seconds in blocks:
        lines += [f"Finished {name}", f"Duration: {_clock(seconds)}", "-" * 40]
    lines += ["=" * 44, f"Total execution time: {_clock(sum(seconds for _, seconds in blocks))}"]
    write_text(path, "\n".join(lines) + "\n")


def _clock(seconds: float) -> str:
    """Write whole seconds as hours, minutes and seconds, cut off as a shell's clock does.

    >>> _clock(3725.9)
    '01:02:05'
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest:02d}"
