"""Make the requested data sets from the annotated claims, the cheap ones first."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import orjson

from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from system.averitec.gold import GoldClaim, write_gold_store
from system.files.atomic import write_atomically
from system.files.journal import RecordJournal, identity_of
from system.graph.records import Record
from system.models.base import Model
from system.models.loading import load_model
from system.models.prompting import prompt_files
from system.settings import SEED, Settings
from training import TrainingError
from training.datasets.evidence import BI_ENCODER, Source, bi_encoder, cross_encoder
from training.datasets.gold import question_generation, verdict_prediction
from training.datasets.moderator import (
    Correction,
    Debate,
    correct,
    debate_settings,
    hold_debates,
    moderator_data,
    syndec,
)
from training.datasets.question_answering import Judgement, judge_entailment, question_answering
from training.datasets.samples import DataSet, Making, sha256_of, write_data_set
from training.datasets.stores import write_small_stores

SETS = ("question_generation", "verdict_prediction", "question_answering", "moderator")
R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class DataOrder:
    """An order: the data sets to make, and their sources.

    Attributes:
        claims_file: the annotated split.
        claims: the claims of it that are used.
        settings: of the model that judges, debates and corrects, and of retrieval.
        store: knowledge store of the claims, or None.
        scorer: cross-encoder that finds an answer's passage, or ``BI_ENCODER``.
        partial: see ``verdict_prediction``.
        overwrite: start over instead of resuming.
    """

    claims_file: Path
    claims: Sequence[GoldClaim]
    sets: Sequence[str]
    settings: Settings
    store: Path | None
    scorer: str
    threshold: float
    partial: float
    overwrite: bool
    making: Making


async def produce(order: DataOrder) -> AsyncIterator[dict[str, Any]]:
    """Make the data sets in turn and yield the card of each as soon as it is written.

    Raises:
        TrainingError: a scorer cannot be loaded, or no debate reached a verdict.
        OSError: a file cannot be written.
        EncoderUnavailable, ModelUnavailable: what judges or debates cannot be loaded.
        JournalError: the folder holds work of another order.
    """
    if "question_generation" in order.sets:
        yield write_data_set(question_generation(order.claims), order.making)
    if "verdict_prediction" in order.sets:
        yield write_data_set(verdict_prediction(order.claims, order.partial), order.making)
    if not {"question_answering", "moderator"} & set(order.sets):
        return
    encoder = SentenceEncoder.of(order.settings.retrieval)
    async with _model(order, encoder) as model:
        if "question_answering" in order.sets:
            yield write_data_set(await _question_answering(order, encoder, model), order.making)
        if "moderator" in order.sets and model:
            for data in await _moderator(order, encoder, model):
                yield write_data_set(data, order.making)


@asynccontextmanager
async def _model(order: DataOrder, encoder: Encoder) -> AsyncIterator[Model | None]:
    """Load the model that judges passages of a store and debates; None if there is neither.

    The moderator's adapter, which is still to be trained, is left out.
    """
    if not order.store and "moderator" not in order.sets:
        yield None
        return
    model = load_model(debate_settings(order.settings), encoder)
    try:
        yield model
    finally:
        await model.close()


async def _question_answering(order: DataOrder, encoder: Encoder, model: Model | None) -> DataSet:
    scores = bi_encoder(encoder) if order.scorer == BI_ENCODER else cross_encoder(order.scorer)
    source = Source(order.store, order.settings.retrieval, order.scorer, scores, order.threshold)
    if order.store is None or model is None:
        return await question_answering(order.claims, source)
    judged_with = {"knowledge store": str(order.store.resolve()), "scorer": order.scorer}
    with _journal(order, "entailment", Judgement, judged_with) as journal:
        data = await question_answering(order.claims, source, partial(judge_entailment, model, journal))
    return replace(data, notes={**data.notes, "entailment judged by": _name(order.settings)})


def debate_store(order: DataOrder, encoder: Encoder) -> Path:
    """Return the stores that debates retrieve from: those of the claims, or small ones."""
    folder = order.making.folder
    if order.settings.debate.evidence == "gold":
        return write_gold_store(order.claims_file, [one.claim for one in order.claims], folder / "gold")
    return order.store or write_small_stores(order.claims, encoder, folder / "stores", SEED)


async def _moderator(order: DataOrder, encoder: Encoder, model: Model) -> list[DataSet]:
    settings, folder = debate_settings(order.settings), order.making.folder
    claims = [annotated.claim for annotated in order.claims]
    labels = {annotated.claim.id: annotated.label for annotated in order.claims}
    store = debate_store(order, encoder)
    from_store = "small" if store.parent == folder else str(store.resolve())
    with _journal(order, "debates", Debate, {"stores of debates": from_store}) as held:
        debates = await hold_debates(model, encoder, settings, claims, store, held)
    if not debates:
        raise TrainingError("no debate reached a verdict; the warnings above say why")
    wrong = [debate for debate in debates if debate.label is not labels[debate.claim.id]]
    with _journal(order, "corrections", Correction, {}) as corrected:
        corrections = await correct(model, wrong, labels, corrected)
    lines = (orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in syndec(debates, labels, corrections))
    write_atomically(folder / "debates.jsonl", b"".join(lines))
    notes = {
        "debates": {
            "held by": _name(settings),
            "strategy": settings.strategy,
            "evidence": settings.debate.evidence,
            "stores": from_store,
            "rounds at most": settings.debate.rounds,
        },
        "corrections by": _name(settings),
    }
    return moderator_data(order.claims, debates, corrections, notes)


def _name(settings: Settings) -> str:
    return f"{settings.model.backend} {settings.model.model}".strip()


def _journal(order: DataOrder, name: str, kind: type[R], more: dict[str, str]) -> RecordJournal[R]:
    """Open the journal of one kind of work, to resume it unless the order says otherwise.

    Its identity leaves out which claims are wanted, so that a few can be tried before all.
    """
    folder = order.making.folder / "journals"
    folder.mkdir(parents=True, exist_ok=True)
    parts: dict[str, bool | set[str]] = {"engine": {"context"}}
    parts |= dict.fromkeys(("strategy", "graph", "debate", "model", "retrieval"), True)
    settings = debate_settings(order.settings).model_dump(mode="json", include=parts)
    prompts = hashlib.sha256(b"".join(path.read_bytes() for path in prompt_files())).hexdigest()
    inputs = [("claims", f"sha256 {sha256_of(order.claims_file)[:16]}"), ("prompts", prompts[:16]), *more.items()]
    return RecordJournal(folder / f"{name}.jsonl", identity_of(settings, inputs), not order.overwrite, kind)
