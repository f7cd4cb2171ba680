"""``python -m training check ADAPTER``: an adapter in the engine, beside PEFT, on the same prompts.

Does an adapter do in the engine what it does in PEFT, does it keep the format, and what is its held-out loss?
"""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from pydantic import ValidationError
from tqdm import tqdm

import system
from knowledge_store.pages.page import Passage
from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import QuestionAnswer
from system.graph.thoughts import Argument, Speaker
from system.hardware.memory import skeleton
from system.models.base import Completion, Model, Request, Result
from system.models.chat import ChatTokenizer
from system.models.constraints import closed_replies
from system.models.transformers import TransformersModel
from system.settings import EngineSettings
from system.strategies.debate.tasks import CloseDebate, Moderate
from system.strategies.steps.tasks.answer_question import AnswerQuestion
from system.strategies.steps.tasks.ask_question import AskQuestion
from system.strategies.steps.tasks.judge_claim import JudgeClaim, LabelClaim, LabelReply
from system.tasks.base import Adapter, Reply, Task
from training import TrainingError
from training.finetuning.base import choose_precision, device_memory
from training.finetuning.checkpoints import read_record
from training.finetuning.command import DATA
from training.finetuning.examples import Demonstration, read_examples, split_by_claim, that_fit
from training.finetuning.recipes import HELD_OUT, RECIPES
from training.peft_reader import PeftReader


