"""Debates for training, with scripts in the place of a language model: on gold evidence, and over what graphs found."""

import asyncio
import json

import pytest

from knowledge_store.pages.page import Flaws
from knowledge_store.pages.store import read_pages
from knowledge_store.ranking import rank
from system.averitec.gold import write_gold_store
from system.check import Engine, check
from system.files.journal import RecordJournal
from system.graph.records import Label
from system.models.base import ErrorKind, ModelError
from system.models.prompting import ChatTokenizer
from system.settings import Settings
from system.strategies.debate.tasks import CONTINUE, Argue, CloseDebate, Moderate, RulingReply
from system.strategies.steps.tasks import ArgumentReply, JudgeClaim, VerdictReply
from system.tasks.base import Adapter
from tests.helpers.bridge import Answers, BagOfWords
from tests.helpers.scripted import ScriptedModel
from training.datasets.leakage import HeldOut
from training.datasets.moderator import NO_VERDICT, NOT_CORRECTED, Debate, debate_settings, hold_debates, moderator_data
from training.datasets.samples import Making, write_data_set

DECIDES = RulingReply(insight="A date.", gaps="A cost.", reason="Passage 1.", decision=Label.SUPPORTED)
SETTINGS = Settings.model_validate({"graph": {"depth": 2}, "run": {"budget": 900}})


def supports(request):
    """Arguments that cite the first passage, and a moderator who believes every claim."""
    match request.task:
        case Argue():
            return ArgumentReply(argument=f"I am {request.task.side}.", citations=[1])
        case Moderate():
            return DECIDES
    return None


@pytest.fixture
def debates(tmp_path, annotated):
    """Hold debates about the first claims; ``model`` is the last one."""

    def hold(script, count=4, store=None):
        claims = [one.claim for one in annotated[:count]]
        settings = debate_settings(SETTINGS, gold=store is None)
        store = store or write_gold_store(tmp_path / "train.json", claims, tmp_path / "gold")
        hold.model = ScriptedModel(script)
        with RecordJournal(tmp_path / "debates.jsonl", {"a": "b"}, True, Debate) as journal:
            return asyncio.run(hold_debates(hold.model, BagOfWords(), settings, claims, store, journal))

    return hold


def test_a_debate_records_what_its_moderator_read_and_replied(debates, annotated):
    held = debates(supports)
    requests = debates.model.requests
    asked = {request.task.claim.id: request.task for request in requests if isinstance(request.task, Moderate)}
    assert [debate.task for debate in held] == [asked[number] for number in range(4)]
    assert [debate.claim for debate in held] == [one.claim for one in annotated]
    assert {(debate.label, debate.reply.reason) for debate in held} == {(Label.SUPPORTED, "Passage 1.")}
    assert [argument.text for argument in held[0].transcript] == ["I am affirmative.", "I am negative."]
    asked_and_answered = f"{annotated[0].questions[0].text} {annotated[0].answers[0].text}"
    assert held[0].evidence[0].text == asked_and_answered
    assert {request.task.adapter for request in requests} == {Adapter.NONE, Adapter.MODERATOR}


def test_keeps_finished_debates_and_retries_failed_ones(debates, caplog):
    def fails_at_the_mill(request):
        mill = "mill" in request.task.claim.text
        return ModelError(ErrorKind.BACKEND, "the server is gone") if mill else supports(request)

    first = debates(fails_at_the_mill)
    assert [debate.claim.id for debate in first] == [0, 2, 3]
    assert "claim 1: the debate reached no verdict (backend error: the server is gone)" in caplog.text
    again = debates(supports)
    assert [debate for debate in again if debate.claim.id != 1] == first and len(again) == 4
    assert {request.task.claim.id for request in debates.model.requests} == {1}


def test_debates_have_the_base_model_as_moderator():
    adapters = {"moderator": "models/moderator", "question_generation": "models/questions"}
    given = Settings.model_validate({"model": {"adapters": adapters}, "run": {"budget": 5}, "debate": {"rounds": 2}})
    settings = debate_settings(given, gold=False)
    assert settings.model.adapters == {"question_generation": "models/questions"} and settings.run.budget > 3600
    assert (settings.strategy, settings.debate.evidence, settings.debate.rounds) == ("got", "retrieved", 2)
    settings = debate_settings(given, gold=True)
    assert (settings.strategy, settings.debate.evidence) == ("debatecv", "gold")


