"""``python -m training prompts``: do the prompts of the data sets agree with those that a run sends?

An adapter does best what it was trained on. Two things are compared, adapter by adapter: the layout, which is every
line of a prompt with what is quoted in it left out, and what fills it: lengths, questions and answers, shared evidence.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

import orjson

from system.graph.records import NO_ANSWER
from system.models.chat import ChatTokenizer
from system.models.loading import located
from system.tasks.base import Adapter
from training import TrainingError
from training.finetuning.command import DATA
from training.finetuning.examples import Demonstration, read_examples

CONTEXT = 1 << 20  # tokens; nothing is cut here
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
ANSWER = re.compile(r'^A\d+: ("(?:[^"\\]|\\.)*")$', re.MULTILINE)
SHARED = re.compile(r'^\d+ \(from "(?:[^"\\]|\\.)*"\): ("(?:[^"\\]|\\.)*")$', re.MULTILINE)
ASKED = re.compile(r"^Already asked", re.MULTILINE)
COLUMNS = ("prompts", "tokens, median", "95%", "answers", "unanswered", "evidence", "its characters", "asked again")


def add_command(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "prompts",
        help="compare the data sets' prompts with those of a run",
        description="Compare the prompts of the data sets with those that a run sent to the same adapters: their "
        "layout, line by line, and in a table lengths, answers and shared evidence.",
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the data sets (default: %(default)s)")
    parser.add_argument("--run", dest="output", type=Path, required=True, help="output of a run with --trace")
    parser.add_argument("--tokenizer", help="model whose tokenizer renders the data sets (default: the run's)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print table and differences.

    Raises:
        TrainingError: the run has no trace, or it has no prompt of an adapter that there is a data set for.
        ModelUnavailable: the tokenizer cannot be loaded.
    """
    sent = read_trace(options.output / "trace.jsonl")
    chat = ChatTokenizer(located(options.tokenizer or _model_of(options.output)), CONTEXT)
    learnt = {adapter: prompts_of(options.data / f"{adapter}.jsonl", chat) for adapter in sent}
    both = {adapter: (learnt[adapter], sent[adapter]) for adapter in Adapter if learnt.get(adapter)}
    if not both:
        raise TrainingError(f"{options.data}: no data set of the adapters that the run asked ({', '.join(sent)})")
    print(table(both, chat))
    for adapter, (in_data, in_run) in both.items():
        print(f"{adapter}: {difference(in_data, in_run)}")


def read_trace(path: Path) -> dict[Adapter, list[str]]:
    """The prompts of a run by the adapter that was to read them.

    Raises:
        TrainingError: there is no trace, or none that can be read.
    """
    prompts: dict[Adapter, list[str]] = defaultdict(list)
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise TrainingError(f"{path}: no trace ({error.strerror}); run the claims with --trace") from error
    for number, line in enumerate(lines, start=1):
        try:
            asked = orjson.loads(line)
            adapter, prompt = Adapter(asked["adapter"]), str(asked["prompt"])
        except (KeyError, TypeError, ValueError) as error:
            raise TrainingError(
                f"{path}, line {number}: not a line of a trace ({error!r}); run with --trace"
            ) from error
        if prompt and adapter is not Adapter.NONE:
            prompts[adapter].append(prompt)
    if not prompts:
        raise TrainingError(f"{path}: no prompt for an adapter; give a run of a language model")
    return prompts


def prompts_of(path: Path, chat: ChatTokenizer) -> list[str]:
    """The prompts of a data set as the engine's model reads them; none where there is no such set.

    Raises:
        TrainingError: a line is no example.
    """
    if not path.exists():
        return []
    return [chat.prompt_text(chat.encode(example.prompt)) for example in read_examples(path, Demonstration)]


@dataclass(frozen=True)
class Filling:
    """Inputs of a prompt.

    Attributes:
        unanswered: of ``answers``, those that say that there is none.
        shared_evidence: characters of each passage that may be cited.
        asked: whether it lists questions that must not be asked again.
    """

    tokens: int
    answers: int
    unanswered: int
    shared_evidence: tuple[int, ...]
    asked: bool


def filling(prompt: str, chat: ChatTokenizer) -> Filling:
    """Inputs of a prompt; each value stands in it as a JSON string."""
    answers = [json.loads(text) for text in ANSWER.findall(prompt)]
    return Filling(
        tokens=len(chat.tokenizer(prompt, add_special_tokens=False)["input_ids"]),
        answers=len(answers),
        unanswered=answers.count(NO_ANSWER),
        shared_evidence=tuple(len(json.loads(text)) for text in SHARED.findall(prompt)),
        asked=bool(ASKED.search(prompt)),
    )


def table(both: Mapping[Adapter, tuple[Sequence[str], Sequence[str]]], chat: ChatTokenizer) -> str:
    """A row for the data set and one for the run of each adapter; means where nothing else is said."""
    rows = [f"| adapter | prompts of | {' | '.join(COLUMNS)} |", "|" + "---|" * (2 + len(COLUMNS))]
    for adapter, sides in both.items():
        for name, prompts in zip(("the data set", "the run"), sides, strict=True):
            cells = _cells([filling(prompt, chat) for prompt in prompts])
            rows.append(f"| {adapter} | {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cells(fillings: Sequence[Filling]) -> list[str]:
    tokens = [one.tokens for one in fillings]
    answers = sum(one.answers for one in fillings)
    sizes = [size for one in fillings for size in one.shared_evidence]
    return [
        str(len(fillings)),
        f"{median(tokens):.0f}",
        f"{quantiles(tokens, n=20, method='inclusive')[-1] if len(tokens) > 1 else tokens[0]:.0f}",
        f"{answers / len(fillings):.1f}",
        f"{sum(one.unanswered for one in fillings) / answers:.2f}" if answers else "",
        f"{len(sizes) / len(fillings):.1f}",
        f"{mean(sizes):.0f}" if sizes else "",
        f"{mean(one.asked for one in fillings):.2f}",
    ]


def difference(in_data: Iterable[str], in_run: Iterable[str]) -> str:
    """Which lines of the layout only the run has; what only the data sets have does no harm."""
    known = {line for prompt in in_data for line in layout(prompt)}
    new = dict.fromkeys(line for prompt in in_run for line in layout(prompt) if line not in known)
    if not new:
        return "every line of the run's layout is in the data set"
    return "\n  ".join([f"lines of the run's layout that are not in the data set: {len(new)}", *new])


def layout(prompt: str) -> list[str]:
    r"""The lines of a prompt with what is quoted and all numbers left out.

    >>> layout('Claim: "It is."\nMetadata: {"date": "1-2-2020", "speaker": "A \\"B\\""}\nQ12: "Is it?"')
    ['Claim: "…"', 'Metadata: {…}', 'Q#: "…"']
    """
    bare = re.sub(r"\d+", "#", STRING.sub('"…"', prompt))
    return [line for line in re.sub(r"\{[^{}\n]*\}", "{…}", bare).splitlines() if line.strip()]


def _model_of(output: Path) -> str:
    """The model of a run.

    Raises:
        TrainingError: the run does not say.
    """
    try:
        return str(orjson.loads((output / "run.json").read_bytes())["settings"]["model"]["model"])
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise TrainingError(
            f"{output / 'run.json'}: does not name the run's model ({error}); give --tokenizer"
        ) from error
