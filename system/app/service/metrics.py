"""Counters for Prometheus. Each service has a registry of its own, so that several can share a process."""

from collections.abc import Callable
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from system.app.service.schema import State
from system.checker import Checked

SECONDS = (0.5, 1, 2, 5, 10, 20, 30, 45, 60, 90, 120)


class Metrics:
    """What ``GET /metrics`` shows; claims are counted, texts are not."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.rejected = Counter("factcheck_rejected", "Checks rejected because the queue was full", registry=registry)
        self._claims = Counter("factcheck_claims", "Claims ended, by state", ["state"], registry=registry)
        self._labels = Counter("factcheck_verdicts", "Verdicts by label", ["label"], registry=registry)
        self._failures = Counter(
            "factcheck_failures", "Failed operations that did not fail their claim", ["operation"], registry=registry
        )
        self._cut_short = Counter("factcheck_cut_short", "Claims that ran out of time", registry=registry)
        self._tokens = Counter("factcheck_tokens", "Model tokens, by direction", ["direction"], registry=registry)
        self._seconds = Histogram(
            "factcheck_claim_seconds", "Seconds per claim, without its wait", buckets=SECONDS, registry=registry
        )

    def watch(self, count: Callable[[State], float]) -> None:
        """Have the number of waiting and of running checks read when the figures are asked for."""
        for name, state in (("factcheck_queued", State.QUEUED), ("factcheck_running", State.RUNNING)):
            gauge = Gauge(name, f"Checks that are {state}", registry=self._registry)
            gauge.set_function(partial(count, state))

    def ended(self, state: State, checked: Checked | None) -> None:
        """Count a claim that has ended."""
        self._claims.labels(state).inc()
        if checked is None:
            return
        result, cost = checked.result, checked.result.timing.cost
        self._seconds.observe(result.timing.seconds)
        self._labels.labels(result.verdict.label).inc()
        self._cut_short.inc(result.timing.cut_short)
        self._tokens.labels("in").inc(cost.tokens_in)
        self._tokens.labels("out").inc(cost.tokens_out)
        for failure in result.failures:
            self._failures.labels(failure.operation).inc()

    def text(self) -> bytes:
        """Return all figures in the text format of Prometheus."""
        return generate_latest(self._registry)
