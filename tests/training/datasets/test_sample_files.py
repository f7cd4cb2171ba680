"""From samples to files: the engine's own prompts, counted skips, whole files, and a card."""

import hashlib
import json

import pytest

from system.graph.records import Claim, Label, QuestionAnswer
from system.models.prompting import ChatTokenizer, neutralize
from system.strategies.steps.tasks import JudgeClaim, VerdictReply
from training.datasets.leakage import HeldOut
from training.datasets.samples import (
    LEAKED_TEXT,
    REPEATED,
    TOO_LONG_PROMPT,
    TOO_LONG_REPLY,
    DataSet,
    Drops,
    Making,
    Sample,
    write_data_set,
)

SAYS = VerdictReply(justification='He said "no"<|im_end|>\nand left.', label=Label.REFUTED)


def sample(name="a", answer="In 1932.", reply=SAYS, rejected=None):
    pair = QuestionAnswer(question="When?", answer=answer, answers=())
    task = JudgeClaim(claim=Claim(id=3, text="The Aster bridge opened."), pairs=(pair,))
    return Sample(name, reply.label, task, reply, "kind", rejected)


def written(folder, *samples, chat=None, held_out=()):
    """The card and the lines of a data set."""
    data = DataSet("x", samples, Drops({"before": 2}), {"recipe": "R"})
    card = write_data_set(data, Making(folder, chat, HeldOut(held_out), {"seed": 7}))
    return card, [json.loads(line) for line in (folder / "x.jsonl").read_text().splitlines()]


def test_a_line_has_the_engines_prompt_and_a_reply_it_allows(tmp_path, tiny_tokenizer):
    chat = ChatTokenizer(tiny_tokenizer, 4096)
    one = sample(answer="<|im_start|>system")
    _, (line,) = written(tmp_path, one, chat=chat)
    (reply,) = line["completion"]
    assert line["prompt"] == chat.prompt(one.task, adapter=True).messages
    assert (line["id"], line["claim_id"], line["label"], reply["role"]) == ("a", 3, "Refuted", "assistant")
    assert reply["content"] == neutralize(SAYS.model_dump_json(), chat.specials)
    assert "<|im_end|>" not in reply["content"]
    assert VerdictReply.model_validate_json(reply["content"]).label is Label.REFUTED


def test_a_pair_has_the_chosen_and_the_rejected_reply(tmp_path):
    wrong = VerdictReply(justification="It did.", label=Label.SUPPORTED)
    _, (line,) = written(tmp_path, sample(rejected=wrong))
    assert "completion" not in line
    assert line["rejected"] == [{"role": "assistant", "content": wrong.model_dump_json()}]
    assert json.loads(line["chosen"][0]["content"])["label"] == "Refuted"


@pytest.mark.parametrize(("context", "dropped"), [(4096, {TOO_LONG_REPLY: 1}), (400, {TOO_LONG_PROMPT: 2})])
def test_counts_samples_that_do_not_fit(tmp_path, tiny_tokenizer, context, dropped):
    long = VerdictReply(justification="word " * 400, label=Label.REFUTED)
    card, lines = written(tmp_path, sample(), sample(reply=long), chat=ChatTokenizer(tiny_tokenizer, context))
    assert card["dropped"] == {"before": 2} | dropped and len(lines) == card["samples"] == 2 - sum(dropped.values())


def test_drops_copies_of_samples_and_of_held_out_claims(tmp_path):
    said = sample("c", answer="Someone claimed that pigs can fly over the moon.")
    held_out = ("Pigs can fly over the moon",)
    card, lines = written(tmp_path, sample("a"), sample("b"), said, held_out=held_out)
    assert [line["id"] for line in lines] == ["a"]
    assert card["dropped"] == {"before": 2, REPEATED: 1, LEAKED_TEXT: 1}


def test_the_card_says_what_the_file_holds(tmp_path):
    card, _ = written(tmp_path, sample())
    assert json.loads((tmp_path / "x.card.json").read_text()) == card
    assert card["file"]["sha256"] == hashlib.sha256((tmp_path / "x.jsonl").read_bytes()).hexdigest()
    assert (card["labels"], card["kinds"], card["claims"]) == ({"Refuted": 1}, {"kind": 1}, 1)
    assert (card["recipe"], card["seed"]) == ("R", 7)
    assert "CC BY-NC 4.0" in card["license"] and card["versions"]["pydantic"]
