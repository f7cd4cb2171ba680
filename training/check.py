"""``python -m training check ADAPTER``: an adapter in the engine beside PEFT, on the same prompts.

It answers two questions: does the engine apply the adapter as PEFT does, and, with ``--claims``, how often does the
verdict adapter abstain on held-out claims (``abstentions``)? The held-out loss is on the adapter's card.

    python -m training check models/verdict_prediction --profile a10g --claims train.json
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from peft import PeftModel

import system
from knowledge_store.pages.page import Passage
from system.app.commands.common import settings_of
from system.app.options import parse_settings
from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import Label, QuestionAnswer
from system.graph.thoughts import Argument, Speaker
from system.hardware.memory import skeleton
from system.models.adapters import base_mark, check_adapter
from system.models.base import Completion, Model, Request, Result
from system.models.chat import ChatTokenizer
from system.models.loading import load_model
from system.settings import Settings
from system.strategies.debate.tasks import CloseDebate, Moderate
from system.strategies.steps.tasks.answer_question import AnswerQuestion
from system.strategies.steps.tasks.ask_question import AskQuestion
from system.strategies.steps.tasks.judge_claim import JudgeClaim, VerdictReply
from system.tasks.base import Adapter, Reply, Task
from training import TrainingError
from training.datasets.gold import PARTIAL, verdict_prediction
from training.datasets.samples import Sample
from training.finetuning.base import choose_precision, device_memory, load_base
from training.finetuning.checkpoints import read_record
from training.finetuning.command import DATA
from training.finetuning.examples import Demonstration, read_examples, split_by_claim
from training.finetuning.recipes import HELD_OUT, RECIPES

EXAMPLES = Path(system.__file__).parent / "examples" / "claims.json"


def add_command(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "check",
        help="check an adapter in the engine",
        description="Load an adapter in the engine, let it answer tasks of the example claims, and compare its replies "
        "with PEFT's on the same prompts. Every setting of a run is an option.",
    )
    parser.add_argument("adapter", type=Path, help="folder that 'python -m training train' wrote")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the data sets (default: %(default)s)")
    parser.add_argument("--count", type=int, default=8, help="example claims to try (default: %(default)s)")
    parser.add_argument(
        "--claims", type=Path, help="train.json: report how often a verdict adapter abstains on its held-out claims"
    )
    parser.set_defaults(run=run, settings=[])


def run(arguments: argparse.Namespace) -> None:
    """Check and print the findings. The engine serves ``--model``, by default the adapter's base.

    Raises:
        SettingsError: a setting is wrong.
        TrainingError: the data set that tells which claims were held out is missing.
        TrainingError, ModelUnavailable: see ``check``.
    """
    record = read_record(arguments.adapter)
    given = parse_settings(arguments.settings)
    settings = settings_of(given)
    served: dict[str, Any] = {
        "model": given.get("model") or str(record["base"]),
        "adapters": {Adapter(record["adapter"]): str(arguments.adapter)},
    }
    settings = settings.model_copy(update={"model": settings.model.model_copy(update=served)})
    counted: list[Sample] = []
    if arguments.claims and Adapter.VERDICT_PREDICTION in served["adapters"]:
        counted = held_out_verdicts(arguments.claims, arguments.data / f"{record['data']}.jsonl", int(record["seed"]))
    print(check(arguments.adapter, settings, arguments.count, counted))


def check(adapter: Path, settings: Settings, count: int, counted: Sequence[Sample]) -> str:
    """Check an adapter that ``python -m training train`` made; returns the report.

    Args:
        settings: of the engine, which serves the adapter.
        count: maximum example claims.
        counted: verdict samples of held-out claims, to count abstentions on.

    Raises:
        TrainingError: the folder holds no such adapter, or the engine gave no reply.
        ModelUnavailable: the engine or the base cannot be loaded, or the adapter is of another base.
    """
    record = read_record(adapter)
    tasks = example_tasks(Adapter(record["adapter"]), count)
    results = asyncio.run(_ask(settings, [*tasks, *(sample.task for sample in counted)]))
    replies, judged = results[: len(tasks)], results[len(tasks) :]
    written = [(task, result) for task, result in zip(tasks, replies, strict=True) if result.raw]
    if not written:
        raise TrainingError(f"{adapter}: the engine gave no reply to {len(tasks)} requests; first: {replies[0]}")
    usable = sum(isinstance(result, Completion) for result in replies) / len(tasks)
    alike, without = agreement(adapter, record, written, settings.engine.context)
    lines = [
        "engine replies:",
        *(f"  {result.raw}" for _, result in written),
        f"usable engine replies                {usable:8.1%}",
        f"engine tokens that PEFT writes too   {alike:8.1%}  (the base alone: {without:.1%})",
    ]
    return "\n".join([*lines, abstentions(counted, judged)] if counted else lines)


def held_out_verdicts(claims: Path, data: Path, seed: int) -> list[Sample]:
    """Return every verdict sample of the claims that a training held out, also those that its data set left out.

    Args:
        data: the data set that it was trained on.
    """
    held_out = split_by_claim(read_examples(data, Demonstration), HELD_OUT, seed).held_out
    aside = {example.claim_id for example in held_out}
    return list(verdict_prediction([one for one in read_gold(claims) if one.claim.id in aside]).samples)


async def _ask(settings: Settings, tasks: Sequence[Task[Reply]]) -> list[Result]:
    """Return the engine's greedy replies."""
    model: Model = load_model(settings, asked={type(task) for task in tasks})
    try:
        return await model.generate([Request(task) for task in tasks])
    finally:
        await model.close()  # PEFT needs the memory


