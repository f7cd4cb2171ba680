"""Training samples and their files: a task of the engine with the reply that a model should have given it.

Tasks and replies are the engine's own types, so what a model is trained to read is what the engine will send
(``system.models.prompting``), and what it is trained to write is what structured output lets it write. A data set is
written as JSON Lines, whole or not at all, without held-out claims, with a card beside it.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import orjson

from knowledge_store.pages.filters import COPIED, SHINGLE, shingles
from knowledge_store.pages.page import normalized
from knowledge_store.tokenization import tokenize
from system.averitec.claims import read_claims
from system.files.atomic import write_atomically
from system.graph.records import Label
from system.models.chat import ChatTokenizer
from system.models.prompting import Message, RequestTooLongError, neutralize, render
from system.tasks.base import Reply, Task
from training import TrainingError

Drops = Counter[str]
"""Samples dropped, by the filter's name."""

TOO_LONG_PROMPT = "prompt longer than the context"
TOO_LONG_REPLY = "reply longer than the engine lets a model write"


@dataclass(frozen=True)
class Sample:
    """One sample.

    Attributes:
        label: the claim's gold label, or the one that the sample gives it.
        reply: what the model should write.
        rejected: of a preference pair, what it wrote instead; None otherwise.
        kind: what sort of sample it is, for the counts on the card.
    """

    id: str
    label: Label
    task: Task[Reply]
    reply: Reply
    kind: str
    rejected: Reply | None = None


@dataclass(frozen=True)
class DataSet:
    """Samples with what is to be said about them.

    Attributes:
        drops: what filters dropped while they were made.
        notes: how they were made, for the card.
    """

    name: str
    samples: Sequence[Sample]
    drops: Drops
    notes: dict[str, Any]


class Renderer(Protocol):
    """From a sample to the text that a trainer reads."""

    def prompt(self, task: Task[Reply]) -> list[Message]:
        """The messages of a prompt, cut as the engine cuts them; raises ``RequestTooLongError``."""
        ...

    def reply(self, sample: Sample, reply: Reply) -> str:
        """The text of a reply; raises ``RequestTooLongError`` where the engine would cut it off."""
        ...


class PlainRenderer:
    """Renders without a tokenizer: nothing is cut, and lengths are not known."""

    def prompt(self, task: Task[Reply]) -> list[Message]:
        """See ``Renderer.prompt``."""
        return render(task, adapter=True)

    def reply(self, sample: Sample, reply: Reply) -> str:
        """See ``Renderer.reply``."""
        return neutralize(reply.model_dump_json())


class TokenRenderer:
    """Renders for the model whose tokenizer this is, exactly as its backend does.

    Args:
        chat: the tokenizer, with the engine's context.
    """

    def __init__(self, chat: ChatTokenizer) -> None:
        self._chat = chat

    def prompt(self, task: Task[Reply]) -> list[Message]:
        """See ``Renderer.prompt``."""
        return self._chat.prompt(task, adapter=True).messages

    def reply(self, sample: Sample, reply: Reply) -> str:
        """See ``Renderer.reply``."""
        text = neutralize(reply.model_dump_json(), self._chat.specials)
        tokens = len(self._chat.tokenizer(text, add_special_tokens=False)["input_ids"]) + 1  # the end token
        if tokens > sample.task.max_tokens:
            raise RequestTooLongError(
                f"{sample.id}: expected a reply of at most {sample.task.max_tokens} tokens, got {tokens}"
            )
        return text


def rendered(sample: Sample, renderer: Renderer, drops: Drops) -> dict[str, Any] | None:
    """A line of a data set in TRL's conversational form; None, and counted, where it does not fit the engine."""
    try:
        prompt = renderer.prompt(sample.task)
    except RequestTooLongError:
        drops[TOO_LONG_PROMPT] += 1
        return None
    try:
        replies = _replies(sample, renderer)
    except RequestTooLongError:
        drops[TOO_LONG_REPLY] += 1
        return None
    return {"id": sample.id, "claim_id": sample.task.claim.id, "label": str(sample.label), "prompt": prompt, **replies}


def _replies(sample: Sample, renderer: Renderer) -> dict[str, list[dict[str, str]]]:
    def message(reply: Reply) -> list[dict[str, str]]:
        return [{"role": "assistant", "content": renderer.reply(sample, reply)}]

    if sample.rejected is None:
        return {"completion": message(sample.reply)}
    return {"chosen": message(sample.reply), "rejected": message(sample.rejected)}


NEAR = 0.6  # share of shingles; pairs of AVeriTeC's train and dev below it have a phrase in common, not a claim
LEAKED_CLAIM = "claim repeats a held-out claim"
LEAKED_TEXT = "sample repeats a held-out claim"


