"""Fit the verdict of the extractive reader on AVeriTeC's training split.

``python -m training reader --claims train.json --output system/models/extractive/verdict.json``

Each claim is checked with the very strategy and reader of a run, on a store made of gold answers (``pseudo_stores``).
Every judgement that a branch asks for becomes an example: its features, with the label of its claim.
"""

import argparse
import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from knowledge_store.dense.encoder import CachingEncoder, Encoder, SentenceEncoder
from knowledge_store.pages.page import Page
from knowledge_store.ranking import rank
from system.check import Engine, check
from system.gold import REMEDY, GoldAnswer, GoldClaim, read_gold
from system.models.base import Completion, Model, Request, Result
from system.models.extractive import ExtractiveModel
from system.models.extractive.findings import findings
from system.models.extractive.grammar import noun_phrases
from system.models.extractive.similarity import Similarity
from system.models.extractive.verdict import FEATURES, features, speak_of_claim
from system.records import AnswerType, Claim, Label
from system.settings import RunSettings, Settings
from system.tasks.judge_claim import JudgeClaim, VerdictReply
from training import TrainingError

NEIGHBORS = 10  # claims of the same topic in a store
STRANGERS = 30  # claims of any topic in a store


def pseudo_stores(claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> list[list[Page]]:
    """A store for each claim: its own gold answers among those of other claims, as pages.

    AVeriTeC's training split comes without a knowledge store. What the annotators found stands in for the web: a
    claim's own answers, those of the claims nearest to it (the topic) and those of claims at random (the noise).
    Unanswerable questions leave no page, so a claim without evidence has none here either.
    """
    generator = np.random.default_rng(seed)
    vectors = encoder.encode([one.claim.text for one in claims])
    made = [pages(annotated) for annotated in claims]  # each once: every claim is in the stores of forty others
    stores = []
    for i in range(len(claims)):
        neighbors = np.argsort(-(vectors @ vectors[i]).round(4), kind="stable")
        strangers = generator.permutation(len(claims))
        members = [i, *_first_others(neighbors, i, NEIGHBORS), *_first_others(strangers, i, STRANGERS)]
        texts = dict.fromkeys(page for member in dict.fromkeys(members) for page in made[member])
        order = generator.permutation(len(texts))
        items = list(texts)
        stores.append([Page(number, items[j][0], (items[j][1],)) for number, j in enumerate(order)])
    return stores


def _first_others(order: NDArray[np.int64], own: int, limit: int) -> list[int]:
    return [int(other) for other in order[: limit + 1] if other != own][:limit]


def pages(annotated: GoldClaim) -> list[tuple[str, str]]:
    """Address and text of the pages that a claim's gold answers make."""
    texts = ((answer.url or f"claim:{annotated.claim.id}", _page_text(answer)) for answer in annotated.answers)
    return [(url, text) for url, text in texts if text]


def _page_text(answer: GoldAnswer) -> str:
    """What a page says, or nothing where the answer stands on none.

    Annotators leave out what their question already says, web pages do not: what the question names comes first, as in
    a headline.
    """
    if answer.type is AnswerType.UNANSWERABLE or answer.medium == "Metadata":
        return ""
    return f"{', '.join(noun_phrases(answer.question))}: {answer.explanation or answer.text}"


BALANCE = 0.5  # weight of a label is its frequency to the power of minus this: 0 ignores rare labels, 1 evens all out
REGULARISATION = 1.0  # inverse strength of the L2 penalty


@dataclass(frozen=True)
class Examples:
    """Judgements to learn from.

    Attributes:
        measured: (examples, features) float64.
        labels: (examples,) the claims' gold labels.
        weights: (examples,) float64; those of one claim sum to 1.
    """

    measured: NDArray[np.float64]
    labels: list[str]
    weights: NDArray[np.float64]


class Recorder:
    """A model that reads like another but never concludes, so that each branch asks as often as it may."""

    def __init__(self, reader: Model) -> None:
        self._reader = reader
        self.judgements: list[JudgeClaim] = []

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``; judgements are kept instead of made."""
        tasks = [request.task for request in requests]
        if not any(isinstance(task, JudgeClaim) for task in tasks):
            return await self._reader.generate(requests)
        self.judgements += [task for task in tasks if isinstance(task, JudgeClaim)]
        reply = VerdictReply(justification="recorded", label=Label.NOT_ENOUGH_EVIDENCE)
        return [Completion(reply=reply) for _ in tasks]

    async def close(self) -> None:
        """See ``Model.close``."""
        await self._reader.close()


def judgements(claim: Claim, store: Sequence[Page], encoder: Encoder, reader: Model) -> list[JudgeClaim]:
    """What a run would have to judge about a claim."""
    settings = Settings(run=RunSettings(budget=3600.0))
    recorder = Recorder(reader)
    ranked = rank(store, claim.text, settings.retrieval, name=f"claim {claim.id}")
    result, _ = asyncio.run(check(Engine(recorder, encoder, settings), claim, ranked))
    if result.failures:
        raise RuntimeError(f"claim {claim.id}: {result.failures[0].operation} failed: {result.failures[0].message}")
    return recorder.judgements


def examples(claims: Sequence[GoldClaim], encoder: Encoder, seed: int) -> Examples:
    """Check all claims on their pseudo stores and measure every judgement."""
    reader, similarity = ExtractiveModel(encoder), Similarity(encoder)
    rows, labels, weights = [], [], []
    stores = pseudo_stores(claims, encoder, seed)
    for annotated, store in tqdm(zip(claims, stores, strict=True), total=len(claims), unit="claim"):
        measured = measure(judgements(annotated.claim, store, encoder, reader), similarity)
        rows += measured
        labels += [str(annotated.label)] * len(measured)
        weights += [1 / len(measured)] * len(measured)
    return Examples(np.array(rows), labels, np.array(weights))


def measure(tasks: Sequence[JudgeClaim], similarity: Similarity) -> list[NDArray[np.float64]]:
    """The features, (features,) float64, of each judgement that the regression has to make."""
    found = ((task.claim, findings(task.claim.text, task.pairs, similarity)) for task in tasks)
    return [features(claim, sentences).vector() for claim, sentences in found if speak_of_claim(sentences)]


def fit(given: Examples) -> LogisticRegression:
    """Fit the regression; rare labels weigh more (``BALANCE``)."""
    frequency = Counter[str]()
    for label, weight in zip(given.labels, given.weights, strict=True):
        frequency[str(label)] += weight
    total = sum(frequency.values())
    class_weight = {label: (total / (len(frequency) * count)) ** BALANCE for label, count in frequency.items()}
    model = LogisticRegression(C=REGULARISATION, class_weight=class_weight, max_iter=5000)
    return model.fit(given.measured, given.labels, sample_weight=given.weights)


def describe(model: LogisticRegression, provenance: dict[str, Any]) -> dict[str, Any]:
    """The weights as they are shipped."""
    rows = dict(zip(model.classes_, zip(model.intercept_, model.coef_, strict=True), strict=True))
    return {
        "provenance": provenance,
        "labels": {
            str(label): {
                "intercept": round(float(intercept), 4),
                "weights": dict(zip(FEATURES, weights.round(4).tolist(), strict=True)),
            }
            for label, (intercept, weights) in ((label, rows[str(label)]) for label in Label)
        },
    }


def add_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``reader`` to the training commands."""
    reader = commands.add_parser("reader", help="fit the verdict of the extractive reader")
    reader.add_argument("--claims", type=Path, required=True, help="AVeriTeC's train.json, with its annotations")
    reader.add_argument("--output", type=Path, required=True, help="file for the fitted weights (JSON)")
    reader.add_argument("--encoder", default="all-MiniLM-L6-v2", help="bi-encoder (default: %(default)s)")
    reader.add_argument("--seed", type=int, default=1, help="random seed of the choice of pages (default: %(default)s)")
    reader.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    train(options.claims, options.output, options.encoder, options.seed)
    print(f"wrote {options.output}")


def train(claims_file: Path, output: Path, encoder_name: str, seed: int) -> None:
    """Fit on an annotated split and write the weights.

    Raises:
        ClaimsError: the claims are not annotated.
        TrainingError: a label is missing among them.
    """
    claims = [one for one in read_gold(claims_file) if one.claim.text.strip()]  # the official split has a blank one
    if missing := [str(label) for label in Label if all(one.label is not label for one in claims)]:
        raise TrainingError(f"{claims_file}: expected claims of all four labels, got none labeled {missing}; {REMEDY}")
    given = examples(claims, CachingEncoder(SentenceEncoder(encoder_name)), seed)
    provenance = {
        "made by": f"python -m training reader --claims {claims_file.name} --encoder {encoder_name} --seed {seed}",
        "data": "AVeriTeC training split (Schlichtkrull et al., 2023), CC BY-NC 4.0; only fitted numbers are kept",
        "sha256": hashlib.sha256(claims_file.read_bytes()).hexdigest(),
        "seed": seed,
        "claims": dict(Counter(str(one.label) for one in claims)),
        "judgements": len(given.labels),
        "balance": BALANCE,
        "C": REGULARISATION,
        "versions": {name: version(name) for name in ("scikit-learn", "numpy", "sentence-transformers", "HanTa")},
    }
    output.write_text(json.dumps(describe(fit(given), provenance), indent=1) + "\n", encoding="utf-8")
