"""Comparing strategies: variants run beside each other on the same claims, their scores, and what they cost.

Intervals come from a paired bootstrap over claims (Efron and Tibshirani, 1993): all strategies are scored on the same
resamples, so that a difference between two of them is not drowned in the difficulty of the claims. Of several
repeats, a claim counts with its mean.
"""

import shutil
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from knowledge_store.progress import progress_bar
from system.check import Engine
from system.checker import Checker
from system.collection import StoreCollection
from system.files.journal import RecordJournal
from system.graph.records import TWO_LABELS, Claim, ClaimResult, Label, Record
from system.hardware.machine import describe_machine
from system.models.base import Model, Request, Result
from system.settings import SECTIONS, Settings, SettingsError, load
from system.strategies import STRATEGIES, unknown_strategy
from system.strategies.base import named

REPEATS = 5  # where sampling is on, as in DebateCV, section 5.1
LOADED_ONCE = ("model", "engine", "retrieval", "run")  # sections that all variants share


@dataclass(frozen=True)
class Variant:
    """A strategy with its settings; ``name`` is what the user wrote."""

    name: str
    settings: Settings


def parse_variants(text: str, profile: str, given: dict[str, Any]) -> list[Variant]:
    """The variants of a list such as ``got,got:debate=false,got:branches=3``.

    Args:
        given: settings of the command line that hold for all variants.

    Raises:
        SettingsError: no such strategy or setting, a setting that all variants share, or a variant named twice.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise SettingsError(f"--strategies {text!r}: expected different strategies, comma-separated")
    return [Variant(name, load(profile, {**given, **_changes(name)})) for name in names]


def _changes(name: str) -> dict[str, Any]:
    strategy, *changes = name.split(":")
    if strategy not in STRATEGIES:
        raise SettingsError(f"--strategies: {unknown_strategy(strategy)}")
    values: dict[str, Any] = {"strategy": strategy}
    for change in changes:
        setting, separator, value = change.partition("=")
        own = [
            field for section, fields in SECTIONS.items() if section not in LOADED_ONCE for field in fields.model_fields
        ]
        if separator and setting in named(strategy).options.model_fields:
            values.setdefault("options", {})[setting] = value
            continue
        if not separator or setting not in own:
            raise SettingsError(
                f"--strategies {name!r}: expected setting=value with one of {', '.join(own)}; got {change!r}"
            )
        values[setting] = value
    return values


def repeats_of(settings: Settings) -> int:
    """How often a comparison runs each claim: with five seeds where a model may sample, otherwise once."""
    by_rules = settings.model.routes.get("ask_question", settings.model.backend) == "extractive"
    sampled = not by_rules and settings.model.temperature > 0
    return REPEATS if sampled else 1


class FinishedCheck(Record):
    """A claim's result with one variant, in one of its repeats; and whether a reply was sampled for it."""

    strategy: str
    repeat: int
    result: ClaimResult
    sampled: bool = True


class ComparisonJournal(RecordJournal[FinishedCheck]):
    """The journal of a comparison: its finished checks."""

    what = "finished check"

    def __init__(self, path: Path, identity: dict[str, str], resume: bool) -> None:
        super().__init__(path, identity, resume, FinishedCheck)


