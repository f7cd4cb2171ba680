"""Fixtures of the engine's tests: cases about the bridge of ``bridge.py`` with a script for a model."""

import time
from collections.abc import Callable, Sequence

import pytest

from knowledge_store.dense.search import PassageIndex
from system.case import Case
from system.check import Engine
from system.deadline import Deadline
from system.settings import RESERVE
from tests.helpers.bridge import CLAIM, PAGES, Answers, engine_of, store_of


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def make_engine(answers: Answers) -> Callable[..., Engine]:
    """An engine on the script ``answers``; keyword arguments change settings."""
    return lambda **changes: engine_of(answers, **changes)


@pytest.fixture
def make_case(make_engine: Callable[..., Engine]) -> Callable[..., Case]:
    """A case of CLAIM over PAGES on the script ``answers``."""

    def make(pages: Sequence[tuple[str, str]] = PAGES, **changes: object) -> Case:
        engine = make_engine(**changes)
        ranked = store_of(pages)
        budget = engine.settings.run.budget
        return Case(
            claim=CLAIM,
            settings=engine.settings,
            model=engine.model,
            encoder=engine.encoder,
            index=PassageIndex(ranked, engine.encoder, engine.settings.retrieval),
            gold_passages=ranked.passages,
            deadline=Deadline(budget, reserve=RESERVE * budget, clock=time.monotonic),
        )

    return make
