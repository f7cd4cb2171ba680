"""Debates for training are those of the engine's own graphs, and their prompts are those of a run."""

import asyncio
import json
from pathlib import Path

import orjson
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
from system.strategies.steps.tasks.judge_claim import JudgeClaim, VerdictReply
from tests.helpers.bridge import Answers, BagOfWords
from tests.helpers.training_claims import RECORDS, naming, write
from training.__main__ import main
from training.datasets import stores
from training.datasets.moderator import Debate, debate_settings, hold_debates, moderator_data
from training.datasets.samples import HeldOut, Making, TokenRenderer, write_data_set
from training.datasets.stores import write_small_stores
from training.datasets.web import Web, sentences

SETTINGS = Settings.model_validate({"graph": {"depth": 2}, "run": {"budget": 900}})


@pytest.fixture
def annotated(tmp_path: Path) -> list[GoldClaim]:
    return read_gold(write(tmp_path / "train.json", naming(RECORDS)))


@pytest.fixture
def store(tmp_path: Path, annotated: list[GoldClaim], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stores, "LOST", 0.0)  # of so few questions none should be lost
    return write_small_stores(annotated, Web(annotated, BagOfWords(), 1), tmp_path / "stores", 1)


def debates(model: ScriptedModel, store: Path, claims: list[GoldClaim]) -> list[Debate]:
    with RecordJournal(store.parent / "debates.jsonl", {"a": "b"}, True, Debate) as journal:
        asked = [one.claim for one in claims]
        return asyncio.run(hold_debates(model, BagOfWords(), debate_settings(SETTINGS), asked, store, journal))


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


def test_small_stores_hold_answers_among_other_text(store: Path, annotated: list[GoldClaim]) -> None:
    bridge = annotated[0]
    pages = [*read_pages(store / "0.json", Flaws())]
    own = [sentence for answer in bridge.answers for sentence in sentences(answer)]
    held = {sentence: page for sentence in own for page in pages if sentence in page.sentences}
    assert list(held) == own and not any(page.sentences == (sentence,) for sentence, page in held.items())
    assert not any(answer.question in page.text for answer in bridge.answers for page in pages)
    assert set(sentences(annotated[1].answers[0])) <= {sentence for page in pages for sentence in page.sentences}
    before = (store / "0.json").read_bytes()
    write_small_stores(annotated, Web(annotated, BagOfWords(), 1), store, 1)
    assert (store / "0.json").read_bytes() == before


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
    making = Making(tmp_path, TokenRenderer(chat), HeldOut([]), {})
    write_data_set(moderator_data(annotated[:1], held, corrections, {})[0], making)
    return tmp_path


def test_prompts_agree_with_a_run_token_for_token(
    data: Path, sent: list[Moderate | CloseDebate], chat: ChatTokenizer
) -> None:
    lines = [json.loads(line) for line in (data / "moderator.jsonl").read_text().splitlines()]
    assert sent and [chat.encode(line["prompt"]) for line in lines] == [chat.prompt(t, adapter=True).ids for t in sent]


def test_the_prompts_command_compares_layout_and_filling(
    data: Path,
    sent: list[Moderate | CloseDebate],
    chat: ChatTokenizer,
    tiny_tokenizer: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    prompts = [chat.prompt_text(chat.prompt(task, adapter=True).ids) for task in sent]
    command = ["prompts", "--data", str(data), "--run", str(data), "--tokenizer", tiny_tokenizer]

    def compared(prompts: list[str]) -> list[str]:
        lines = [orjson.dumps({"adapter": "moderator", "prompt": prompt}) for prompt in prompts]
        (data / "trace.jsonl").write_bytes(b"\n".join(lines))
        assert main(command) == 0
        return capsys.readouterr().out.splitlines()

    _, _, learnt, asked, layout = compared(prompts)
    assert learnt.split("|")[3:] == asked.split("|")[3:]
    passages, answers = len(sent[0].evidence), len(sent[0].pairs)
    assert f"| {answers:.1f} | 0.00 | {passages:.1f} |" in asked
    assert layout == "moderator: every line of the run's layout is in the data set"
    *_, number, new = compared([f'{prompts[0]}\nHint 3: "look"', *prompts[1:]])
    assert (
        number == "moderator: lines of the run's layout that are not in the data set: 1"
        and new.strip() == 'Hint #: "…"'
    )
    (data / "trace.jsonl").unlink()
    assert main(command) == 2 and "run the claims with --trace" in capsys.readouterr().err
