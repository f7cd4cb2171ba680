"""Every setting changes something: a run with the scripted model, or what another test shows."""

import asyncio
from datetime import date
from threading import Barrier

import pytest

from knowledge_store.dense.encoder import SentenceEncoder
from knowledge_store.isolation import Workers
from knowledge_store.pages.page import Page
from knowledge_store.ranking import RankedStore, rank
from system.averitec.claims import ClaimsError
from system.check import check, load_engine
from system.checker import each
from system.graph.records import Calibration, Label
from system.reader.base import ReaderUnavailable
from system.runner.run import LocalChecker
from system.settings import SECTIONS, SettingsError, load
from system.strategies import STRATEGIES
from system.strategies.base import OF_ALL, asked_by, unused
from system.strategies.debate.tasks import CONTINUE, Moderate, RulingReply
from system.strategies.steps.tasks import JudgeClaim, VerdictReply
from tests.helpers import by_strategy
from tests.helpers.bridge import CLAIM, PAGES, Answers, BagOfWords, engine_of, store_of
from tests.helpers.processes import PATIENCE

STORE = (
    *PAGES,
    (
        "https://www.politifact.com/aster",
        "The Aster bridge never opened, and the claim about 1932 is false, found PolitiFact.",
    ),
    ("https://news.example/2021/06/30/aster", "The Aster bridge opened again in June, wrote the Halden paper."),
    ("https://copy.example", "They say: The Aster bridge opened in 1932. So says all of Halden."),
    (
        "https://zeitung.example",
        "Die Brücke über die Aster wurde im Jahr 1932 nach 12 Jahren für den Verkehr geöffnet, sagt die Stadt.",
    ),
    ("https://long.example", "Drums opened the Aster bridge in 1932 with a parade of 80 soldiers. " * 30),
)

# By setting: the value that changes something, and what else is set in both runs. Plain: strategy got.
WIDE: dict[str, object] = {"graph__branches": 3, "graph__stop_early": False}
DEBATE: dict[str, object] = {"strategy": "debatecv"}
RUNS: dict[str, tuple[object, dict[str, object]]] = {
    "graph.branches": (1, {}),
    "graph.depth": (1, WIDE),
    "graph.verification": (True, {}),
    "graph.debate": (False, WIDE),
    "graph.stop_early": (True, WIDE),
    "graph.two_labels": (True, {"graph__debate": False, "graph__branches": 1, "graph__depth": 2}),
    "debate.rounds": (1, DEBATE),
    "debate.evidence": ("none", DEBATE),
    "retrieval.chunk_size": (80, {"retrieval__top_k": 5}),
    "retrieval.dense_candidates": (1, {"retrieval__top_k": 5}),
    "retrieval.top_k": (1, {}),
    "retrieval.fact_checks": (False, {"retrieval__top_k": 8}),
    "retrieval.later_pages": (False, {"retrieval__top_k": 8}),
    "run.budget": (1e-9, {}),
    "options.hypothetical": (2, {}),
    "options.relevance": (0.2, {"retrieval__top_k": 2}),
    "options.surroundings": (True, {}),
    **dict(by_strategy.all_of("RUNS")),
}
# What has its effect outside of a check by a loaded model, where other tests show it.
ELSEWHERE = {
    "model.backend", "model.model", "model.other_models", "model.adapters", "engine.context", "engine.gpu_memory",
    "engine.encoder_memory", "engine.timeout", "engine.address", "retrieval.search", "retrieval.search_folder",
    "retrieval.encoder", "reading.document_strategy", "reading.verifier",
    "run.max_concurrent_claims", "run.workers", "run.calibration",
}  # fmt: skip
SETTINGS = [f"{section}.{name}" for section, fields in SECTIONS.items() for name in fields.model_fields]
OPTIONS = [setting for setting in RUNS if setting.startswith("options.")]


