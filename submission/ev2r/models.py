"""Any model of the engine as a judge: the one file of this package that reaches the engine's models."""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from submission.ev2r.judging import ComparedPairs, Judge, JudgeError
from submission.ev2r.replies import Unit
from submission.ev2r.tasks import TASKS, CompareEvidence, CompareQuestions, FreePrompt
from submission.files import SubmissionError, read_text
from submission.official import join_evidence
from system.graph.records import Claim
from system.models.base import ErrorKind, Model, ModelError, ModelUnavailable, Request
from system.models.loading import load_model
from system.models.prompting import render
from system.models.replies import decoding_schema
from system.settings import Settings, SettingsError, load
from system.tasks.base import Reply, Task

TYPES = {Unit.EVIDENCE: "atomic_reference_prec_recall", Unit.QUESTIONS: "atomic_question_reference_prec_recall"}
"""Values of ``PromptTypes`` that the official scorer uses."""


PLACES = ["", "", ""]
"""The claim, the reference, the prediction: places without names."""


@dataclass(frozen=True)
class OfficialPrompts:
    """The two prompts.

    Attributes:
        name: tells versions of the file apart.
    """

    texts: dict[Unit, str]
    name: str

    def prompt(self, comparison: ComparedPairs) -> str:
        """Write the official scorer's prompt: evidence as its CSV has it, or the questions in one line."""
        gold, predicted = (_evidence(comparison.unit, list(pairs)) for pairs in (comparison.gold, comparison.predicted))
        return self.texts[comparison.unit].format(comparison.claim, gold, predicted)


def read_official_prompts(path: Path) -> OfficialPrompts:
    """Read the prompts.

    Raises:
        SubmissionError: the file is not the organizers' properties.py, or a prompt does not have the three places.
    """
    text = read_text(path)
    try:
        named = dict(_prompts(ast.parse(text)))
        prompts = {unit: named[kind] for unit, kind in TYPES.items()}
        if any(_places(prompt) != PLACES for prompt in prompts.values()):
            raise ValueError(f"expected {len(PLACES)} placeholders '{{}}' in each prompt")
    except (SyntaxError, KeyError, ValueError) as error:
        raise SubmissionError(
            f"{path}: expected the organizers' properties.py, with PROMPT_MAPPING for {', '.join(TYPES.values())} "
            f"({type(error).__name__}: {error}); use the file next to their averitec_evaluate.py"
        ) from error
    digest = hashlib.sha256(repr(sorted(prompts.items())).encode()).hexdigest()[:12]
    return OfficialPrompts(prompts, f"official prompts {digest}")


def _places(prompt: str) -> list[str]:
    """List the names between the braces of a prompt."""
    return [name for _, name, _, _ in Formatter().parse(prompt) if name is not None]


def _prompts(module: ast.Module) -> Iterator[tuple[str, str]]:
    """The text of each prompt by the value of its type, as far as they are written out."""
    texts, kinds = dict(_constants(module.body)), {}
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name == "PromptTypes":
            kinds = dict(_constants(node.body))
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and "PROMPT_MAPPING" in _targets(node):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Attribute) and isinstance(value, ast.Name) and value.id in texts:
                    yield kinds[key.attr], texts[value.id]


def _constants(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for name in _targets(node):
                yield name, node.value.value


def _targets(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def _evidence(unit: Unit, pairs: list[tuple[str, str]]) -> str:
    if unit is Unit.EVIDENCE:
        return join_evidence(pairs)
    return " ".join(question for question, _ in pairs if question)


FORMS = "vllm:MODEL, transformers:MODEL, server:MODEL@ADDRESS, or a profile (its name or a .toml file)"
BACKENDS = ("vllm", "transformers", "server")

RETRY_TEMPERATURE = 0.5
"""Of the second attempt: without sampling, the same unreadable reply would come again."""

# A comparison has many pairs, and its reply up to 3,000 tokens: more of both than a claim's own steps.
JUDGE_ENGINE = {"context": 16384, "timeout": 600.0}


class ModelJudge:
    """A language model with our own prompts and schemas, or with the organizers' prompts and free replies.

    Args:
        name: of the model; that of the prompts is added to it.
    """

    def __init__(self, model: Model, name: str, official: OfficialPrompts | None = None) -> None:
        self.name = f"{name}, {official.name if official else _own_prompts_name()}"
        self._model = model
        self._official = official

    async def reply(self, comparison: ComparedPairs, attempt: int) -> str:
        """See ``Judge.reply``."""
        temperature = RETRY_TEMPERATURE if attempt else 0.0
        try:
            [result] = await self._model.generate([Request(self._task(comparison), temperature, seed=attempt)])
        except ModelUnavailable as error:
            raise SubmissionError(f"the judge stopped answering: {error}; run the same command to resume") from error
        if isinstance(result, ModelError) and result.kind is not ErrorKind.MALFORMED_REPLY:
            raise JudgeError(f"{result.kind}: {result.message}")
        return result.raw

    async def close(self) -> None:
        """See ``Judge.close``."""
        await self._model.close()

    def _task(self, comparison: ComparedPairs) -> Task[Reply]:
        if self._official:
            return FreePrompt(claim=_claim(comparison), prompt=self._official.prompt(comparison))
        return _own_task(comparison)


def load_judge(judge: str, official_prompts: Path | None = None) -> Judge:
    """Load a judge.

    Args:
        judge: one of ``FORMS``.
        official_prompts: the organizers' ``properties.py``, to ask in their words.

    Raises:
        SubmissionError: judge not found, or it cannot be loaded.
    """
    official = read_official_prompts(official_prompts) if official_prompts else None
    try:
        settings = _settings(judge)
        return ModelJudge(
            load_model(settings, asked=TASKS), f"{settings.model.backend} {settings.model.model}", official
        )
    except (SettingsError, ModelUnavailable) as error:
        raise SubmissionError(f"judge {judge!r}: {error}; expected {FORMS}") from error


def _settings(judge: str) -> Settings:
    backend, _, model = judge.partition(":")
    if backend not in BACKENDS or not model:
        settings = load(judge, {})
        if settings.model.backend not in BACKENDS:
            raise SettingsError("the profile has no language model")
        return settings
    name, _, address = model.partition("@") if backend == "server" else (model, "", "")
    return load("embedded", {"backend": backend, "model": name, "address": address, **JUDGE_ENGINE})


def _own_task(comparison: ComparedPairs) -> Task[Reply]:
    if comparison.unit is Unit.EVIDENCE:
        return CompareEvidence(claim=_claim(comparison), predicted=comparison.predicted, reference=comparison.gold)
    predicted, gold = (tuple(question for question, _ in side) for side in (comparison.predicted, comparison.gold))
    return CompareQuestions(claim=_claim(comparison), predicted=predicted, reference=tuple(dict.fromkeys(gold)))


def _claim(comparison: ComparedPairs) -> Claim:
    return Claim(id=comparison.claim_id, text=comparison.claim)


def _own_prompts_name() -> str:
    """Changes whenever our prompts or schemas do, so that replies to other ones are not taken for replies to these."""
    pairs = (("question", "answer"),)
    digest = hashlib.sha256()
    for unit in Unit:
        task = _own_task(ComparedPairs(claim_id=0, claim="claim", unit=unit, predicted=pairs, gold=pairs))
        digest.update(repr((render(task, adapter=False), decoding_schema(task.reply_type))).encode())
    return f"own prompts {digest.hexdigest()[:12]}"
