"""The schema of a reply and how it is parsed, the same for every backend whose model writes text."""

import math
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from knowledge_store.normalization import encodable
from system.graph.records import Cost, explain
from system.models.base import Completion, ErrorKind, ModelError, Result
from system.tasks.base import FreeText, Reply, Task


def decoding_schema(reply_type: type[Reply]) -> dict[str, Any]:
    """Return the JSON schema of a reply for constrained decoding, without the bounds on the length of strings.

    With such a bound xgrammar (as of 0.2.8) lets a string hold no escape, so a model cannot write a quotation mark
    (mlc-ai/xgrammar#800). ``read_reply`` checks the bounds instead.
    """
    schema: dict[str, Any] = _without_lengths(reply_type.model_json_schema())
    return schema


def read_reply(
    task: Task[Reply], raw: str, cost: Cost, prompt: str, truncated: bool = False, confidence: float = 1.0
) -> Result:
    """Return a completion if the raw text fits the task's reply type, else an error that says if it was truncated."""
    raw = encodable(raw)  # a server's JSON may escape half of a surrogate pair
    if task.reply_type is FreeText:
        return Completion(FreeText(text=raw), cost, prompt, raw)
    try:
        return Completion(task.reply_type.model_validate_json(raw), cost, prompt, raw, confidence)
    except ValidationError as error:
        cut = f", cut off at {task.max_tokens} tokens" if truncated else ""
        expected = ", ".join(task.reply_type.model_fields)
        fault = explain(error.errors()[0], "the reply", quoting=False)
        message = f"{task.name}: expected a JSON object with {expected}; {fault}{cut}"
        return ModelError(ErrorKind.MALFORMED_REPLY, message, cost, prompt, raw)


def label_confidence(reply_type: type[Reply], tokens: Sequence[tuple[str, float]]) -> float:
    """Return the probability of the label (or decision) in which a reply ends, given its reasons and the schema.

    >>> from system.strategies.steps.tasks import VerdictReply
    >>> tokens = [('{"justification":"x","', 0.0), ("label", -3.0), ('":"', 0.0), ("Refuted", -0.1)]
    >>> round(label_confidence(VerdictReply, tokens), 3)
    0.905
    """
    logarithm, tail = 0.0, ""
    for text, logprob in reversed(tokens):
        tail = text + tail
        if reply_type.label_field and reply_type.label_field in tail:
            break
        logarithm += logprob
    return math.exp(min(0.0, logarithm))  # 1 for NaN, which some servers write


def _without_lengths(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _without_lengths(part) for key, part in schema.items() if key not in ("minLength", "maxLength")}
    return [_without_lengths(part) for part in schema] if isinstance(schema, list) else schema