def checked(changes: dict[str, object]) -> tuple[object, ...]:
    """All that a run shows: what was asked and how, the verdict, the evidence."""
    answers = Answers()
    engine = engine_of(answers, **changes)
    settings = engine.settings
    labels = {"When": Label.SUPPORTED, "Who": Label.SUPPORTED}
    answers.replace[JudgeClaim] = lambda request: VerdictReply(
        justification="So.", label=labels.get(request.task.pairs[0].question.split()[0], Label.NOT_ENOUGH_EVIDENCE)
    )
    answers.replace[Moderate] = lambda request: RulingReply(
        insight=f"Round {len(request.task.rulings)}.", gaps="", reason="More.", decision=CONTINUE
    )
    if settings.graph.branches == 1:
        answers.replace[JudgeClaim] = lambda _: VerdictReply(justification="So.", label=Label.NOT_ENOUGH_EVIDENCE)
    pages = [Page(number, url, (text,)) for number, (url, text) in enumerate(STORE)]
    ranked = rank(pages, CLAIM.text, settings.retrieval, date(2021, 5, 3))
    result, _ = asyncio.run(check(engine, CLAIM, ranked))
    requests = sorted((repr(request.task), request.temperature, request.seed) for request in engine.model.requests)
    return requests, result.verdict.label, result.pairs, result.timing.cut_short


def test_every_setting_is_shown_to_matter() -> None:
    assert {*SETTINGS} == {*RUNS, *ELSEWHERE} - {*OPTIONS}


@pytest.mark.parametrize("setting", RUNS)
def test_a_setting_changes_a_run(setting: str) -> None:
    value, base = RUNS[setting]
    assert checked(base) != checked({**base, setting.replace(".", "__"): value})


CHOSEN = [setting for setting in RUNS if setting.split(".")[0] not in ("options", *OF_ALL)]
ALWAYS = ("graph.two_labels", "debate.evidence")  # of every strategy; refused or shown below for some


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_says_which_settings_it_ignores(strategy: str) -> None:
    for setting in (one for one in CHOSEN if one not in ALWAYS):
        value, base = RUNS[setting]
        field = setting.replace(".", "__")
        runs = ({**each, "strategy": strategy} for each in (base, WIDE, {}))
        ignored = all(checked(run) == checked({**run, field: value}) for run in runs)
        assert ignored == bool(unused(strategy, [setting.split(".")[1]])), setting


@pytest.mark.parametrize("workers", [1, 3])
def test_as_many_stores_are_ranked_at_once_as_workers(make_engine, monkeypatch, tmp_path, workers) -> None:
    ranking, most, all_of_them = [], [], Barrier(workers, timeout=PATIENCE)

    def call(self: Workers, *_: object, **__: object) -> RankedStore:
        ranking.append(self)
        most.append(len(ranking))
        all_of_them.wait()
        ranking.pop()
        return store_of(PAGES)

    async def run() -> None:
        engine = make_engine(run__workers=workers, run__max_concurrent_claims=3)
        async with LocalChecker(engine, tmp_path, claims) as checker:
            assert len([one async for one in each(checker.check, claims, checker.places)]) == 6

    monkeypatch.setattr(Workers, "call", call)
    claims = [CLAIM.model_copy(update={"id": number}) for number in range(6)]
    asyncio.run(run())
    assert max(most) == workers and len(most) == 6


def test_an_engine_has_what_its_settings_name(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(SentenceEncoder, "of", lambda settings: BagOfWords())
    curve = Calibration(confidences=(0.0, 1.0), probabilities=(0.0, 0.5))
    (tmp_path / "curve.json").write_text(curve.model_dump_json())
    assert load_engine(load("laptop", {})).calibration is None
    assert load_engine(load("laptop", {"calibration": str(tmp_path / "curve.json")})).calibration == curve
    with pytest.raises(ReaderUnavailable, match="none"):
        load_engine(load("laptop", {"verifier": str(tmp_path / "none")}))


@pytest.mark.parametrize(
    ("strategy", "given", "fault"),
    [
        ("got", {"options": {"surrounding": "yes"}}, r"options of strategy got \(examples, .*: surrounding: "),
        ("got", {"options": {"surroundings": "perhaps"}}, "surroundings: expected .*'perhaps'"),
        ("got", {"options": {"examples": "nowhere.json"}}, "nowhere.json not found"),
        ("debatecv", {"options": {"drafts": "false"}}, r"options of strategy debatecv \(none\): drafts"),
        *((name, {"evidence": "none"}, "nothing to do") for name in ("got", "entailment")),
    ],
)
def test_a_setting_with_which_the_strategy_cannot_run_is_named(strategy, given, fault) -> None:
    with pytest.raises((SettingsError, ClaimsError), match=fault):
        asked_by(load("laptop", {"strategy": strategy, **given}))
    asked_by(load("laptop", {"strategy": "got", "options": {"surroundings": "yes"}}))