class HeldOut:
    """Claims that training must not see.

    A text repeats a claim if it has nearly all of the claim's shingles, the measure by which retrieval knows pages
    that copy a claim (``knowledge_store.pages.filters``); among claims, which are short, most of the shingles of either
    are enough. A claim too short for shingles is only repeated by an equal text.

    >>> held_out = HeldOut(["The Aster bridge was opened to all traffic in 1932."])
    >>> held_out.in_text("They say: the Aster bridge was opened to all traffic in 1932!")
    True
    >>> held_out.near_copy("The Aster bridge was opened to all"), held_out.in_text("The Aster bridge was")
    (True, False)
    """

    def __init__(self, claims: Iterable[str]) -> None:
        texts = [text for text in claims if text.strip()]
        self._exact = {normalized(text) for text in texts}
        self._sizes: list[int] = []
        self._holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            own = shingles(tokenize(text), SHINGLE)
            self._sizes.append(len(own))
            for shingle in own:
                self._holders[shingle].append(number)

    def near_copy(self, claim: str) -> bool:
        """Whether a claim equals a held-out one, or says most of it, or most of what it says is in it."""
        own = shingles(tokenize(claim), SHINGLE)
        shared = self._shared(own).items()
        near = any(count >= NEAR * min(len(own), self._sizes[number]) for number, count in shared)
        return near or normalized(claim) in self._exact

    def in_text(self, text: str) -> bool:
        """Whether a text repeats a held-out claim."""
        found = self._shared(shingles(tokenize(text), SHINGLE))
        repeated = any(shared >= COPIED * self._sizes[number] for number, shared in found.items())
        return repeated or normalized(text) in self._exact

    def _shared(self, own: set[tuple[str, ...]]) -> Counter[int]:
        """Count the shingles that each held-out claim shares with a text; claims that share none are absent."""
        return Counter(number for shingle in own for number in self._holders.get(shingle, ()))


def read_held_out(files: Sequence[Path]) -> HeldOut:
    """The claims of some files.

    Raises:
        ClaimsError: a file holds no claims.
    """
    return HeldOut(claim.text for file in files for claim in read_claims(file))


def texts_of(line: dict[str, Any]) -> list[str]:
    """Return the input and the reply of a data set's line, without the instructions."""
    replies = (message["content"] for key in ("completion", "chosen", "rejected") for message in line.get(key, ()))
    return [line["prompt"][-1]["content"], *replies]


REPEATED = "sample repeated"
LICENSE = "AVeriTeC (Schlichtkrull et al., 2023), CC BY-NC 4.0; the license holds for what is made of it"
VERSIONS = ("got-factcheck", "pydantic", "sentence-transformers", "transformers")


@dataclass(frozen=True)
class Making:
    """Everything that the data sets share while they are made.

    Attributes:
        folder: where they are written.
        facts: what all cards say.
    """

    folder: Path
    renderer: Renderer
    held_out: HeldOut
    facts: dict[str, Any]


def write_data_set(data: DataSet, making: Making) -> dict[str, Any]:
    """Write a data set and its card; returns the card.

    Dropped and counted: samples that do not fit the engine, that repeat another, or that repeat a held-out claim.

    Raises:
        TrainingError: the disk is full or the folder cannot be written; no half file is left, earlier files stay.
    """
    drops = Drops(data.drops)
    lines, kept = _lines(data, making, drops)
    path = making.folder / f"{data.name}.jsonl"
    content = b"".join(lines)
    card = {**_card(data.name, kept, drops), **data.notes, **making.facts}
    card["file"] = {"name": path.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    write_file(path, content)
    write_file(
        path.with_suffix(".card.json"), orjson.dumps(card, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    )
    return card


def sha256_of(path: Path) -> str:
    """Hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_file(path: Path, content: bytes) -> None:
    """Write a data set or its card.

    Raises:
        TrainingError: it cannot be written.
    """
    try:
        write_atomically(path, content)
    except OSError as error:
        raise TrainingError(
            f"cannot write {path} ({error.strerror}); make room and run the same command again: "
            "data sets that are complete and work in journals are kept"
        ) from error


def _lines(data: DataSet, making: Making, drops: Drops) -> tuple[list[bytes], list[Sample]]:
    lines: list[bytes] = []
    kept: list[Sample] = []
    seen: set[bytes] = set()
    for sample in data.samples:
        line = rendered(sample, making.renderer, drops)
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
    return lines, kept


def _card(name: str, kept: list[Sample], drops: Drops) -> dict[str, Any]:
    return {
        "data set": name,
        "samples": len(kept),
        "claims": len({sample.task.claim.id for sample in kept}),
        "labels": dict(Counter(str(sample.label) for sample in kept).most_common()),
        "kinds": dict(Counter(sample.kind for sample in kept).most_common()),
        "dropped": {reason: count for reason, count in drops.most_common() if count},
        "license": LICENSE,
        "versions": {package: version(package) for package in VERSIONS},
    }
