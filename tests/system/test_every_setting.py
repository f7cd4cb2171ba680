"""Every setting changes something: a run with the scripted model, or what another test shows."""

import asyncio
from datetime import date
from pathlib import Path

import pytest

from knowledge_store.pages.page import Page
from knowledge_store.ranking import rank
from knowledge_store.settings import RetrievalSettings
from system.check import Engine, check
from system.graph.records import Label
from system.models.scripted import ScriptedModel
from system.runner.checking import PooledChecks
from system.settings import SECTIONS, Settings, SettingsError, load, strategies
from system.strategies.debate.tasks import CONTINUE, Moderate, RulingReply
from system.strategies.steps.tasks.judge_claim import JudgeClaim, VerdictReply
from tests.helpers import by_strategy
from tests.helpers.bridge import CLAIM, PAGES, Answers, BagOfWords, settings_with

TESTS = Path(__file__).parents[1]
STORE = (
    *PAGES,
    ("https://www.politifact.com/aster", "The Aster bridge never opened, and the claim about 1932 is false."),
    ("https://news.example/2021/06/30/aster", "The Aster bridge opened again in June, wrote the paper."),
    ("https://copy.example", "They say: The Aster bridge opened in 1932. Is that so?"),
    (
        "https://zeitung.example",
        "Die Brücke über die Aster wurde im Jahr 1932 für den Verkehr geöffnet, sagt die Stadt.",
    ),
    ("https://long.example", "The Aster bridge of 1932 opened with a parade. " * 30),
)

# By setting: the value that changes something, and what else is set in both runs. Plain: strategy got.
WIDE: dict[str, object] = {"graph__branches": 3, "graph__stop_early": False}
HOPS: dict[str, object] = {"multi_hop__multi_hop": True, "retrieval__top_k": 5}
DEBATE: dict[str, object] = {"strategy": "debatecv"}
RUNS: dict[str, tuple[object, dict[str, object]]] = {
    "graph.questions": (1, {}),
    "graph.branches": (1, {}),
    "graph.depth": (1, WIDE),
    "graph.verification": (True, {}),
    "graph.duplicate_threshold": (0.01, {}),
    "graph.debate": (False, WIDE),
    "graph.pool": (True, {"graph__debate": False}),
    "graph.second_opinion": (True, WIDE),
    "graph.stop_early": (True, WIDE),
    "graph.two_labels": (True, {"graph__debate": False, "graph__branches": 1, "graph__depth": 2}),
    "graph.justify": (False, {}),
    "debate.rounds": (1, DEBATE),
    "debate.evidence": ("none", DEBATE),
    "debate.exhibits": (1, DEBATE),
    "model.temperature": (0.1, {}),
    "model.seed": (2, {}),
    "retrieval.chunk_size": (300, {"retrieval__top_k": 5}),
    "retrieval.chunk_overlap": (0, {"retrieval__chunk_size": 300, "retrieval__top_k": 8}),
    "retrieval.tokenization": ("whitespace", {"retrieval__bm25_top_k": 3}),
    "retrieval.bm25_top_k": (1, {}),
    "retrieval.dense_candidates": (1, {"retrieval__top_k": 5}),
    "retrieval.top_k": (1, {}),
    "retrieval.fact_checks": (False, {"retrieval__top_k": 8}),
    "retrieval.claim_copies": (False, {"retrieval__top_k": 8}),
    "retrieval.later_pages": (False, {"retrieval__top_k": 8}),
    "retrieval.languages": (["en"], {"retrieval__top_k": 8}),
    "multi_hop.multi_hop": (True, {}),
    "multi_hop.beam_width": (1, HOPS),
    "multi_hop.hops": (1, HOPS),
    "multi_hop.hop_candidates": (1, HOPS),
    "run.budget": (1e-9, {}),
    **dict(by_strategy.all_of("RUNS")),
}
# What has its effect outside of a check by a loaded model: the file whose tests show it, and a word of theirs.
ELSEWHERE = {
    "model.backend": ("system/models/test_routed.py", "backend"),
    "model.model": ("system/models/test_transformers.py", "TransformersModel"),
    "model.other_models": ("system/models/test_server.py", "other_models"),
    "model.adapters": ("system/models/test_adapters.py", "adapters"),
    "model.routes": ("system/models/test_routed.py", "routes"),
    "engine.context": ("system/models/test_transformers.py", "context"),
    "engine.sequences": ("system/models/test_transformers.py", "sequences"),
    "engine.batched_tokens": ("system/models/test_vllm.py", "batched_tokens"),
    "engine.gpu_memory": ("system/hardware/test_memory.py", "gpu_memory"),
    "engine.encoder_memory": ("system/hardware/test_memory.py", "encoder_memory"),
    "engine.eager": ("system/models/test_vllm.py", "eager"),
    "engine.prefix_cache": ("system/models/test_vllm.py", "prefix_cache"),
    "engine.dtype": ("system/models/test_transformers.py", "dtype"),
    "engine.address": ("system/models/test_server.py", "address"),
    "engine.timeout": ("system/models/test_server.py", "timeout"),
    "engine.server_attempts": ("system/models/test_server.py", "server_attempts"),
    "retrieval.search": ("knowledge_store/searchers/test_searxng.py", "search"),
    "retrieval.search_results": ("knowledge_store/searchers/test_archive.py", "search_results"),
    "retrieval.search_folder": ("knowledge_store/searchers/test_searxng.py", "search_folder"),
    "retrieval.ranking_cache": ("knowledge_store/test_ranking_cache.py", "ranking_cache"),
    "retrieval.encoder": ("knowledge_store/dense/test_encoder.py", "encoder"),
    "retrieval.encoder_code": ("knowledge_store/dense/test_encoder.py", "encoder_code"),
    "retrieval.encoder_runtime": ("knowledge_store/dense/test_openvino.py", "openvino"),
    "reading.document_strategy": ("system/test_settings.py", "document_strategy"),
    "reading.verifier": ("system/verifier/test_verifier.py", "load_verifier"),
    "run.claim_limit": ("system/runner/test_checking.py", "claim_limit"),
    "run.reserve": ("system/runner/test_checker.py", "reserve"),
    "run.max_concurrent_claims": ("system/runner/test_checker.py", "max_concurrent_claims"),
    "run.workers": ("system/runner/test_run.py", "workers"),
    "run.calibration": ("system/test_settings.py", "calibration"),
    "run.prefetch": ("system/test_every_setting.py", "run__prefetch"),
}
SETTINGS = [f"{section}.{name}" for section, fields in SECTIONS.items() for name in fields.model_fields]


