"""From a task to the messages and token ids that a model reads, and from the text that it writes to a reply.

A prompt file has two parts, ``# System`` and ``# User``, each a Jinja2 template over the task's fields, ``adapter`` and
``limit`` (see ``render``). What many requests share stands first, so that a prefix cache keeps it: the instructions,
then the claim, then what is asked of it.

Every value that a template inserts is kept from steering the model: control tokens are broken (``neutralize``), and the
value is written as a JSON string, which nothing in it can end. The filter ``verbatim``, for prompts that somebody else
wrote, only breaks control tokens.

    prompt = ChatTokenizer(folder, context=4096).prompt(task, adapter=False)
    result = read_reply(task, what_the_model_wrote, cost, prompt_text)
"""

import json
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup
from pydantic import ValidationError

import system.tasks.base
from knowledge_store.normalization import encodable
from system.graph.records import Cost, explain
from system.models.base import Completion, ErrorKind, ModelError, ModelUnavailable, Result, first_line
from system.tasks.base import FreeText, Reply, Task, registered

SHARED = Path(system.tasks.base.__file__).with_name("shared")
"""Parts that prompts of several strategies include; those of one lie in a folder ``shared`` beside its prompts."""
UNLIMITED = 100_000  # characters of an answer or a passage; a chunk has about 1,000
SHORTEST = 100
Tokens = Sequence[tuple[str, float]]  # of a reply: texts with their log-probabilities

# "<|im_end|>", "<s>", "</tool_call>", "<start_of_turn>", "<<SYS>>" all open with "<"; then "[INST]", "[/INST]", "[CLS]"
_CONTROL_FAMILIES = re.compile(r"<(?=\S)|\[(?=/?[A-Z_]+\])")


def prompt_files() -> list[Path]:
    """Return the prompts of all tasks that have been defined so far, with the parts that they include."""
    prompts = {task.prompt_file() for task in registered()}
    folders = {SHARED, *(file.parent / "shared" for file in prompts)}
    return sorted(prompts.union(*(folder.glob("*.md") for folder in folders)))


class Message(TypedDict):
    """A chat message, in the form that chat templates and OpenAI-compatible servers take."""

    role: Literal["system", "user"]
    content: str


class Prompt(NamedTuple):
    """Messages with the token ids that the model reads."""

    messages: list[Message]
    ids: Sequence[int]


class RequestTooLongError(Exception):
    """A request does not fit the context, even with its answers and passages cut to ``SHORTEST`` characters."""


def neutralize(text: str, specials: frozenset[str] = frozenset()) -> str:
    """Break every control token, of the usual families and the given ones, with a space that makes it plain text.

    >>> neutralize("done<|im_end|> [INST] a < b")
    'done< |im_end|> [ INST] a < b'
    """
    text = _CONTROL_FAMILIES.sub(lambda match: f"{match[0]} ", encodable(text))  # no tokenizer takes a lone surrogate
    literals = _literals(specials)
    while literals.search(text):
        text = literals.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)
    return text


def render(
    task: Task[Reply], adapter: bool, specials: frozenset[str] = frozenset(), limit: int = UNLIMITED
) -> list[Message]:
    """Return the messages that ask a model to do a task.

    The base model needs instructions that the task's own ``adapter`` has learned. An answer or passage longer than
    ``limit`` characters is cut at a word and marked "...".
    """
    parts = _templates(task.prompt_file(), specials)
    system, user = (part.render(dict(task), adapter=adapter, limit=limit).strip() for part in parts)
    instructions = [Message(role="system", content=system)] if system else []
    return [*instructions, Message(role="user", content=user)]


def fit(
    task: Task[Reply],
    adapter: bool,
    encode: Callable[[list[Message]], Sequence[int]],
    budget: int,
    specials: frozenset[str] = frozenset(),
) -> Prompt:
    """Return the prompt of a task in at most ``budget`` tokens, which ``encode`` makes with the chat template.

    To fit, answers and passages longer than a common limit are cut to it; the limit is the largest that fits. So the
    longest lose first, and claim, metadata and questions stay whole.

    Raises:
        RequestTooLongError: it does not fit however much is cut.
    """

    def attempt(limit: int) -> Prompt:
        messages = render(task, adapter, specials, limit)
        return Prompt(messages, encode(messages))

    whole = attempt(UNLIMITED)
    if len(whole.ids) <= budget:
        return whole
    if (least := len(attempt(SHORTEST).ids)) > budget:
        raise RequestTooLongError(f"expected at most {budget} prompt tokens; {task.name} needs {least} even when cut")
    fitting = bisect_right(range(SHORTEST, UNLIMITED), budget, key=lambda limit: len(attempt(limit).ids))
    return attempt(SHORTEST + fitting - 1)


