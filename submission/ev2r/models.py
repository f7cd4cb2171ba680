"""Use any model of the engine as a judge; only this module and ``tasks`` reach the engine's models."""

import ast
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from submission.ev2r.judging import ComparedPairs, JudgeError
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
FORMS = "vllm:MODEL, server:MODEL@ADDRESS, or a profile (its name or a .toml file)"
BACKENDS = ("vllm", "server")
RETRY_TEMPERATURE = 0.5
"""Temperature of the second attempt: without sampling, the same unreadable reply would come again."""
JUDGE_ENGINE = {"context": 16384, "timeout": 600.0}  # many pairs, and a reply of up to 3,000 tokens


@dataclass(frozen=True)
class OfficialPrompts:
    """The organizers' two prompts; ``name`` tells versions of their file apart."""

    texts: dict[Unit, str]
    name: str

    def prompt(self, comparison: ComparedPairs) -> str:
        """Write the official scorer's prompt: evidence as its CSV has it, or the questions in one line."""
        sides = (comparison.gold, comparison.predicted)
        if comparison.unit is Unit.EVIDENCE:
            gold, predicted = (join_evidence(list(pairs)) for pairs in sides)
        else:
            gold, predicted = (" ".join(question for question, _ in pairs if question) for pairs in sides)
        return self.texts[comparison.unit].format(comparison.claim, gold, predicted)


def read_official_prompts(path: Path) -> OfficialPrompts:
    """Read the prompts without running the file: ``PROMPT_MAPPING`` names members of ``PromptTypes`` and constants.

    Raises:
        SubmissionError: the file is not the organizers' properties.py, or a prompt does not have the three places.
    """
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


class ModelJudge:
    """A language model with our own prompts and schemas, or with the organizers' prompts and free replies.

    Args:
        name: name of the model; the name of the prompts is added to it.
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

    def _task(self, comparison: ComparedPairs) -> Task[Reply]:
        if self._official:
            claim = Claim(id=comparison.claim_id, text=comparison.claim)
            return FreePrompt(claim=claim, prompt=self._official.prompt(comparison))
        return _own_task(comparison)

    async def close(self) -> None:
        """See ``Judge.close``."""
        await self._model.close()


def load_judge(judge: str, official_prompts: Path | None = None) -> ModelJudge:
    """Load a judge.

    Args:
        judge: one of ``FORMS``.
        official_prompts: the organizers' ``properties.py``, to ask with their prompts.

    Raises:
        SubmissionError: judge not found, or it cannot be loaded.
    """
    official = read_official_prompts(official_prompts) if official_prompts else None
    try:
        settings = _settings(judge)
        model = load_model(settings, asked=TASKS)
    except (SettingsError, ModelUnavailable) as error:
        raise SubmissionError(f"judge {judge!r}: {error}; expected {FORMS}") from error
    return ModelJudge(model, f"{settings.model.backend} {settings.model.model}", official)


def _settings(judge: str) -> Settings:
    backend, _, model = judge.partition(":")
    if backend in BACKENDS and model:
        name, _, address = model.partition("@") if backend == "server" else (model, "", "")
        return load("laptop", {"backend": backend, "model": name, "address": address, **JUDGE_ENGINE})
    settings = load(judge, {})
    if settings.model.backend not in BACKENDS:
        raise SettingsError("the profile has no language model")
    return settings


def _own_task(comparison: ComparedPairs) -> Task[Reply]:
    claim = Claim(id=comparison.claim_id, text=comparison.claim)
    if comparison.unit is Unit.EVIDENCE:
        return CompareEvidence(claim=claim, predicted=comparison.predicted, reference=comparison.gold)
    predicted, gold = (tuple(question for question, _ in side) for side in (comparison.predicted, comparison.gold))
    return CompareQuestions(claim=claim, predicted=predicted, reference=tuple(dict.fromkeys(gold)))


def _own_prompts_name() -> str:
    """Return a name that changes with our prompts and schemas, so that replies to other ones are never reused."""
    pairs = (("question", "answer"),)
    digest = hashlib.sha256()
    for unit in Unit:
        task = _own_task(ComparedPairs(claim_id=0, claim="claim", unit=unit, predicted=pairs, gold=pairs))
        digest.update(repr((render(task, adapter=False), decoding_schema(task.reply_type))).encode())
    return f"own prompts {digest.hexdigest()[:12]}"
