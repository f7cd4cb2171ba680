"""The schema that constrains a reply, and the reading of what came: the same for every backend that speaks text."""

from typing import Any

from pydantic import ValidationError

from system.models.base import Completion, ErrorKind, ModelError, Result
from system.records import Cost
from system.tasks import Reply, Task


def decoding_schema(reply_type: type[Reply]) -> dict[str, Any]:
    """JSON schema of a reply for constrained decoding, without the bounds on the length of strings.

    With such a bound xgrammar (as of 0.2.8) lets a string hold no escape, so that a model which wants to write a
    quotation mark can only end the string (mlc-ai/xgrammar#800). ``read_reply`` checks the bounds instead.
    """
    schema: dict[str, Any] = _without_lengths(reply_type.model_json_schema())
    return schema


def read_reply(task: Task[Reply], raw: str, cost: Cost, prompt: str, truncated: bool = False) -> Result:
    """A completion where the raw text is JSON of the task's reply type, else a malformed-reply error.

    Args:
        truncated: the model ran into ``max_tokens``; says so in the error, as it is the likeliest cause.
    """
    try:
        return Completion(task.reply_type.model_validate_json(raw), cost, prompt, raw)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"])) or "the reply"
        cut = f", cut off at {task.max_tokens} tokens" if truncated else ""
        expected = ", ".join(task.reply_type.model_fields)
        message = f"{task.name}: expected a JSON object with {expected}; {where}: {fault['msg']}{cut}"
        return ModelError(ErrorKind.MALFORMED_REPLY, message, cost, prompt, raw)


def _without_lengths(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _without_lengths(part) for key, part in schema.items() if key not in ("minLength", "maxLength")}
    return [_without_lengths(part) for part in schema] if isinstance(schema, list) else schema
