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
from system.models.chat import ChatTokenizer
from system.models.scripted import ScriptedModel
from system.settings import Settings
from system.strategies.debate.tasks import CloseDebate, Moderate
from system.strategies.steps.tasks import JudgeClaim, VerdictReply
from tests.helpers.bridge import Answers, BagOfWords
from tests.helpers.training_claims import RECORDS, naming, write
from training.datasets.leakage import HeldOut
from training.datasets.moderator import Debate, debate_settings, hold_debates, moderator_data
from training.datasets.samples import Making, Renderer, write_data_set

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
        asked = [one.claim for one in claims]
        return asyncio.run(
            hold_debates(model, BagOfWords(), debate_settings(SETTINGS, gold=False), asked, store, journal)
        )


def disagree(request: Request) -> VerdictReply | None:
    """Branches of the same claim that come to different verdicts."""
    task = request.task
    assert isinstance(task, JudgeClaim)
    label = Label.SUPPORTED if "When" in task.pairs[0].question else Label.REFUTED
    return VerdictReply(justification="So it seems.", label=label)


def disputed() -> ScriptedModel:
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
        rest = debate.evidence[len(answers) :]  # what was retrieved and answers nothing by itself
        assert set(debate.evidence[: len(answers)]) == answers
        assert {one.url for one in rest} <= {
            page.url for page in read_pages(store / f"{debate.claim.id}.json", Flaws())
        }


@pytest.fixture
def sent(store: Path, annotated: list[GoldClaim]) -> list[Moderate | CloseDebate]:
    """A run's requests to the moderator about the first claim."""
    model, claim = disputed(), annotated[0].claim
    engine = Engine(model, BagOfWords(), SETTINGS)
    asyncio.run(check(engine, claim, rank(store / f"{claim.id}.json", claim.text, SETTINGS.retrieval)))
    return [request.task for request in model.requests if isinstance(request.task, Moderate | CloseDebate)]


@pytest.fixture
def chat(tiny_tokenizer: str) -> ChatTokenizer:
    return ChatTokenizer(tiny_tokenizer, 8192)


@pytest.fixture
def data(tmp_path: Path, store: Path, annotated: list[GoldClaim], chat: ChatTokenizer) -> Path:
    held = debates(disputed(), store, annotated[:1])
    corrections = {debate.claim.id: "The history says so." for debate in held}
    making = Making(tmp_path, Renderer(chat), HeldOut([]), {})
    write_data_set(moderator_data(annotated[:1], held, corrections, {})[0], making)
    return tmp_path


def test_prompts_agree_with_a_run_token_for_token(
    data: Path, sent: list[Moderate | CloseDebate], chat: ChatTokenizer
) -> None:
    lines = [json.loads(line) for line in (data / "moderator.jsonl").read_text().splitlines()]
    assert sent and [chat.encode(line["prompt"]) for line in lines] == [chat.prompt(t, adapter=True).ids for t in sent]
