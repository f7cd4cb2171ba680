"""The verifier's model card: data and licences, recipe, curves and figures on held-out pairs."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from knowledge_store.dense.loading import bundled_model
from system.verifier.base import Probabilities
from training.finetuning.checkpoints import read_record
from training.verifier.evaluation import Figures, figures, figures_by
from training.verifier.export import threshold
from training.verifier.pairs import Pair

LICENSES = {
    "FEVER (ERASER), FEVER symmetric, VitaminC, BoolQ and its contrast sets": "CC BY-SA 3.0",
    "semi-automatic NLI of Wikipedia sentences": "CC BY-SA",
    "Wikipedia sentences edited for WikiFactCheck": "none stated; Wikipedia is CC BY-SA",
    "FoolMeTwice, counterfactual SNLI, SummEdits": "Apache-2.0",
    "WiCE": "ODC-BY",
    "SciFact": "CC BY-NC",
    "MultiNLI, ConjNLI": "MIT",
    "ANLI": "CC BY-NC 4.0",
    "SICK": "CC BY-NC-SA 3.0",
    "Breaking NLI, SQuAD 2.0": "CC BY-SA 4.0",
    "MRPC": "research use (Microsoft)",
    "TabFact": "MIT and CC BY 4.0",
    "AVeriTeC, train split": "CC BY-NC 4.0",
    "WordNet 3.0, for synonyms and opposites": "WordNet licence",
}

_TEXT = """---
license: cc-by-nc-4.0
base_model: sentence-transformers/all-MiniLM-L6-v2
tags: [cross-encoder, natural-language-inference, fact-checking]
---

# Verifier: what a passage says of a statement

A cross-encoder of 22 million weights (all of all-MiniLM-L6-v2, fine-tuned), in 8 bits for OpenVINO: passage and
statement in, probabilities of supported, refuted and not enough out. English only. It reads at most {longest} tokens; a
longer passage is cut.

Trained with `python -m training verifier` from `model.safetensors` of SHA-256 `{base}`, then the last {average}
checkpoint(s) averaged and calibrated on half of the held-out groups.

![held-out accuracy and loss](curves.svg)

## Data

{licenses}

Some of these forbid commercial use, so the weights are under CC BY-NC 4.0. Most of these sets are their official
development or test splits: no score on them can be reported for this model.

Contrast groups are made by rule from their sentences: a sentence's paraphrases (numbers and dates in other forms,
bounds, synonyms, other order, less detail), its flips (number, date, name, negation, opposite, roles) and its silent
forms (detail added, vaguer passage, another fact, another subject, a neighbouring row) side by side in one batch.
Others are made of patterns with names of the sets: comparisons, changes over time, converses, shares of a whole.

## Figures

On {pairs} held-out pairs, the half that the calibration did not see. Sentences of a page may stand beside others in a
passage that was trained on. Wrong sides: refuted pairs called supported, and supported ones called refuted.

{sources}

{kinds}

At a probability of {threshold:.2f} or more for a side, at most 5 % of the pairs of each side are called the other.

## Recipe

{recipe}
"""


def write_card(
    folder: Path,
    output: Path,
    pairs: Sequence[Pair],
    probabilities: Probabilities,
    history: Sequence[Mapping[str, Any]],
    average: int,
) -> None:
    """Write ``README.md`` and ``curves.svg``."""
    record = read_record(output)
    stages = [*record.pop("earlier", []), record]
    draw(history, folder / "curves.svg")
    text = _TEXT.format(
        longest=json.loads((folder / "verifier.json").read_text(encoding="utf-8"))["tokens"],
        base=_base_hash(),
        average=average,
        licenses=_table(("data", "licence"), LICENSES.items()),
        pairs=f"{len(pairs):,}",
        sources=_figures("source", {**figures_by(pairs, probabilities, _source), "all": figures(pairs, probabilities)}),
        kinds=_figures(
            "difference", figures_by(*_contrast(pairs, probabilities), lambda pair: f"{pair.kind} ({pair.label})")
        ),
        threshold=threshold(pairs, probabilities),
        recipe="\n\n".join(
            _table((f"stage {place}", ""), stage.items()) for place, stage in enumerate(stages, start=1)
        ),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")


def draw(history: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the curves as SVG."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, key, style in (
        ("training loss", "loss", "-"),
        ("held-out loss", "eval_held_out_loss", "s--"),
        ("held-out accuracy", "eval_held_out", "o-"),
    ):
        points = [(entry["step"], entry[key]) for entry in history if key in entry]
        axes.plot([step for step, _ in points], [value for _, value in points], style, label=name, markersize=4)
    axes.set(xlabel="updates", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


def _source(pair: Pair) -> str:
    return pair.source.partition("_v0")[0]


def _contrast(pairs: Sequence[Pair], probabilities: Probabilities) -> tuple[list[Pair], Probabilities]:
    chosen = [index for index, pair in enumerate(pairs) if pair.source.startswith(("contrast", "averitec"))]
    return [pairs[index] for index in chosen], probabilities[chosen]


def _base_hash() -> str:
    base = bundled_model("all-MiniLM-L6-v2")
    return hashlib.sha256((base / "model.safetensors").read_bytes()).hexdigest() if base else "unknown"


def _figures(name: str, rows: Mapping[str, Figures]) -> str:
    lines = [
        f"| {name} | pairs | right | refuted called supported | supported called refuted |",
        "|---|---|---|---|---|",
    ]
    for key, row in rows.items():
        wrong = f"{row.refuted_as_supported:.2f} | {row.supported_as_refuted:.2f}"
        lines.append(f"| {key} | {row.pairs} | {row.right:.2f} | {wrong} |")
    return "\n".join(lines)


def _table(head: tuple[str, str], rows: Any) -> str:
    return "\n".join([f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {key} | {value} |" for key, value in rows)])
