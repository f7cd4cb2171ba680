"""Figures for Prometheus: a registry for each service, so that several can live in one process."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from system.app.service.schema import State
from system.records import ClaimResult

SECONDS = (0.5, 1, 2, 5, 10, 20, 30, 45, 60, 90, 120)


class Metrics:
    """What is counted; ``factcheck_`` stands before every name."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.rejected = Counter("factcheck_rejected", "Claims refused by a full queue", registry=self.registry)
        self._claims = Counter("factcheck_claims", "Claims that ended", ["state"], registry=self.registry)
        self._labels = Counter("factcheck_verdicts", "Verdicts by label", ["label"], registry=self.registry)
        self._failures = Counter(
            "factcheck_failures", "Operations that failed and were survived", ["operation"], registry=self.registry
        )
        self._cut_short = Counter("factcheck_cut_short", "Claims cut short by their deadline", registry=self.registry)
        self._tokens = Counter("factcheck_tokens", "Tokens of the model", ["direction"], registry=self.registry)
        self._seconds = Histogram(
            "factcheck_claim_seconds", "Seconds of a claim, without its wait", buckets=SECONDS, registry=self.registry
        )
        self._done, self._spent = 0, 0.0

    def watch(self, queued: Callable[[], int], running: Callable[[], int]) -> None:
        """Have the number of claims that wait and that are checked read when figures are asked for."""
        Gauge("factcheck_queued", "Claims that wait", registry=self.registry).set_function(queued)
        Gauge("factcheck_running", "Claims that are checked now", registry=self.registry).set_function(running)

    def ended(self, state: State, result: ClaimResult | None) -> None:
        """Count a claim that has ended."""
        self._claims.labels(state).inc()
        if result is None:
            return
        cost = result.timing.cost
        self._done, self._spent = self._done + 1, self._spent + result.timing.seconds
        self._seconds.observe(result.timing.seconds)
        self._labels.labels(result.verdict.label).inc()
        self._cut_short.inc(result.timing.cut_short)
        self._tokens.labels("in").inc(cost.tokens_in)
        self._tokens.labels("out").inc(cost.tokens_out)
        for failure in result.failures:
            self._failures.labels(failure.operation).inc()

    def mean_seconds(self, default: float) -> float:
        """Mean seconds of a claim so far; ``default`` before the first has ended."""
        return self._spent / self._done if self._done else default

    def text(self) -> bytes:
        """All figures in the text format of Prometheus."""
        return generate_latest(self.registry)