def abstentions(samples: Sequence[Sample], results: Sequence[Result]) -> str:
    """Return a table of Not Enough Evidence by number of question-answer pairs.

    A branch that gets this label asks again, so an adapter that abstains on all evidence wastes rounds and time. The
    annotators' rate is what an adapter should come near on all evidence; on partial evidence the label is the paper's
    rule (section 3.2.4), which no annotator checked. A request without a usable reply counts as an abstention.
    """
    rows: dict[int, list[list[bool]]] = defaultdict(lambda: [[], [], [], []])
    for sample, result in zip(samples, results, strict=True):
        assert isinstance(sample.task, JudgeClaim)
        reply = result.reply if isinstance(result, Completion) else None
        label = reply.label if isinstance(reply, VerdictReply) else Label.NOT_ENOUGH_EVIDENCE
        annotated, found, right, partial = rows[len(sample.task.pairs)]
        if sample.kind == PARTIAL:
            partial.append(label is Label.NOT_ENOUGH_EVIDENCE)
        else:
            annotated.append(sample.label is Label.NOT_ENOUGH_EVIDENCE)
            found.append(label is Label.NOT_ENOUGH_EVIDENCE)
            right.append(label is sample.label)
    head = (
        "pairs | all evidence | annotators abstain | adapter abstains | accuracy | partial evidence | adapter abstains"
    )
    lines = [f"| {head} |", "|" + "---:|" * 7]
    for pairs, (annotated, found, right, partial) in sorted(rows.items()):
        cells = [len(annotated), _share(annotated), _share(found), _share(right), len(partial), _share(partial)]
        lines.append(f"| {pairs} | {' | '.join(map(str, cells))} |")
    return "\n".join(["Not Enough Evidence on held-out claims:", *lines])


def _share(flags: Sequence[bool]) -> str:
    return f"{sum(flags) / len(flags):.0%}" if flags else ""


def agreement(
    adapter: Path, record: Mapping[str, Any], written: Sequence[tuple[Task[Reply], Result]], context: int
) -> tuple[float, float]:
    """Return the mean share of the engine's tokens that PEFT finds likeliest too, each given those before it.

    An engine that does not apply the adapter turns the two results round.

    Args:
        record: of the adapter's training.
        written: tasks with the engine's replies.
        context: of the engine, in tokens.

    Returns:
        The share with the adapter, and the share of the base without it.
    """
    base = str(record["base"])
    recipe = replace(RECIPES[record["task"]], context=record["context"], micro_batch=record["micro_batch"])
    plan = choose_precision(skeleton(base), recipe, device_memory(None), torch.cuda.is_available())
    loaded = load_base(base, plan.precision)
    check_adapter(adapter, loaded, base_mark(base))
    model: Any = PeftModel.from_pretrained(loaded, str(adapter)).eval()
    chat = ChatTokenizer(base, context)
    shares: list[tuple[float, float]] = []
    for task, result in written:
        prompt = chat.prompt(task, True).ids
        reply = chat.tokenizer(result.raw, add_special_tokens=False)["input_ids"]
        if isinstance(result, Completion):  # a reply that was cut off has no end token
            reply = [*reply, chat.tokenizer.eos_token_id]
        with torch.inference_mode():
            ids = torch.tensor([[*prompt, *reply]], device=model.device)
            with_adapter = model(input_ids=ids).logits[0, len(prompt) - 1 : -1]
            with model.disable_adapter():
                without = model(input_ids=ids).logits[0, len(prompt) - 1 : -1]
        wanted = ids[0, len(prompt) :]
        shares.append((_alike(with_adapter, wanted), _alike(without, wanted)))
    return fmean(one for one, _ in shares), fmean(other for _, other in shares)


def _alike(logits: torch.Tensor, wanted: torch.Tensor) -> float:
    return float((logits.argmax(-1) == wanted).float().mean())


def example_tasks(adapter: Adapter, count: int) -> list[Task[Reply]]:
    """Return tasks of an adapter for at most ``count`` example claims. A moderator's debates are two quotations."""
    return [task for example in read_gold(EXAMPLES)[:count] for task in _tasks(adapter, example)]


def _tasks(adapter: Adapter, example: GoldClaim) -> Iterator[Task[Reply]]:
    claim, answers = example.claim, example.answers
    pairs = tuple(QuestionAnswer(question=answer.question, answer=answer.text, answers=()) for answer in answers)
    passages = tuple(
        Passage(text=answer.explanation or answer.text, url=answer.url, page=number, start=0)
        for number, answer in enumerate(answers)
    )
    match adapter:
        case Adapter.QUESTION_GENERATION:
            yield AskQuestion(claim=claim, context=pairs[:1], index=0)
        case Adapter.QUESTION_ANSWERING:
            yield AnswerQuestion(claim=claim, question=pairs[0].question, passage=passages[0])
        case Adapter.VERDICT_PREDICTION:
            yield JudgeClaim(claim=claim, pairs=pairs)
        case Adapter.MODERATOR:
            sides = {Speaker.AFFIRMATIVE: passages[0], Speaker.NEGATIVE: passages[-1]}
            transcript = tuple(
                Argument(speaker=speaker, round=1, text=passage.text, passages=(passage,))
                for speaker, passage in sides.items()
            )
            debate = {"claim": claim, "pairs": pairs, "evidence": passages, "transcript": transcript, "rulings": ()}
            yield Moderate(**debate)
            yield CloseDebate(**debate)
        case Adapter.NONE:
            return