def settings_of(changes: dict[str, object]) -> Settings:
    sections = {name: value for name, value in changes.items() if "__" in name}
    strategy = str(changes.get("strategy", "got"))
    return settings_with(**sections).model_copy(update={"strategy": strategy})


def checked(changes: dict[str, object]) -> tuple[object, ...]:
    """All that a run shows: what was asked and how, the verdict, the evidence."""
    settings = settings_of(changes)
    answers = Answers()
    labels = {"When": Label.SUPPORTED, "Who": Label.SUPPORTED}
    answers.replace[JudgeClaim] = lambda request: VerdictReply(
        justification="So.", label=labels.get(request.task.pairs[0].question.split()[0], Label.NOT_ENOUGH_EVIDENCE)
    )
    answers.replace[Moderate] = lambda request: RulingReply(
        insight=f"Round {len(request.task.rulings)}.", gaps="", reason="More.", decision=CONTINUE
    )
    if settings.graph.branches == 1 and settings.graph.questions == 3:
        answers.replace[JudgeClaim] = lambda _: VerdictReply(justification="So.", label=Label.NOT_ENOUGH_EVIDENCE)
    pages = [Page(number, url, (text,)) for number, (url, text) in enumerate(STORE)]
    model = ScriptedModel(answers)
    ranked = rank(pages, CLAIM.text, settings.retrieval, date(2021, 5, 3))
    result, _ = asyncio.run(check(Engine(model, BagOfWords(), settings), CLAIM, ranked))
    requests = sorted((repr(request.task), request.temperature, request.seed) for request in model.requests)
    return requests, result.verdict.label, result.pairs, result.timing.cut_short


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_changes_a_run_or_is_shown_elsewhere(setting: str) -> None:
    if setting in ELSEWHERE:
        file, word = ELSEWHERE[setting]
        assert word in (TESTS / file).read_text(), f"{file} says nothing of {setting}"
        return
    value, base = RUNS[setting]
    assert checked(base) != checked({**base, setting.replace(".", "__"): value})


def test_stores_wait_for_their_turn_as_the_settings_say(make_engine) -> None:
    async def rank_nothing(claim: object) -> object:
        raise NotImplementedError

    places = [PooledChecks(make_engine(run__prefetch=number), rank_nothing).places for number in (1, 5)]
    assert places[1] - places[0] == 4


@pytest.mark.parametrize("strategy", strategies())
@pytest.mark.parametrize("evidence", ["none", "gold"])
def test_evidence_that_is_not_retrieved_is_not_searched_for(make_case, strategy: str, evidence: str) -> None:
    if strategy in ("got", "entailment"):
        if evidence == "none":
            with pytest.raises(SettingsError, match="nothing to do"):
                load("embedded", {"strategy": strategy, "evidence": evidence})
        return
    from system.graph.thoughts import Evidence
    from system.strategies import STRATEGIES

    case = make_case(debate__evidence=evidence, graph__debate=True)
    asyncio.run(STRATEGIES[strategy](case))
    found = [(thought.operation, thought.content.passage) for thought in case.graph.holding(Evidence)]
    assert found == [("gather", passage) for passage in case.gold_passages if evidence == "gold"]


@pytest.mark.parametrize("strategy", strategies())
@pytest.mark.parametrize("budget", [3600.0, 1e-9])
def test_with_two_labels_nothing_else_is_ever_concluded(make_engine, answers, strategy: str, budget: float) -> None:
    undecided = VerdictReply(justification="So.", label=Label.NOT_ENOUGH_EVIDENCE)
    answers.replace[JudgeClaim] = lambda _: undecided
    engine = make_engine(graph__two_labels=True, run__budget=budget)
    engine = Engine(engine.model, engine.encoder, engine.settings.model_copy(update={"strategy": strategy}))
    for pages in (PAGES, ()):
        ranked = rank([Page(n, url, (text,)) for n, (url, text) in enumerate(pages)], CLAIM.text, RetrievalSettings())
        result, _ = asyncio.run(check(engine, CLAIM, ranked))
        assert result.verdict.label in (Label.SUPPORTED, Label.REFUTED)