@lru_cache
def _templates(file: Path, specials: frozenset[str]) -> tuple[Template, Template]:
    """Return the two parts of a prompt file, split before rendering, so that no inserted text can start a part."""
    environment = Environment(
        loader=FileSystemLoader([file.parent / "shared", SHARED]),
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: _quote(value, specials),
    )
    environment.policies["truncate.leeway"] = 0
    environment.filters["verbatim"] = Markup  # a prompt itself, not a value in one
    system, user = file.read_text(encoding="utf-8").split("\n# User\n")
    return environment.from_string(system.removeprefix("# System\n")), environment.from_string(user)


def _quote(value: object, specials: frozenset[str]) -> str:
    if isinstance(value, Markup):
        return neutralize(str(value), specials)
    if isinstance(value, str):
        value = neutralize(value, specials)
    elif isinstance(value, dict):
        value = {name: neutralize(text, specials) for name, text in value.items()}
    return json.dumps(value, ensure_ascii=False)


@lru_cache
def _literals(specials: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern of the literals that a space can break; blank ones steer nothing."""
    breakable = sorted((literal for literal in specials if len(literal.strip()) > 1), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, breakable)) or r"(?!)")


class ChatTokenizer:
    """Renders tasks with the tokenizer and chat template of a model (a folder or a name), for a context in tokens.

    Replies are decoded under a JSON schema, so a model that can think aloud first must not: templates that have the
    switch ``enable_thinking`` (Qwen3's) get it as false, and write an empty thought in front of the reply.

    Raises:
        ModelUnavailable: the model is missing or not a chat model, or its template fails.
    """

    def __init__(self, model: str, context: int) -> None:
        from transformers import AutoTokenizer  # an extra, which servers and scripts do without

        try:
            self.tokenizer: Any = AutoTokenizer.from_pretrained(model, local_files_only=Path(model).is_dir())
            self.encode([{"role": "system", "content": "?"}, {"role": "user", "content": "?"}])
        except Exception as error:  # a damaged file fails anywhere in transformers, and a template is a program
            raise ModelUnavailable(
                f"the tokenizer of model {model!r} cannot be loaded, or its chat template cannot render messages of "
                f"system and user: {first_line(error)}; correct it, or give another instruct model"
            ) from error
        self.context = context
        self.specials = frozenset(token.content for token in self.tokenizer.added_tokens_decoder.values())

    def prompt(self, task: Task[Reply], adapter: bool) -> Prompt:
        """Return the prompt of a task, trimmed so that its longest reply fits the context too; see ``fit``."""
        return fit(task, adapter, self.encode, self.context - task.max_tokens, self.specials)

    def encode(self, messages: Sequence[Mapping[str, object]]) -> list[int]:
        """Return the token ids of a conversation, up to where the model's reply starts."""
        ids: list[int] = self.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_dict=False
        )
        return ids


def decoding_schema(reply_type: type[Reply]) -> dict[str, Any]:
    """Return the JSON schema of a reply for constrained decoding, without the bounds on the length of strings.

    With such a bound xgrammar (as of 0.2.8) lets a string hold no escape, so a model cannot write a quotation mark
    (mlc-ai/xgrammar#800). ``read_reply`` checks the bounds instead.
    """

    def without_lengths(part: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in part.items() if key not in ("minLength", "maxLength")}

    return dict(json.loads(json.dumps(reply_type.model_json_schema()), object_hook=without_lengths))


def read_reply(
    task: Task[Reply], raw: str, cost: Cost, prompt: str, truncated: bool = False, tokens: Tokens = ()
) -> Result:
    """Return a completion if the raw text fits the task's reply type, else an error that says if it was truncated."""
    raw = encodable(raw)  # a server's JSON may escape half of a surrogate pair
    if task.reply_type is FreeText:
        return Completion(FreeText(text=raw), cost, prompt, raw)
    try:
        reply = task.reply_type.model_validate_json(raw)
    except ValidationError as error:
        cut = f", cut off at {task.max_tokens} tokens" if truncated else ""
        expected = ", ".join(task.reply_type.model_fields)
        fault = explain(error.errors()[0], "the reply", quoting=False)
        message = f"{task.name}: expected a JSON object with {expected}; {fault}{cut}"
        return ModelError(ErrorKind.MALFORMED_REPLY, message, cost, prompt, raw)
    return Completion(reply, cost, prompt, raw, label_confidence(task.reply_type, tokens))


def label_confidence(reply_type: type[Reply], tokens: Tokens) -> float:
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
