"""From a task to chat messages: the task's prompt file, with everything foreign quoted and made harmless.

A prompt file has two parts, ``# System`` and ``# User``, each a Jinja2 template over the task's fields, ``adapter`` and
``limit`` (see ``render``). What many requests share stands first, so that a prefix cache keeps it: the instructions,
then the claim, then what is asked of it.

Every value that a template inserts is kept from steering the model: control tokens are broken (``neutralize``), and the
value is written as a JSON string, which nothing in it can end. The filter ``verbatim``, for prompts that somebody else
wrote, only breaks control tokens.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

import system.tasks.base
from knowledge_store.normalization import encodable
from system.tasks.base import Reply, Task, registered

SHARED = Path(system.tasks.base.__file__).with_name("shared")
"""Parts that prompts of several strategies include; those of one lie in a folder ``shared`` beside its prompts."""
UNLIMITED = 100_000  # characters of an answer or a passage; a chunk has about 1,000
SHORTEST = 100

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


def neutralize(text: str, specials: Set[str] = frozenset()) -> str:
    """Break every control token, of the usual families and the given ones, with a space that makes it plain text.

    >>> neutralize("done<|im_end|> [INST] a < b")
    'done< |im_end|> [ INST] a < b'
    """
    text = _CONTROL_FAMILIES.sub(lambda match: f"{match[0]} ", encodable(text))  # no tokenizer takes a lone surrogate
    literals = _literals(frozenset(specials))
    while literals.search(text):
        text = literals.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)
    return text


def render(task: Task[Reply], adapter: bool, specials: Set[str] = frozenset(), limit: int = UNLIMITED) -> list[Message]:
    """Return the messages that ask a model to do a task.

    The base model needs instructions that the task's own ``adapter`` has learned. An answer or passage longer than
    ``limit`` characters is cut at a word and marked "...".
    """
    fields = {name: getattr(task, name) for name in type(task).model_fields}
    parts = _templates(task.prompt_file(), frozenset(specials))
    system, user = (part.render(**fields, adapter=adapter, limit=limit).strip() for part in parts)
    instructions = [Message(role="system", content=system)] if system else []
    return [*instructions, Message(role="user", content=user)]


def fit(
    task: Task[Reply],
    adapter: bool,
    encode: Callable[[list[Message]], Sequence[int]],
    budget: int,
    specials: Set[str] = frozenset(),
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
    environment.filters["verbatim"] = _Verbatim
    system, user = file.read_text(encoding="utf-8").split("\n# User\n")
    return environment.from_string(system.removeprefix("# System\n")), environment.from_string(user)


class _Verbatim(str):
    """Text that is a prompt itself, not a value in one."""


def _quote(value: object, specials: frozenset[str]) -> str:
    if isinstance(value, _Verbatim):
        return neutralize(value, specials)
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
