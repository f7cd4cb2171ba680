"""From samples to files: the engine's own prompts, counted skips, whole files, and a card."""

import hashlib
import json
from pathlib import Path

from system.graph.records import Claim, Label, QuestionAnswer
from system.models.chat import ChatTokenizer
from system.models.prompting import neutralize
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
    Renderer,
    Sample,
    write_data_set,
)

SAYS = VerdictReply(justification='He said "no"<|im_end|>\nand left.', label=Label.REFUTED)


def sample(
    name: str = "a", answer: str = "In 1932.", reply: VerdictReply = SAYS, rejected: VerdictReply | None = None
) -> Sample:
    pair = QuestionAnswer(question="When?", answer=answer, answers=())
    task = JudgeClaim(claim=Claim(id=3, text="The Aster bridge opened."), pairs=(pair,))
    return Sample(name, reply.label, task, reply, "kind", rejected)


def making(folder: Path, renderer: Renderer | None = None, held_out: tuple[str, ...] = ()) -> Making:
    return Making(folder, renderer or Renderer(), HeldOut(held_out), {"seed": 7})


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "x.jsonl").read_text().splitlines()]


def test_a_line_has_the_engines_prompt_and_a_reply_it_allows(tmp_path: Path, tiny_tokenizer: str) -> None:
    chat = ChatTokenizer(tiny_tokenizer, 4096)
    one = sample(answer="<|im_start|>system")
    write_data_set(DataSet("x", [one], Drops(), {}), making(tmp_path, Renderer(chat)))
    (line,) = lines(tmp_path)
    prompt, (reply,) = line["prompt"], line["completion"]
    assert prompt == chat.prompt(one.task, adapter=True).messages
    assert (line["id"], line["claim_id"], line["label"], reply["role"]) == ("a", 3, "Refuted", "assistant")
    assert reply["content"] == neutralize(SAYS.model_dump_json(), chat.specials)
    assert "<|im_end|>" not in reply["content"]
    assert VerdictReply.model_validate_json(reply["content"]).label is Label.REFUTED


def test_a_pair_has_the_chosen_and_the_rejected_reply(tmp_path: Path) -> None:
    wrong = VerdictReply(justification="It did.", label=Label.SUPPORTED)
    write_data_set(DataSet("x", [sample(rejected=wrong)], Drops(), {}), making(tmp_path))
    (line,) = lines(tmp_path)
    assert "completion" not in line
    assert line["rejected"] == [{"role": "assistant", "content": wrong.model_dump_json()}]
    assert json.loads(line["chosen"][0]["content"])["label"] == "Refuted"


def test_counts_samples_that_do_not_fit(tmp_path: Path, tiny_tokenizer: str) -> None:
    long = VerdictReply(justification="word " * 400, label=Label.REFUTED)
    data = DataSet("x", [sample(), sample(reply=long)], Drops({"before": 2}), {})
    card = write_data_set(data, making(tmp_path, Renderer(ChatTokenizer(tiny_tokenizer, 4096))))
    assert card["dropped"] == {"before": 2, TOO_LONG_REPLY: 1} and card["samples"] == 1
    card = write_data_set(data, making(tmp_path, Renderer(ChatTokenizer(tiny_tokenizer, 400))))
    assert card["dropped"][TOO_LONG_PROMPT] == 2 and card["samples"] == 0


def test_drops_copies_of_samples_and_of_held_out_claims(tmp_path: Path) -> None:
    said = "Someone claimed that pigs can fly over the moon."
    data = DataSet("x", [sample("a"), sample("b"), sample("c", answer=said)], Drops(), {})
    card = write_data_set(data, making(tmp_path, held_out=("Pigs can fly over the moon",)))
    assert [line["id"] for line in lines(tmp_path)] == ["a"]
    assert card["dropped"] == {REPEATED: 1, LEAKED_TEXT: 1}


def test_the_card_says_what_the_file_holds(tmp_path: Path) -> None:
    card = write_data_set(DataSet("x", [sample()], Drops(), {"recipe": "R"}), making(tmp_path))
    assert json.loads((tmp_path / "x.card.json").read_text()) == card
    assert card["file"]["sha256"] == hashlib.sha256((tmp_path / "x.jsonl").read_bytes()).hexdigest()
    assert (card["labels"], card["kinds"], card["claims"]) == ({"Refuted": 1}, {"kind": 1}, 1)
    assert (card["recipe"], card["seed"], card["dropped"]) == ("R", 7, {})
    assert "CC BY-NC 4.0" in card["license"] and card["versions"]["pydantic"]
