"""Debates on gold evidence, with the noisy oracle and with scripts in the place of a language model."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from system.averitec.gold import GoldClaim, write_gold_store
from system.files.journal import RecordJournal
from system.graph.records import Label
from system.models.base import ErrorKind, Model, ModelError, Request
from system.models.scripted import ScriptedModel
from system.settings import Settings
from system.strategies.debate.tasks import CONTINUE, Argue, CloseDebate, Moderate, RulingReply
from system.strategies.steps.tasks import ArgumentReply, VerdictReply
from system.tasks.base import Adapter, Reply
from tests.helpers.bridge import BagOfWords
from training.datasets.moderator import NO_VERDICT, NOT_CORRECTED, Debate, debate_settings, hold_debates, moderator_data

DECIDES = RulingReply(insight="A date.", gaps="A cost.", reason="Passage 1.", decision=Label.SUPPORTED)


def supports(request: Request) -> Reply | None:
    """Arguments that cite the first passage, and a moderator who believes every claim."""
    match request.task:
        case Argue():
            return ArgumentReply(argument=f"I am {request.task.side}.", citations=[1])
        case Moderate():
            return DECIDES
    return None


class Bench:
    """Holds debates about the annotated claims of the tests, in one folder."""

    def __init__(self, folder: Path, claims: Sequence[GoldClaim]) -> None:
        self.folder, self.claims = folder, claims

    def debates(self, model: Model, count: int = 4) -> list[Debate]:
        claims = [annotated.claim for annotated in self.claims[:count]]
        store = write_gold_store(self.folder / "train.json", claims, self.folder / "gold")
        with RecordJournal(self.folder / "debates.jsonl", {"a": "b"}, True, Debate) as journal:
            settings = debate_settings(Settings(), gold=True)
            return asyncio.run(hold_debates(model, BagOfWords(), settings, claims, store, journal))


@pytest.fixture
def bench(tmp_path: Path, annotated: list[GoldClaim]) -> Bench:
    return Bench(tmp_path, annotated)


def test_a_debate_records_what_its_moderator_read_and_replied(bench: Bench) -> None:
    model = ScriptedModel(supports)
    debates = bench.debates(model)
    asked = {request.task.claim.id: request.task for request in model.requests if isinstance(request.task, Moderate)}
    assert [debate.task for debate in debates] == [asked[number] for number in range(4)]
    assert [debate.claim for debate in debates] == [annotated.claim for annotated in bench.claims]
    assert {(debate.label, debate.reply.reason) for debate in debates} == {(Label.SUPPORTED, "Passage 1.")}
    assert [argument.text for argument in debates[0].transcript] == ["I am affirmative.", "I am negative."]
    asked_and_answered = "When did the Aster bridge open? The Aster bridge was opened to traffic in 1932."
    assert debates[0].evidence[0].text == asked_and_answered
    assert {request.task.adapter for request in model.requests} == {Adapter.NONE, Adapter.MODERATOR}


def test_keeps_finished_debates_and_retries_failed_ones(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    def fails_at_the_mill(request: Request) -> Reply | ModelError | None:
        mill = "mill" in request.task.claim.text
        return ModelError(ErrorKind.BACKEND, "the server is gone") if mill else supports(request)

    first = bench.debates(ScriptedModel(fails_at_the_mill))
    assert [debate.claim.id for debate in first] == [0, 2, 3]
    assert "claim 1: the debate reached no verdict (backend error: the server is gone)" in caplog.text
    model = ScriptedModel(supports)
    again = bench.debates(model)
    assert [debate for debate in again if debate.claim.id != 1] == first and len(again) == 4
    assert {request.task.claim.id for request in model.requests} == {1}


def test_debates_have_the_base_model_as_moderator() -> None:
    adapters = {"moderator": "models/moderator", "question_generation": "models/questions"}
    given = Settings.model_validate({"model": {"adapters": adapters}, "run": {"budget": 5}, "debate": {"rounds": 2}})
    settings = debate_settings(given, gold=False)
    assert settings.model.adapters == {"question_generation": "models/questions"} and settings.run.budget > 3600
    assert (settings.strategy, settings.debate.evidence, settings.debate.rounds) == ("got", "retrieved", 2)
    settings = debate_settings(given, gold=True)
    assert (settings.strategy, settings.debate.evidence) == ("debatecv", "gold")


def test_both_recipes(bench: Bench) -> None:
    debates = bench.debates(ScriptedModel(supports))
    corrections = {1: "The reports are false.", 2: "Some rose, most fell.", 0: "never used"}
    sft, correct_only, pairs = moderator_data(bench.claims, debates, corrections, {"seen": "yes"})
    assert (sft.name, correct_only.name, pairs.name) == ("moderator", "moderator_sft", "moderator_preferences")
    assert [(s.id, s.kind, s.label) for s in sft.samples] == [
        ("debate-0", "correct", Label.SUPPORTED),
        ("debate-1", "corrected", Label.REFUTED),
        ("debate-2", "corrected", Label.CONFLICTING),
    ]
    assert [sample.id for sample in correct_only.samples] == ["debate-0"]
    assert correct_only.samples[0].reply == DECIDES
    corrected = {"reason": "The reports are false.", "decision": Label.REFUTED}
    assert (pairs.samples[0].rejected, pairs.samples[0].reply) == (DECIDES, DECIDES.model_copy(update=corrected))
    assert all(sample.rejected is None for sample in sft.samples)
    assert sft.drops == {NOT_CORRECTED: 1} and sft.notes["recipe"] == "Debate-SFT"
    assert moderator_data(bench.claims, debates[:3], corrections, {})[1].drops == {NO_VERDICT: 1}


def test_learns_to_continue_where_a_round_followed(bench: Bench) -> None:
    def decides_in_the_second_round(request: Request) -> Reply | None:
        if isinstance(request.task, Moderate) and not request.task.rulings:
            return DECIDES.model_copy(update={"decision": CONTINUE, "insight": "Nothing yet."})
        return supports(request)

    debates = bench.debates(ScriptedModel(decides_in_the_second_round), count=2)
    sft, correct_only, pairs = moderator_data(bench.claims[:2], debates, {1: "The reports are false."}, {})
    assert [(sample.id, sample.kind) for sample in sft.samples] == [
        ("debate-0-round-1", "goes on"),
        ("debate-0", "correct"),
        ("debate-1-round-1", "goes on"),
        ("debate-1", "corrected"),
    ]
    first = sft.samples[0]
    assert first.reply.decision == CONTINUE and first.task.rulings == () and len(first.task.transcript) == 2
    assert [sample.kind for sample in correct_only.samples] == ["goes on", "correct"]
    assert [sample.id for sample in pairs.samples] == ["debate-1"]


def test_learns_from_the_end_of_a_closed_debate_and_not_to_continue_it(bench: Bench) -> None:
    closing = VerdictReply(justification="In the end.", label=Label.SUPPORTED)

    def never_decides(request: Request) -> Reply | None:
        if isinstance(request.task, CloseDebate):
            return closing
        undecided = DECIDES.model_copy(update={"decision": CONTINUE})
        return undecided if isinstance(request.task, Moderate) else supports(request)

    (debate,) = bench.debates(ScriptedModel(never_decides), count=1)
    assert isinstance(debate.task, CloseDebate) and debate.reply == closing
    assert len(debate.rulings) == 3 and len(debate.transcript) == 6
    kinds = [sample.kind for sample in moderator_data(bench.claims[:1], [debate], {}, {})[0].samples]
    assert kinds == ["goes on", "goes on", "correct"]
