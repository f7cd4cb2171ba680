"""Strategies with settings of their own, run on the same claims."""

import asyncio

import orjson
import pytest

from system.app.variants import ComparisonJournal, parse_variants, repeats_of, run_variants
from system.check import Engine
from system.graph.records import Claim, Label
from system.models.scripted import ScriptedModel
from system.settings import SettingsError, load
from system.strategies.debate.tasks import Argue
from system.strategies.steps.tasks.judge_claim import JudgeClaim, VerdictReply
from tests.helpers.bridge import Answers, BagOfWords


def write_store(folder, *texts):
    for number, text in enumerate(texts):
        line = {"claim_id": str(number), "url": f"https://page{number}.example", "url2text": [text]}
        (folder / f"{number}.json").write_bytes(orjson.dumps(line))
    return folder


def test_a_variant_is_a_strategy_with_its_own_settings():
    got, ablated = parse_variants("got, debatecv:debate=false:rounds=2", "embedded", {"depth": 2, "strategy": "single"})
    assert (got.name, got.settings.strategy, got.settings.graph.depth) == ("got", "got", 2)
    assert ablated.settings.strategy == "debatecv" and ablated.settings.graph.depth == 2
    assert (ablated.settings.graph.debate, ablated.settings.debate.rounds) == (False, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected different strategies"),
        ("got,got", "expected different strategies"),
        ("gto", "expected one of .*; got 'gto', did you mean got"),
        ("got:width=3", "expected setting=value with one of questions, "),
        ("got:depth", "expected setting=value"),
        ("got:backend=vllm", "expected setting=value"),  # loaded once, for all
        ("got:depth=deep", "graph.depth"),
    ],
)
def test_rejects_bad_variants_by_name(text, message):
    with pytest.raises(SettingsError, match=message):
        parse_variants(text, "embedded", {})


def test_only_sampling_is_repeated():
    assert repeats_of(load("embedded", {})) == repeats_of(load("cpu", {})) == 1
    assert repeats_of(load("embedded", {"backend": "vllm", "model": "x"})) == 5
    assert repeats_of(load("embedded", {"backend": "vllm", "model": "x", "temperature": 0.0})) == 1


@pytest.mark.slow
def test_variants_share_stores_and_repeats_have_own_seeds(tmp_path):
    answers = Answers()
    store = write_store(tmp_path, "The Aster bridge opened in 1932, says Ann Berg.", "A second bridge opened in 1940.")
    answers.replace[JudgeClaim] = lambda r: VerdictReply(
        justification="x", label=Label.SUPPORTED if r.task.claim.id == 0 else Label.REFUTED
    )
    variants = parse_variants("got,debatecv:rounds=1", "embedded", {"top_k": 2, "questions": 2})
    engine = Engine(ScriptedModel(answers), BagOfWords(), variants[0].settings)
    claims = [Claim(id=0, text="The Aster bridge opened in 1932."), Claim(id=1, text="A bridge opened in 1941.")]
    with ComparisonJournal(tmp_path / "journal.jsonl", {}, resume=False) as journal:
        runs = asyncio.run(run_variants(engine, variants, claims, store, 2, journal))
    assert [len(repeats) for repeats in runs.values()] == [2, 2]
    assert [r.verdict.label for r in runs["got"][0]] == [Label.SUPPORTED, Label.REFUTED]
    assert all([r.claim.id for r in repeat] == [0, 1] for repeats in runs.values() for repeat in repeats)
    argued = [request for request in engine.model.requests if isinstance(request.task, Argue)]
    assert {request.seed for request in argued} == {1, 1001}
    asked = len(engine.model.requests)
    lines = (tmp_path / "journal.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 2 * 2
    gone = orjson.loads(lines.pop())  # as if the comparison had been stopped before its last check
    (tmp_path / "journal.jsonl").write_text("".join(lines))
    with ComparisonJournal(tmp_path / "journal.jsonl", {}, resume=True) as journal:
        again = asyncio.run(run_variants(engine, variants, claims, store, 2, journal))
    labels = [
        [[r.verdict.label for r in repeat] for repeat in repeats] for repeats in (*runs.values(), *again.values())
    ]
    assert labels[:2] == labels[2:]
    assert {request.task.claim.id for request in engine.model.requests[asked:]} == {gone["result"]["claim"]["id"]}
