"""The organisers' own prompts, taken from their ``properties.py`` without running it.

That file holds an enumeration ``PromptTypes`` and a dictionary ``PROMPT_MAPPING`` from its members to names of texts
with three places: for the claim, the reference and the prediction.
"""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from submission.ev2r.comparisons import Comparison, Unit
from submission.files import SubmissionError, read_text
from submission.scorer import join_evidence

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

    def prompt(self, comparison: Comparison) -> str:
        """What the official scorer would ask: evidence as its CSV has it, or the questions in one line."""
        gold, predicted = (_evidence(comparison.unit, list(pairs)) for pairs in (comparison.gold, comparison.predicted))
        return self.texts[comparison.unit].format(comparison.claim, gold, predicted)


def read_official_prompts(path: Path) -> OfficialPrompts:
    """Read the prompts.

    Raises:
        SubmissionError: the file is no such file, or a prompt does not have the three places.
    """
    text = read_text(path)
    try:
        named = dict(_prompts(ast.parse(text)))
        prompts = {unit: named[kind] for unit, kind in TYPES.items()}
        if any(_places(prompt) != PLACES for prompt in prompts.values()):
            raise ValueError(f"expected {len(PLACES)} places '{{}}' in each prompt")
    except (SyntaxError, KeyError, ValueError) as error:
        raise SubmissionError(
            f"{path}: expected the organisers' properties.py, with PROMPT_MAPPING for {', '.join(TYPES.values())} "
            f"({type(error).__name__}: {error}); take the file beside their averitec_evaluate.py"
        ) from error
    digest = hashlib.sha256(repr(sorted(prompts.items())).encode()).hexdigest()[:12]
    return OfficialPrompts(prompts, f"official prompts {digest}")


def _places(prompt: str) -> list[str]:
    """What stands between the braces of each place."""
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