def add_command(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "check",
        help="check an adapter in the engine",
        description="Load an adapter in the engine, let it answer tasks of the example claims, compare with PEFT on "
        "the same prompts, and report format validity and held-out loss.",
    )
    parser.add_argument("adapter", type=Path, help="folder that 'python -m training train' wrote")
    parser.add_argument("--backend", choices=("vllm", "transformers"), help="default: vllm where it is installed")
    parser.add_argument("--model", help="what the engine serves, such as the base in 4 bits (default: the base itself)")
    parser.add_argument("--data", type=Path, default=DATA, help=f"folder of the data sets (default: {DATA})")
    parser.add_argument("--count", type=int, default=8, help="claims and held-out examples to try (default: 8)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Check and print the findings.

    Raises:
        TrainingError, ModelUnavailable: see ``check.check``.
    """
    backend = options.backend or ("vllm" if find_spec("vllm") else "transformers")
    model = options.model or str(read_record(options.adapter)["base"])
    print(check(Plan(options.adapter, backend, model, options.data, options.count)))


@dataclass(frozen=True)
class Plan:
    """An adapter to check, and the engine to check it in.

    Attributes:
        model: what the engine serves: the adapter's base, or that base quantized.
        data: folder of the data sets.
        count: the most claims, and held-out examples, to try.
    """

    adapter: Path
    backend: str
    model: str
    data: Path
    count: int


@dataclass(frozen=True)
class Findings:
    """Findings of a check; shares are of 1.

    Attributes:
        samples: what the engine wrote.
        answered: of the engine's requests, those with a usable reply.
        agreement: of the engine's tokens, those that PEFT would write too; ``without``: the base without the adapter.
            Of labels that are chosen, not written, the labels.
        valid: of the replies that PEFT wrote without a schema to the held-out prompts, those that fit the schema; None
            for an adapter that labels, which writes nothing.
        loss: of a token of the held-out replies, or of a label, in nats.
    """

    samples: Sequence[str]
    answered: float
    agreement: float
    without: float
    valid: float | None
    loss: float

    def __str__(self) -> str:
        lines = [f"  {sample}" for sample in self.samples]
        return "\n".join(
            [
                "engine replies:",
                *lines,
                f"usable engine replies                {self.answered:8.1%}",
                f"engine tokens that PEFT writes too   {self.agreement:8.1%}  (the base alone: {self.without:.1%})",
                *([f"valid replies without a schema       {self.valid:8.1%}"] if self.valid is not None else []),
                f"held-out loss                        {self.loss:8.3f}",
            ]
        )


def check(plan: Plan) -> Findings:
    """Check an adapter that ``python -m training train`` made.

    Raises:
        TrainingError: the folder holds no such adapter, its data set is missing, or the engine wrote
            nothing.
        ModelUnavailable: the engine or the base cannot be loaded, or the adapter is of another base.
    """
    record = read_record(plan.adapter)
    adapter, base = Adapter(record["adapter"]), str(record["base"])
    chat = ChatTokenizer(base, int(record["context"]))
    held_out = _held_out(plan, record["data"], chat, int(record["seed"]))
    labels = RECIPES[record["task"]].method == "label"
    tasks = example_tasks(adapter, plan.count, labels)
    engine = _engine(plan, {adapter: str(plan.adapter)}, EngineSettings(context=chat.context))
    results = asyncio.run(_ask(engine, tasks))
    recipe = replace(RECIPES[record["task"]], context=int(record["context"]))  # as it was trained
    precision = choose_precision(skeleton(base), recipe, device_memory(None), torch.cuda.is_available()).precision
    reader = PeftReader(
        base, plan.adapter, chat, precision, closed_replies(LabelReply, chat.tokenizer) if labels else None
    )
    written = [(task, result) for task, result in zip(tasks, results, strict=True) if result.raw]
    if not written:
        raise TrainingError(f"{plan.adapter}: the engine gave no reply to {len(tasks)} requests; first: {results[0]}")
    return Findings(
        samples=[result.raw for _, result in written],
        answered=sum(isinstance(result, Completion) for result in results) / len(tasks),
        agreement=_agreement(reader, chat, written, True),
        without=_agreement(reader, chat, written, False),
        valid=None if labels else _valid(reader, tasks, held_out),
        loss=reader.loss(held_out),
    )


def _held_out(plan: Plan, data: Sequence[str], chat: ChatTokenizer, seed: int) -> list[Demonstration]:
    """Examples that the training held out; of preferences, the demonstrations beside them."""
    names = ["moderator_sft"] if tuple(data) == RECIPES["moderator-dpo"].data else data
    examples = [one for name in names for one in read_examples(plan.data / f"{name}.jsonl", Demonstration)]
    examples = that_fit(examples, chat)
    return split_by_claim(examples, HELD_OUT, seed).held_out[: plan.count]


async def _ask(model: Model, tasks: Sequence[Task[Reply]]) -> list[Result]:
    """The engine's greedy replies."""
    try:
        return await model.generate([Request(task) for task in tasks])
    finally:
        await model.close()  # PEFT needs the memory


def _engine(plan: Plan, adapters: dict[Adapter, str], settings: EngineSettings) -> Model:
    if plan.backend == "vllm":
        from system.models.vllm import VllmModel  # not installed everywhere

        return VllmModel(plan.model, adapters, settings)
    return TransformersModel(plan.model, adapters, settings)


def _agreement(
    reader: PeftReader, chat: ChatTokenizer, written: Sequence[tuple[Task[Reply], Result]], adapter: bool
) -> float:
    """Of the engine's tokens, those that PEFT would write; a reply that its limit cut off has no end to compare."""
    shares = [
        reader.agreement(chat.prompt(task, True).ids, result.raw, isinstance(result, Completion), adapter)
        for task, result in written
    ]
    return sum(shares) / len(shares)


def _valid(reader: PeftReader, tasks: Sequence[Task[Reply]], examples: Sequence[Demonstration]) -> float:
    """Of PEFT's free replies, those that one of the tasks may be answered with."""
    reply_types, longest = {task.reply_type for task in tasks}, max(task.max_tokens for task in tasks)
    progress = tqdm(examples, unit="reply", desc="free replies", leave=False, disable=None)
    written = [reader.write(example, longest) for example in progress]
    return sum(_fits(reply, reply_types) for reply in written) / len(written)


def _fits(reply: str, reply_types: set[type[Reply]]) -> bool:
    for reply_type in reply_types:
        try:
            reply_type.model_validate_json(reply)
        except ValidationError:
            continue
        return True
    return False


EXAMPLES = Path(system.__file__).parent / "examples" / "claims.json"


def example_tasks(adapter: Adapter, count: int, labels: bool = False) -> list[Task[Reply]]:
    """Tasks of an adapter, of at most ``count`` claims; those of a moderator are about debates of two quotations.

    Args:
        labels: verdicts are labels alone.
    """
    return [task for example in read_gold(EXAMPLES)[:count] for task in _tasks(adapter, example, labels)]


def _tasks(adapter: Adapter, example: GoldClaim, labels: bool) -> Iterator[Task[Reply]]:
    claim, pairs, passages = example.claim, _pairs(example), _passages(example)
    match adapter:
        case Adapter.QUESTION_GENERATION:
            yield AskQuestion(claim=claim, context=pairs[:1], index=0)
        case Adapter.QUESTION_ANSWERING:
            yield AnswerQuestion(claim=claim, question=pairs[0].question, passage=passages[0])
        case Adapter.VERDICT_PREDICTION:
            yield LabelClaim(claim=claim, pairs=pairs) if labels else JudgeClaim(claim=claim, pairs=pairs)
        case Adapter.MODERATOR:
            body = {"claim": claim, "pairs": pairs, "evidence": passages, "transcript": _debate(passages)}
            yield Moderate(**body, rulings=())
            yield CloseDebate(**body, rulings=())
        case Adapter.NONE:
            return


def _pairs(example: GoldClaim) -> tuple[QuestionAnswer, ...]:
    return tuple(QuestionAnswer(question=answer.question, answer=answer.text, answers=()) for answer in example.answers)


def _passages(example: GoldClaim) -> tuple[Passage, ...]:
    return tuple(
        Passage(text=answer.explanation or answer.text, url=answer.url, page=number, start=0)
        for number, answer in enumerate(example.answers)
    )


def _debate(passages: tuple[Passage, ...]) -> tuple[Argument, ...]:
    return tuple(
        Argument(speaker=speaker, round=1, text=passage.text, passages=(passage,))
        for speaker, passage in zip((Speaker.AFFIRMATIVE, Speaker.NEGATIVE), (passages[0], passages[-1]), strict=True)
    )
