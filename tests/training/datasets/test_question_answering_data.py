"""Question answering: the passage of an answer, and which answers are kept."""

import asyncio
import json
from dataclasses import replace
from functools import partial

import pytest

from system.averitec.gold import read_gold
from system.files.journal import RecordJournal
from system.graph.records import Claim
from system.graph.records import Source as AnswerSource
from system.models.base import ErrorKind, ModelError
from system.strategies.steps.tasks import VerificationReply, VerifyAnswer
from tests.helpers.annotated import BRIDGE, MAYOR, OPENED, answer, claim, write
from tests.helpers.scripted import ScriptedModel
from training.datasets.evidence import IRRELEVANT, NO_STORE, NOT_IN_STORE
from training.datasets.gold import states
from training.datasets.question_answering import NOT_ENTAILED, NOT_JUDGED, question_answering
from training.datasets.samples import Written, replies

FILLER = "Aster is a town on a river, with a mill and a market on every other day of the week. "


async def believe(tasks):
    return {name: VerificationReply(entailed=True, reason="It says so.") for name in tasks}


def make(claims, source):
    return asyncio.run(question_answering(claims, source, believe))


@pytest.fixture
def with_store(source, tmp_path):
    pages = [
        ("http://www.example.org/the#top", FILLER * 3 + OPENED + FILLER * 3),
        ("https://web.archive.org/web/2020/https://example.org/NO/", "The weather in Aster was fine."),
    ]
    lines = [json.dumps({"claim_id": "0", "url": url, "url2text": [text]}) for url, text in pages]
    (store := tmp_path / "store").mkdir()
    (store / "0.json").write_text("\n".join([*lines, '{"url": "https://example.org/the", "url2te']))
    return replace(source, store=store)


def test_the_gold_pages_best_passage_is_found(annotated, with_store):
    first, *_ = make(annotated[:1], with_store).samples
    assert "bridge was opened to" in first.task.passage.text and len(first.task.passage.text) <= 80
    assert first.task.passage.url == "http://www.example.org/the#top"
    assert first.reply.model_dump_json() == f'{{"source":"Evidence","type":"Extractive","answer":"{OPENED}"}}'


def test_counts_unusable_answers(annotated, with_store):
    data = make(annotated, with_store)
    assert data.drops == {IRRELEVANT: 1, NOT_IN_STORE: 3, NOT_ENTAILED: 0, NOT_JUDGED: 0}
    assert {"broken line 1", "missing file 3"} <= set(data.notes["flaws of the stores"].split(", "))


def test_unanswerable_questions_get_the_nearest_other_passage(annotated, source):
    by_kind = {sample.kind: sample for sample in make(annotated, source).samples}
    date, unanswerable = by_kind["metadata"], by_kind["Unanswerable"]
    assert (date.reply.source, date.reply.answer) == (AnswerSource.METADATA, "3-5-2021")
    assert unanswerable.task.question == "Who paid for the bridge?"
    assert {date.task.passage.text, unanswerable.task.passage.text} <= {OPENED, MAYOR}


def test_without_a_store_answers_are_their_own_passages(source, tmp_path):
    told = ("Why?", answer("It rained.", "Abstractive"))
    claims = read_gold(write(tmp_path / "c.json", [BRIDGE, claim("C.", "Refuted", told)]))
    data = make(claims, source)
    assert data.notes["passages"].startswith("fallback")
    boolean = next(sample for sample in data.samples if sample.kind == "Boolean, own text")
    assert (boolean.task.passage.text, boolean.reply.answer) == (MAYOR, f"No. {MAYOR}")
    assert data.drops[NO_STORE] == 1


def test_only_entailed_answers_are_kept_and_none_is_judged_twice(annotated, with_store, tmp_path):
    lenient = replace(with_store, threshold=0.0)

    def script(request):
        assert isinstance(request.task, VerifyAnswer)
        if request.task.question.startswith("Did"):
            return ModelError(ErrorKind.BACKEND, "gone")
        return VerificationReply(reason="No.", entailed=False)

    model = ScriptedModel(script)

    def run():
        with RecordJournal(tmp_path / "journal.jsonl", {"a": "b"}, True, Written) as journal:
            judge = partial(replies, model, journal, what="entailment")
            return asyncio.run(question_answering(annotated[:1], lenient, judge))

    first, again = run(), run()
    assert {sample.kind for sample in first.samples} == {"metadata", "Unanswerable"}
    assert first.drops == again.drops == {NOT_ENTAILED: 1, NOT_JUDGED: 1}
    assert len(model.requests) == 3  # both at first, then the one that failed


@pytest.mark.parametrize(
    ("stated", "texts"),
    [
        (True, ["3rd of May 2021", "03/05/2021", "May 2021", "A. Reeve"]),
        (False, ["5th of May 2021", "2020", "The", "A. Reeve in Paris"]),
    ],
)
def test_recognizes_answers_that_metadata_states(stated, texts):
    made = Claim(id=0, text="C", date="3-5-2021", speaker="A. Reeve")
    assert {text: states(made, text) for text in texts} == dict.fromkeys(texts, stated)