def test_both_recipes(debates, annotated):
    held = debates(supports)
    corrections = {1: "The reports are false.", 2: "Some rose, most fell.", 0: "never used"}
    sft, correct_only, pairs = moderator_data(annotated, held, corrections, {"seen": "yes"})
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
    assert moderator_data(annotated, held[:3], corrections, {})[1].drops == {NO_VERDICT: 1}


def test_learns_to_continue_where_a_round_followed(debates, annotated):
    def decides_in_the_second_round(request):
        if isinstance(request.task, Moderate) and not request.task.rulings:
            return DECIDES.model_copy(update={"decision": CONTINUE, "insight": "Nothing yet."})
        return supports(request)

    held = debates(decides_in_the_second_round, count=2)
    sft, correct_only, pairs = moderator_data(annotated[:2], held, {1: "The reports are false."}, {})
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


def test_learns_from_the_end_of_a_closed_debate_and_not_to_continue_it(debates, annotated):
    closing = VerdictReply(justification="In the end.", label=Label.SUPPORTED)

    def never_decides(request):
        if isinstance(request.task, CloseDebate):
            return closing
        undecided = DECIDES.model_copy(update={"decision": CONTINUE})
        return undecided if isinstance(request.task, Moderate) else supports(request)

    (debate,) = debates(never_decides, count=1)
    assert isinstance(debate.task, CloseDebate) and debate.reply == closing
    assert len(debate.rulings) == 3 and len(debate.transcript) == 6
    kinds = [sample.kind for sample in moderator_data(annotated[:1], [debate], {}, {})[0].samples]
    assert kinds == ["goes on", "goes on", "correct"]


@pytest.fixture
def store(tmp_path, annotated):
    """For each claim a page of each claim's answers."""
    pages = [
        {"url": f"https://page{number}.example/", "url2text": [answer.full for answer in one.answers]}
        for number, one in enumerate(annotated)
    ]
    (folder := tmp_path / "stores").mkdir()
    for one in annotated:
        (folder / f"{one.claim.id}.json").write_text("\n".join(map(json.dumps, pages)))
    return folder


def test_every_claim_is_debated_over_what_its_graph_found(debates, store, annotated):
    held = debates(Answers(), store=store)  # whose branches all agree
    assert [debate.claim for debate in held] == [one.claim for one in annotated]
    for debate in held:
        assert len(debate.pairs) > 1 and not any("say?" in pair.question for pair in debate.pairs)
        assert debate.evidence == tuple(dict.fromkeys(debate.evidence))
        answers = {passage for pair in debate.pairs for passage in pair.passages}
        assert set(debate.evidence[: len(answers)]) == answers
        rest = {one.url for one in debate.evidence[len(answers) :]}  # retrieved, and answers nothing by itself
        assert rest <= {page.url for page in read_pages(store / f"{debate.claim.id}.json", Flaws())}


def test_prompts_agree_with_a_run_token_for_token(debates, store, annotated, tmp_path, tiny_tokenizer):
    """A run's requests to the moderator about the first claim, and the samples of that claim's debate."""

    def disagree(request):
        label = Label.SUPPORTED if "When" in request.task.pairs[0].question else Label.REFUTED
        return VerdictReply(justification="So it seems.", label=label)

    disputed = Answers()  # whose branches come to different verdicts
    disputed.replace[JudgeClaim] = disagree
    model, claim, chat = ScriptedModel(disputed), annotated[0].claim, ChatTokenizer(tiny_tokenizer, 8192)
    engine = Engine(model, BagOfWords(), SETTINGS)
    asyncio.run(check(engine, claim, rank(store / f"{claim.id}.json", claim.text, SETTINGS.retrieval)))
    sent = [request.task for request in model.requests if isinstance(request.task, Moderate | CloseDebate)]
    held = debates(disputed, count=1, store=store)
    samples = moderator_data(annotated[:1], held, {claim.id: "The history says so."}, {})[0]
    write_data_set(samples, Making(tmp_path, chat, HeldOut([]), {}))
    lines = [json.loads(line) for line in (tmp_path / "moderator.jsonl").read_text().splitlines()]
    assert sent and [chat.encode(line["prompt"]) for line in lines] == [chat.prompt(t, adapter=True).ids for t in sent]