async def run_variants(
    engine: Engine,
    variants: Sequence[Variant],
    claims: Sequence[Claim],
    store: Path,
    repeats: int,
    journal: RecordJournal[FinishedCheck],
) -> dict[str, list[list[ClaimResult]]]:
    """Check the same claims with all variants, one variant after the other, each as a run of its own would.

    A store is read and ranked once for all of them. A further repeat checks the claims for which the first one sampled
    a reply; for the others it would say the same.

    Args:
        journal: gets each check as it ends; those that it holds are not made again.

    Returns:
        For each variant its repeats, each with the results in the order of ``claims``; one where nothing was sampled.
    """
    done = {(one.strategy, one.repeat, one.result.claim.id): one for one in journal.finished}
    rankings = journal.path.with_name("rankings")
    settings = engine.settings.retrieval
    settings = settings if settings.ranking_cache else settings.model_copy(update={"ranking_cache": str(rankings)})
    total = len(claims) * len(variants) * repeats
    progress = progress_bar(total=total, initial=len(done), unit="check", desc="comparing", smoothing=0.05)

    async def check_job(variant: Variant, repeat: int) -> None:
        job = with_seed(engine, variant, repeat)
        listening = SamplingListener(job.model)
        wanted = [claim for claim in claims if not repeat or done[variant.name, 0, claim.id].sampled]
        progress.total = (progress.total or 0) - (len(claims) - len(wanted))
        left = [claim for claim in wanted if (variant.name, repeat, claim.id) not in done]
        collection = StoreCollection(store, ranked_by)
        async with aclosing(Checker(replace(job, model=listening)).check_many(left, collection)) as checks:
            async for result in (checked.result async for checked in checks):
                sampled = result.claim.id in listening.sampled
                one = FinishedCheck(strategy=variant.name, repeat=repeat, result=result, sampled=sampled)
                journal.append(one)
                done[variant.name, repeat, result.claim.id] = one
                progress.update()

    ranked_by = engine.settings.model_copy(update={"retrieval": settings})
    with progress:
        for variant in variants:
            for repeat in range(repeats):
                await check_job(variant, repeat)
    shutil.rmtree(rankings, ignore_errors=True)

    def repeated(variant: Variant) -> list[list[ClaimResult]]:
        first = [done[variant.name, 0, claim.id] for claim in claims]
        differing = repeats if any(one.sampled for one in first) else 1
        return [
            [done.get((variant.name, repeat, one.result.claim.id), one).result for one in first]
            for repeat in range(differing)
        ]

    return {variant.name: repeated(variant) for variant in variants}


class SamplingListener:
    """A model that notes the claims of which a reply was sampled: only these can come out otherwise."""

    def __init__(self, model: Model) -> None:
        self.sampled: set[int] = set()
        self._model = model

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        self.sampled |= {request.task.claim.id for request in requests if request.temperature > 0}
        return await self._model.generate(requests)

    async def close(self) -> None:
        """See ``Model.close``."""
        await self._model.close()


def with_seed(engine: Engine, variant: Variant, repeat: int) -> Engine:
    """The engine with a variant's settings and, for a further repeat, another seed."""
    model = variant.settings.model
    seeded = model.model_copy(update={"seed": model.seed + 1000 * repeat})
    return replace(engine, settings=variant.settings.model_copy(update={"model": seeded}))


RESAMPLES = 2000
SEED = 20260
LEVEL = 0.95


class Interval(Record):
    """A value with the ends of its confidence interval."""

    value: float
    low: float
    high: float


class Scores(Record):
    """How one strategy did.

    Attributes:
        difference: accuracy less that of the first strategy of the comparison.
        false_positive_rates: by label, the share of the claims of other labels that were given it (DebateCV, table 4).
        rounds, calls, tokens_in, tokens_out, seconds: means a claim.
        failures: failures that were survived, a claim.
    """

    strategy: str
    repeats: int
    accuracy: Interval
    difference: Interval
    macro_f1: Interval
    false_positive_rates: dict[Label, float]
    rounds: float
    calls: float
    tokens_in: float
    tokens_out: float
    seconds: float
    failures: float
    cut_short: float


def compare(
    gold: Sequence[Label], runs: dict[str, list[list[ClaimResult]]], *, two_labels: bool = False
) -> list[Scores]:
    """Score strategies on the same claims.

    Args:
        gold: label of each claim.
        two_labels: whether there are but two, for gold and for all strategies alike (see ``Label.of_two``).
        runs: for each strategy its repeats, each with one result a claim, in the order of ``gold``.
    """
    names = TWO_LABELS if two_labels else tuple(Label)

    def numbered(labels: Iterable[Label]) -> list[int]:
        return [names.index(label.of_two if two_labels else label) for label in labels]

    truth = np.array(numbered(gold))
    draws = np.random.default_rng(SEED).integers(len(gold), size=(RESAMPLES, len(gold)))
    predicted = {
        strategy: np.array([numbered(result.verdict.label for result in repeat) for repeat in repeats])
        for strategy, repeats in runs.items()
    }
    correct = {strategy: (labels == truth).mean(axis=0) for strategy, labels in predicted.items()}
    first = next(iter(correct.values()))
    return [
        Scores(
            strategy=strategy,
            repeats=len(repeats),
            accuracy=_mean(correct[strategy], draws),
            difference=_mean(correct[strategy] - first, draws),
            macro_f1=_macro_f1(truth, predicted[strategy], draws, len(names)),
            false_positive_rates=_false_positive_rates(truth, predicted[strategy], names),
            **_costs([result for repeat in repeats for result in repeat]),
        )
        for strategy, repeats in runs.items()
    ]


