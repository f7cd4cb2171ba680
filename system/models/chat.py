"""A model's own tokenizer and chat template: from a task to the token ids that the model reads.

Replies are decoded under a JSON schema, so a model that can think aloud first must not: templates that have the switch
``enable_thinking`` (Qwen3's) get it as false, and write an empty thought in front of the reply.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from system.models.base import ModelUnavailable, first_line
from system.models.prompting import Prompt, fit
from system.tasks.base import Reply, Task


class ChatTokenizer:
    """Renders tasks with the chat template of a model (a folder or a name), for a context in tokens.

    Raises:
        ModelUnavailable: the model is missing or not a chat model, or its template fails.
    """

    def __init__(self, model: str, context: int) -> None:
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
