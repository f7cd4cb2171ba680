"""Training samples and their files: a task of the engine with the reply that a model should have given it.

Tasks and replies are the engine's own types, so training prompts equal those that the engine will send
(``system.models.prompting``), and replies are what structured output allows. ``write_data_set`` writes JSON Lines,
completely or not at all, without held-out claims, with a card beside it.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from tqdm import tqdm

from system.files.atomic import write_atomically
from system.files.journal import RecordJournal
from system.graph.records import Label, Record
from system.models.base import Completion, Model, Request
from system.models.prompting import ChatTokenizer, RequestTooLongError, neutralize, render
from system.strategies.debate.tasks import JustificationReply
from system.strategies.steps.tasks import VerificationReply
from system.tasks.base import Reply, Task
from training.datasets.leakage import HeldOut

Drops = Counter[str]
"""Number of samples that each filter dropped, by its name."""

TOO_LONG_PROMPT = "prompt longer than the context"
TOO_LONG_REPLY = "reply longer than the engine lets a model write"
LEAKED_CLAIM = "claim repeats a held-out claim"
LEAKED_TEXT = "sample repeats a held-out claim"
REPEATED = "sample repeated"
LICENSE = "AVeriTeC (Schlichtkrull et al., 2023), CC BY-NC 4.0; the license holds for what is made of it"
BATCH = 64  # requests that are sent together, and lost together if the process is killed
VERSIONS = ("got-factcheck", "pydantic", "sentence-transformers", "transformers")


@dataclass(frozen=True)
class Sample:
    """One sample."""

    id: str
    label: Label  #: the claim's gold label, or the label that the sample gives it
    task: Task[Reply]
    reply: Reply  #: what the model should write
    kind: str  #: what sort of sample it is, for the counts on the card
    rejected: Reply | None = None  #: what the model wrote instead, in a preference pair; None otherwise


@dataclass(frozen=True)
class DataSet:
    """Samples and facts about them."""

    name: str
    samples: Sequence[Sample]
    drops: Drops  #: what filters dropped while the samples were made
    notes: dict[str, Any]  #: how they were made, for the card


@dataclass(frozen=True)
class Making:
    """What all data sets of one call share."""

    folder: Path  #: where they are written
    #: tokenizer of the model to train, with the engine's context. Without one, nothing is cut and lengths are not
    #: checked.
    chat: ChatTokenizer | None
    held_out: HeldOut
    facts: dict[str, Any]  #: what every card says


def write_data_set(data: DataSet, making: Making) -> dict[str, Any]:
    """Write a data set and its card; returns the card.

    Samples that do not fit the engine, or repeat another sample or a held-out claim, are dropped and counted.
    """
    drops = Drops(data.drops)
    lines: list[bytes] = []
    kept: list[Sample] = []
    seen: set[bytes] = set()
    for sample in data.samples:
        line = _rendered(sample, making.chat, drops)
        if line is None:
            continue
        content = orjson.dumps({key: value for key, value in line.items() if key not in ("id", "claim_id")})
        if content in seen:
            drops[REPEATED] += 1
        elif any(map(making.held_out.in_text, texts_of(line))):
            drops[LEAKED_TEXT] += 1
        else:
            lines.append(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            kept.append(sample)
        seen.add(content)
    path = making.folder / f"{data.name}.jsonl"
    everything = b"".join(lines)
    card = {
        "data set": data.name,
        "samples": len(kept),
        "claims": len({sample.task.claim.id for sample in kept}),
        "labels": dict(Counter(str(sample.label) for sample in kept).most_common()),
        "kinds": dict(Counter(sample.kind for sample in kept).most_common()),
        "dropped": {reason: count for reason, count in drops.most_common() if count},
        "license": LICENSE,
        "versions": {package: version(package) for package in VERSIONS},
        **data.notes,
        **making.facts,
        "file": {"name": path.name, "bytes": len(everything), "sha256": hashlib.sha256(everything).hexdigest()},
    }
    write_atomically(path, everything)
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    write_atomically(path.with_suffix(".card.json"), orjson.dumps(card, option=options))
    return card


def _rendered(sample: Sample, chat: ChatTokenizer | None, drops: Drops) -> dict[str, Any] | None:
    """Return a line in TRL's conversational form; None, counted in ``drops``, if it does not fit the engine."""
    task = sample.task
    line: dict[str, Any] = {"id": sample.id, "claim_id": task.claim.id, "label": str(sample.label)}
    try:
        line["prompt"] = chat.prompt(task, adapter=True).messages if chat else render(task, adapter=True)
    except RequestTooLongError:
        drops[TOO_LONG_PROMPT] += 1
        return None
    written = {"completion": sample.reply}
    if sample.rejected is not None:
        written = {"chosen": sample.reply, "rejected": sample.rejected}
    for name, reply in written.items():
        text = neutralize(reply.model_dump_json(), chat.specials if chat else frozenset())
        # The end token is written too.
        if chat and len(chat.tokenizer(text, add_special_tokens=False)["input_ids"]) + 1 > task.max_tokens:
            drops[TOO_LONG_REPLY] += 1
            return None
        line[name] = [{"role": "assistant", "content": text}]
    return line


def texts_of(line: dict[str, Any]) -> list[str]:
    """Return the input and the replies of a line, without the instructions."""
    written = (message["content"] for key in ("completion", "chosen", "rejected") for message in line.get(key, ()))
    return [line["prompt"][-1]["content"], *written]


def sha256_of(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def in_share(share: float, text: str) -> bool:
    """Return whether a text is in a share of all texts; the hash decides, so the answer is always the same."""
    return hashlib.sha256(text.encode()).digest()[0] < share * 256


class Written(Record):
    """A reply that a model gave to the task of an id, as a journal keeps it."""

    id: str
    reply: VerificationReply | JustificationReply


async def replies(
    model: Model, journal: RecordJournal[Written], tasks: Mapping[str, Task[Any]], what: str
) -> dict[str, Any]:
    """Ask a model, in batches, for the replies that the journal does not have yet; ``what`` names the progress bar.

    Returns the replies by the ids of their tasks. A failed one is absent, and the next call asks for it again.
    """
    known = {written.id for written in journal.finished}
    left = [name for name in tasks if name not in known]
    with tqdm(total=len(left), unit="reply", desc=what, disable=None) as bar:
        for start in range(0, len(left), BATCH):
            batch = left[start : start + BATCH]
            results = await model.generate([Request(tasks[name]) for name in batch])
            for name, result in zip(batch, results, strict=True):
                if isinstance(result, Completion):
                    journal.append(Written(id=name, reply=result.reply))
            bar.update(len(batch))
    return {written.id: written.reply for written in journal.finished if written.id in tasks}
