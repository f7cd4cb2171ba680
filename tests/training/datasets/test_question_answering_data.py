"""Question answering: the passage of an answer, and which answers are kept."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from system.averitec.gold import GoldClaim, read_gold
from system.files.journal import RecordJournal
from system.graph.records import Claim
from system.graph.records import Source as AnswerSource
from system.models.base import ErrorKind, ModelError, Request
from system.models.scripted import ScriptedModel
from system.strategies.steps.tasks import AnswerQuestion, AnswerReply, VerificationReply, VerifyAnswer
from tests.helpers.training_claims import BRIDGE, answer, claim, write
from training.datasets.evidence import IRRELEVANT, NO_STORE, NOT_IN_STORE, Source
from training.datasets.gold import states
from training.datasets.question_answering import (
    NOT_ENTAILED,
    NOT_JUDGED,
    Judgement,
    judge_entailment,
    question_answering,
)
from training.datasets.samples import DataSet

OPENED = "The Aster bridge was opened to traffic in 1932."
FILLER = "Aster is a town on a river, with a mill and a market on every other day of the week. "


async def believe(tasks: dict[str, VerifyAnswer]) -> dict[str, Judgement]:
    return {name: Judgement(sample=name, entailed=True, reason="It says so.") for name in tasks}


def make(claims: list[GoldClaim], source: Source) -> DataSet:
    return asyncio.run(question_answering(claims, source, believe))


def write_store(folder: Path, *pages: tuple[str, str]) -> Path:
    folder.mkdir()
    lines = [json.dumps({"claim_id": "0", "url": url, "url2text": [text]}) for url, text in pages]
    (folder / "0.json").write_text("\n".join([*lines, '{"url": "https://example.org/the", "url2te']))
    return folder


@pytest.fixture
def with_store(source: Source, tmp_path: Path) -> Source:
    pages = [
        ("http://www.example.org/the#top", FILLER * 3 + OPENED + FILLER * 3),
        ("https://web.archive.org/web/2020/https://example.org/NO/", "The weather in Aster was fine."),
    ]
    return replace(source, store=write_store(tmp_path / "store", *pages))


def test_the_gold_pages_best_passage_is_found(annotated: list[GoldClaim], with_store: Source) -> None:
    first, *_ = make(annotated[:1], with_store).samples
    assert isinstance(first.task, AnswerQuestion) and isinstance(first.reply, AnswerReply)
    assert "bridge was opened to" in first.task.passage.text and len(first.task.passage.text) <= 80
    assert first.task.passage.url == "http://www.example.org/the#top"
    assert first.reply.model_dump_json() == f'{{"source":"Evidence","type":"Extractive","answer":"{OPENED}"}}'


def test_counts_unusable_answers(annotated: list[GoldClaim], with_store: Source) -> None:
    data = make(annotated, with_store)
    assert data.drops == {IRRELEVANT: 1, NOT_IN_STORE: 3, NOT_ENTAILED: 0, NOT_JUDGED: 0}
    assert "broken line 3" not in data.notes["flaws of the stores"]
    assert (
        "broken line 1" in data.notes["flaws of the stores"] and "missing file 3" in data.notes["flaws of the stores"]
    )


def test_unanswerable_questions_get_the_nearest_other_passage(annotated: list[GoldClaim], source: Source) -> None:
    by_kind = {sample.kind: sample for sample in make(annotated, source).samples}
    date, unanswerable = by_kind["metadata"], by_kind["Unanswerable"]
    assert isinstance(date.reply, AnswerReply) and isinstance(date.task, AnswerQuestion)
    assert (date.reply.source, date.reply.answer) == (AnswerSource.METADATA, "3-5-2021")
    assert isinstance(unanswerable.task, AnswerQuestion)
    assert unanswerable.task.question == "Who paid for the bridge?"
    assert {date.task.passage.text, unanswerable.task.passage.text} <= {
        OPENED,
        "The mayor of Aster opened the bridge alone.",
    }


def test_without_a_store_answers_are_their_own_passages(source: Source, tmp_path: Path) -> None:
    told = ("Why?", answer("It rained.", "Abstractive"))
    claims = read_gold(write(tmp_path / "c.json", [BRIDGE, claim("C.", "Refuted", told)]))
    data = make(claims, source)
    assert data.notes["passages"].startswith("fallback")
    boolean = next(sample for sample in data.samples if sample.kind == "Boolean, own text")
    assert isinstance(boolean.task, AnswerQuestion) and isinstance(boolean.reply, AnswerReply)
    assert boolean.task.passage.text == "The mayor of Aster opened the bridge alone."
    assert boolean.reply.answer == "No. The mayor of Aster opened the bridge alone."
    assert data.drops[NO_STORE] == 1


def test_only_entailed_answers_are_kept_and_none_is_judged_twice(
    annotated: list[GoldClaim], with_store: Source, tmp_path: Path
) -> None:
    lenient = replace(with_store, threshold=0.0)

    def script(request: Request) -> VerificationReply | ModelError:
        assert isinstance(request.task, VerifyAnswer)
        if request.task.question.startswith("Did"):
            return ModelError(ErrorKind.BACKEND, "gone")
        return VerificationReply(reason="No.", entailed=False)

    model = ScriptedModel(script)

    def run() -> DataSet:
        with RecordJournal(tmp_path / "journal.jsonl", {"a": "b"}, True, Judgement) as journal:
            return asyncio.run(
                question_answering(annotated[:1], lenient, lambda tasks: judge_entailment(model, journal, tasks))
            )

    first, again = run(), run()
    assert {sample.kind for sample in first.samples} == {"metadata", "Unanswerable"}
    assert first.drops == again.drops == {NOT_ENTAILED: 1, NOT_JUDGED: 1}
    assert len(model.requests) == 3  # both at first, then the one that failed


@pytest.mark.parametrize(
    ("said", "stated"),
    [
        ("3rd of May 2021", True),
        ("03/05/2021", True),
        ("May 2021", True),
        ("A. Reeve", True),
        ("5th of May 2021", False),
        ("2020", False),
        ("The", False),
        ("A. Reeve in Paris", False),
    ],
)
def test_recognizes_answers_that_metadata_states(said: str, stated: bool) -> None:
    assert states(Claim(id=0, text="C", date="3-5-2021", speaker="A. Reeve"), said) is stated