def save_comparison(
    folder: Path, scores: Sequence[Scores], runs: dict[str, list[list[ClaimResult]]], facts: dict[str, Any]
) -> None:
    """Write ``comparison.json``, the scores with the machine, and ``comparison.jsonl``, each claim's verdicts."""
    folder.mkdir(parents=True, exist_ok=True)
    report = {**facts, "scores": [one.model_dump(mode="json") for one in scores], "machine": describe_machine()}
    (folder / "comparison.json").write_bytes(orjson.dumps(report, option=orjson.OPT_INDENT_2))
    rows = (
        {
            "claim_id": result.claim.id,
            "strategy": strategy,
            "repeat": number,
            **result.verdict.model_dump(mode="json"),
            "timing": result.timing.model_dump(mode="json"),
        }
        for strategy, repeats in runs.items()
        for number, results in enumerate(repeats)
        for result in results
    )
    with (folder / "comparison.jsonl").open("wb") as file:
        file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def macro_f1(truth: NDArray[np.int64], predicted: NDArray[np.int64], labels: int = len(Label)) -> NDArray[np.float64]:
    """Mean F1 of so many labels; as in the submission's scores, one that never occurs counts 0.

    Args:
        truth: (..., claims) numbers of labels.
        predicted: the same shape.

    Returns:
        One score for each row, (...,).
    """
    *rows, claims = truth.shape
    offsets = np.arange(max(1, truth.size // max(1, claims)))[:, None] * labels**2
    cells = (truth * labels + predicted).reshape(-1, claims) + offsets
    confusion = np.bincount(cells.ravel(), minlength=offsets.size * labels**2).reshape(*rows, labels, labels)
    totals = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    return np.asarray((2 * hits / np.maximum(1, totals)).mean(axis=-1))


def _mean(values: NDArray[np.float64], draws: NDArray[np.int64]) -> Interval:
    return _interval(float(values.mean()), values[draws].mean(axis=1))


def _macro_f1(
    truth: NDArray[np.int64], predicted: NDArray[np.int64], draws: NDArray[np.int64], labels: int
) -> Interval:
    value = np.mean([macro_f1(truth, found, labels) for found in predicted])
    resampled = [macro_f1(truth[draws], found[draws], labels) for found in predicted]
    return _interval(float(value), np.mean(resampled, axis=0))


def _interval(value: float, resampled: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(value=value, low=float(low), high=float(high))


def _false_positive_rates(
    truth: NDArray[np.int64], predicted: NDArray[np.int64], names: Sequence[Label]
) -> dict[Label, float]:
    rates = {}
    for index, label in enumerate(names):
        others = predicted[:, truth != index]
        rates[label] = float((others == index).mean()) if others.size else 0.0
    return rates


def _costs(results: Sequence[ClaimResult]) -> dict[str, float]:
    timings = [result.timing for result in results]
    columns: dict[str, list[float]] = {
        "rounds": [timing.rounds for timing in timings],
        "calls": [timing.cost.calls for timing in timings],
        "tokens_in": [timing.cost.tokens_in for timing in timings],
        "tokens_out": [timing.cost.tokens_out for timing in timings],
        "seconds": [timing.seconds for timing in timings],
        "failures": [len(result.failures) for result in results],
        "cut_short": [timing.cut_short for timing in timings],
    }
    return {name: float(np.mean(values)) for name, values in columns.items()}
