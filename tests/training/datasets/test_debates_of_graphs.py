"""Debates for training are those of the engine's own graphs, and their prompts are those of a run."""

import asyncio
import json
from pathlib import Path

import pytest

from knowledge_store.pages.page import Flaws
from knowledge_store.pages.store import read_pages
from knowledge_store.ranking import rank
from system.averitec.gold import GoldClaim, read_gold
from system.check import Engine, check
from system.files.journal import RecordJournal
from system.graph.records import Label
from system.models.base import Request
from system.models.prompting import ChatTokenizer
from system.models.scripted import ScriptedModel
from system.settings import Settings
from system.strategies.debate.tasks import CloseDebate, Moderate
from system.strategies.steps.tasks import JudgeClaim, VerdictReply
from tests.helpers.bridge import Answers, BagOfWords
from tests.helpers.training_claims import RECORDS, naming, write
from training.datasets.leakage import HeldOut
from training.datasets.moderator import Debate, debate_settings, hold_debates, moderator_data
from training.datasets.samples import Making, write_data_set

SETTINGS = Settings.model_validate({"graph": {"depth": 2}, "run": {"budget": 900}})


@pytest.fixture
def annotated(tmp_path: Path) -> list[GoldClaim]:
    return read_gold(write(tmp_path / "train.json", naming(RECORDS)))


@pytest.fixture
def store(tmp_path: Path, annotated: list[GoldClaim]) -> Path:
    """For each claim a page of each claim's answers."""
    pages = [
        {"url": f"https://page{number}.example/", "url2text": [answer.full for answer in one.answers]}
        for number, one in enumerate(annotated)
    ]
    (folder := tmp_path / "stores").mkdir()
    for one in annotated:
        (folder / f"{one.claim.id}.json").write_text("\n".join(map(json.dumps, pages)))
    return folder


def debates(model: ScriptedModel, store: Path, claims: list[GoldClaim]) -> list[Debate]:
    with RecordJournal(store.parent / "debates.jsonl", {"a": "b"}, True, Debate) as journal:
        asked, settings = [one.claim for one in claims], debate_settings(SETTINGS, gold=False)
        return asyncio.run(hold_debates(model, BagOfWords(), settings, asked, store, journal))


def disputed() -> ScriptedModel:
    """A model whose branches come to different verdicts on the same claim."""

    def disagree(request: Request) -> VerdictReply:
        asked = request.task.pairs[0].question
        return VerdictReply(justification="So it seems.", label=Label.SUPPORTED if "When" in asked else Label.REFUTED)

    answers = Answers()
    answers.replace[JudgeClaim] = disagree
    return ScriptedModel(answers)


def test_every_claim_is_debated_over_what_its_graph_found(store: Path, annotated: list[GoldClaim]) -> None:
    model = ScriptedModel(Answers())  # whose branches all agree
    held = debates(model, store, annotated)
    assert [debate.claim for debate in held] == [one.claim for one in annotated]
    for debate in held:
        assert len(debate.pairs) > 1 and not any("say?" in pair.question for pair in debate.pairs)
        assert debate.evidence == tuple(dict.fromkeys(debate.evidence))
        answers = {passage for pair in debate.pairs for passage in pair.passages}
        assert set(debate.evidence[: len(answers)]) == answers
        rest = {one.url for one in debate.evidence[len(answers) :]}  # retrieved, and answers nothing by itself
        assert rest <= {page.url for page in read_pages(store / f"{debate.claim.id}.json", Flaws())}


def test_prompts_agree_with_a_run_token_for_token(
    tmp_path: Path, store: Path, annotated: list[GoldClaim], tiny_tokenizer: str
) -> None:
    """A run's requests to the moderator about the first claim, and the samples of that claim's debate."""
    model, claim, chat = disputed(), annotated[0].claim, ChatTokenizer(tiny_tokenizer, 8192)
    engine = Engine(model, BagOfWords(), SETTINGS)
    asyncio.run(check(engine, claim, rank(store / f"{claim.id}.json", claim.text, SETTINGS.retrieval)))
    sent = [request.task for request in model.requests if isinstance(request.task, Moderate | CloseDebate)]
    held = debates(disputed(), store, annotated[:1])
    samples = moderator_data(annotated[:1], held, {claim.id: "The history says so."}, {})[0]
    write_data_set(samples, Making(tmp_path, chat, HeldOut([]), {}))
    lines = [json.loads(line) for line in (tmp_path / "moderator.jsonl").read_text().splitlines()]
    assert sent and [chat.encode(line["prompt"]) for line in lines] == [chat.prompt(t, adapter=True).ids for t in sent]
