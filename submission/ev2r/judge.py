"""The judge: any language model of the engine, asked with the organizers' prompts."""

import ast
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from submission.ev2r.replies import Unit
from submission.files import SubmissionError, read_text
from submission.official import join_evidence
from submission.read import Pair
from system.graph.records import Claim
from system.models.base import Model, ModelError, ModelUnavailable, Request
from system.models.loading import load_model
from system.settings import Settings, SettingsError, load
from system.tasks.base import FreeText, Task, Text

TYPES = {Unit.EVIDENCE: "atomic_reference_prec_recall", Unit.QUESTIONS: "atomic_question_reference_prec_recall"}
"""Values of ``PromptTypes`` that the official scorer uses."""
PLACES = ["", "", ""]
"""The claim, the reference, the prediction: places without names."""
FORMS = "vllm:MODEL, server:MODEL@ADDRESS, or a profile (its name or a .toml file)"
BACKENDS = ("vllm", "server")
NO_CLAIM = Claim(id=0, text="-")  # a task has one, and the prompt says everything
JUDGE_ENGINE = {"context": 16384, "timeout": 600.0}  # many pairs, and a reply of up to 3,000 tokens


class JudgeError(Exception):
    """The judge has no reply to a comparison; the message says why."""


class FreePrompt(Task[FreeText]):
    """Answer a given prompt in free form."""

    name = "free_prompt"
    reply_type = FreeText
    max_tokens = 3000  # as the official scorer allows

    prompt: Text


@dataclass(frozen=True)
class OfficialPrompts:
    """The organizers' two prompts; ``name`` tells versions of their file apart."""

    texts: dict[Unit, str]
    name: str

    def prompt(self, pair: Pair, unit: Unit) -> str:
        """Write the official scorer's prompt: evidence as its CSV has it, or the questions in one line."""
        sides = (pair.gold.pairs, pair.predicted.texts)
        if unit is Unit.EVIDENCE:
            gold, predicted = map(join_evidence, sides)
        else:
            gold, predicted = (" ".join(question for question, _ in pairs if question) for pairs in sides)
        return self.texts[unit].format(pair.gold.claim, gold, predicted)


def read_official_prompts(path: Path) -> OfficialPrompts:
    """Read the prompts without running the file: ``PROMPT_MAPPING`` names members of ``PromptTypes`` and constants."""
    source = read_text(path)
    try:
        body = ast.parse(source).body
        texts = _assigned(body)
        kinds = _assigned(line for node in body if isinstance(node, ast.ClassDef) for line in node.body)
        mapping = texts["PROMPT_MAPPING"]
        pairs = ((kinds[key.attr], texts[name.id]) for key, name in zip(mapping.keys, mapping.values, strict=True))
        named = {kind.value: getattr(text, "value", None) for kind, text in pairs}
        prompts = {unit: str(named[kind]) for unit, kind in TYPES.items()}
        if any(
            [name for _, name, *_ in Formatter().parse(one) if name is not None] != PLACES for one in prompts.values()
        ):
            raise ValueError(f"expected {len(PLACES)} placeholders '{{}}' in each prompt")
    except (SyntaxError, KeyError, AttributeError, ValueError) as error:
        raise SubmissionError(
            f"{path}: expected the organizers' properties.py, with PROMPT_MAPPING for {', '.join(TYPES.values())} "
            f"({type(error).__name__}: {error}); use the file next to their averitec_evaluate.py"
        ) from error
    digest = hashlib.sha256(repr(sorted(prompts.items())).encode()).hexdigest()[:12]
    return OfficialPrompts(prompts, f"official prompts {digest}")


def _assigned(lines: Iterable[ast.stmt]) -> dict[str, Any]:
    """Return the expression that each name is assigned."""
    assignments = [line for line in lines if isinstance(line, ast.Assign)]
    return {target.id: line.value for line in assignments for target in line.targets if isinstance(target, ast.Name)}


class Judge:
    """A language model with the organizers' prompts; replies of judges with one ``name`` are interchangeable."""

    def __init__(self, model: Model, name: str, prompts: OfficialPrompts) -> None:
        self.name = f"{name}, {prompts.name}"
        self.prompt = prompts.prompt
        self._model = model

    async def reply(self, prompt: str) -> str:
        """Return the judge's reply as it was written; may be called concurrently.

        Raises:
            JudgeError: there is none, and asking again would not help.
            SubmissionError: the judge is gone, and no prompt will get a reply.
        """
        try:
            [result] = await self._model.generate([Request(FreePrompt(claim=NO_CLAIM, prompt=prompt))])
        except ModelUnavailable as error:
            raise SubmissionError(f"the judge stopped answering: {error}; run the same command to resume") from error
        if isinstance(result, ModelError):
            raise JudgeError(f"{result.kind}: {result.message}")
        return result.raw

    async def close(self) -> None:
        """Free the model."""
        await self._model.close()


def load_judge(judge: str, prompts: Path) -> Judge:
    """Load a judge, named in one of the ``FORMS``, with the prompts of the organizers' ``properties.py``."""
    official = read_official_prompts(prompts)
    try:
        settings = _settings(judge)
        model = load_model(settings, asked=[FreePrompt])
    except (SettingsError, ModelUnavailable) as error:
        raise SubmissionError(f"judge {judge!r}: {error}; expected {FORMS}") from error
    return Judge(model, f"{settings.model.backend} {settings.model.model}", official)


def _settings(judge: str) -> Settings:
    backend, _, model = judge.partition(":")
    if backend in BACKENDS and model:
        name, _, address = model.partition("@") if backend == "server" else (model, "", "")
        return load("laptop", {"backend": backend, "model": name, "address": address, **JUDGE_ENGINE})
    settings = load(judge, {})
    if settings.model.backend not in BACKENDS:
        raise SettingsError("the profile has no language model")
    return settings
