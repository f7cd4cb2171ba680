"""``python -m training check ADAPTER``: an adapter in the engine beside PEFT, on the same prompts.

It answers one question: does the engine apply the adapter as PEFT does? The held-out loss is on the adapter's card.

    python -m training check models/verdict_prediction --profile a10g
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import system
from knowledge_store.pages.page import Passage
from system.app.commands.common import settings_of
from system.app.options import HiddenSettings
from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import QuestionAnswer
from system.graph.thoughts import Argument, Speaker
from system.models.base import Completion, Model, Request, Result
from system.models.loading import load_model
from system.models.prompting import ChatTokenizer
from system.settings import Settings
from system.strategies.debate.tasks import CloseDebate, Moderate
from system.strategies.steps.tasks import AnswerQuestion, AskQuestion, JudgeClaim
from system.tasks.base import Adapter, Reply, Task
from training import TrainingError

EXAMPLES = Path(system.__file__).parent / "examples" / "claims.json"


async def check(adapter: Path, /, *, count: int = 8, settings: HiddenSettings = None) -> None:
    """Check an adapter and print the findings. The engine serves ``--model``, by default the adapter's base.

    Args:
        adapter: folder that 'python -m training train' wrote.
        count: example claims to try.
    """
    from training.finetuning.training import read_record  # imports large libraries, as ``agreement`` does

    record = read_record(adapter)
    base, kind = str(record["base"]), Adapter(record["adapter"])
    chosen = settings_of(settings)
    served = {"model": (settings or {}).get("model") or base, "adapters": {kind: str(adapter)}}
    chosen = chosen.model_copy(update={"model": chosen.model.model_copy(update=served)})
    tasks = example_tasks(kind, count)
    results = await _ask(chosen, tasks)
    written = [(task, result) for task, result in zip(tasks, results, strict=True) if result.raw]
    if not written:
        raise TrainingError(f"{adapter}: the engine gave no reply to {len(tasks)} requests; first: {results[0]}")
    usable = sum(isinstance(result, Completion) for result in results) / len(tasks)
    alike, without = agreement(adapter, base, written, chosen.engine.context)
    print("engine replies:", *(f"  {result.raw}" for _, result in written), sep="\n")
    print(f"usable engine replies                {usable:8.1%}")
    print(f"engine tokens that PEFT writes too   {alike:8.1%}  (the base alone: {without:.1%})")


async def _ask(settings: Settings, tasks: Sequence[Task[Reply]]) -> list[Result]:
    model: Model = load_model(settings, asked={type(task) for task in tasks})
    try:
        return await model.generate([Request(task) for task in tasks])
    finally:
        await model.close()  # PEFT needs the memory


def agreement(
    adapter: Path, base: str, written: Sequence[tuple[Task[Reply], Result]], context: int
) -> tuple[float, float]:
    """Return the mean share of the engine's tokens that PEFT finds likeliest too, each given those before it.

    The first share is with the adapter. The second is of the base without it, and the larger one if the engine does not
    apply the adapter.
    """
    import torch
    from peft import PeftModel

    from system.models.adapters import base_mark, check_adapter
    from training.finetuning.base import load_base, precision_for

    loaded = load_base(base, precision_for(base))
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
            with_adapter = _alike(model, ids, len(prompt))
            with model.disable_adapter():
                shares.append((with_adapter, _alike(model, ids, len(prompt))))
    return fmean(one for one, _ in shares), fmean(other for _, other in shares)


def _alike(model: Any, ids: Any, prompt: int) -> float:
    logits = model(input_ids=ids).logits[0, prompt - 1 : -1]
    return float((logits.argmax(-1) == ids[0, prompt:]).float().mean())


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
