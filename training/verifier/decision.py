"""The decision over a page: a regression from what the verifier makes of its sentences to what the page says.

A verifier that is right of one sentence in ten errs on every page of ten sentences, so a page is not judged by its
loudest one. The regression is fitted on pairs that the verifier's training held out, each hidden among sentences that
are near the statement and say nothing of it; a page whose own sentence is left out says nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
import orjson
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from knowledge_store.pages.page import Passage
from knowledge_store.settings import RetrievalSettings
from system.files.atomic import write_atomically
from system.text.words import content_stems, sentences
from system.verifier.base import Verifier
from system.verifier.openvino import OpenVinoVerifier
from system.verifier.reading import Decision, ReadUnit, features, read_units, units_of
from training.verifier.mixture import sample
from training.verifier.pairs import LABELS, Pair

DISTRACTORS = 8  # limit of sentences beside the one that decides
SILENT = 0.35  # share of the pages that lose the sentence that decides
SAME = 0.6  # share of the evidence's words from which a sentence may say the same and is no distractor
LONGEST = 1500  # characters of a page
OF_EACH = 300  # pages of each source: with few of them the thresholds are a matter of the draw
OTHER_FORMS = ("questions_", "averitec", "anli", "summedits", "contrast_relations")
"""Sources that do not read like a statement on a document: questions, dialogues, traps for models, filled patterns."""


@dataclass(frozen=True)
class Example:
    """A statement with a page, and what the page says of it (an index of ``LABELS``)."""

    statement: str
    page: str
    label: int
    source: str


def examples(pairs: Sequence[Pair], encoder: Encoder, seed: int = 1) -> Iterator[Example]:
    """Yield a page for each pair, its distractors those sentences of other pairs that are nearest to the statement."""
    generator = Random(seed)
    for source in sorted({pair.source for pair in pairs}):
        own = [pair for pair in pairs if pair.source == source]
        pool = list(dict.fromkeys(sentence for pair in own for sentence in sentences(pair.evidence)))
        vectors = encoder.encode(pool)
        for pair, vector in zip(own, encoder.encode([pair.statement for pair in own]), strict=True):
            said = list(sentences(pair.evidence))
            near = (pool[i] for i in np.argsort(-(vectors @ vector).round(4), kind="stable")[: 4 * DISTRACTORS])
            others = [one for one in near if not _same(one, pair.evidence)][: generator.randint(0, DISTRACTORS)]
            silent = bool(others) and generator.random() < SILENT
            place = generator.randint(0, len(others))
            text = " ".join(others if silent else [*others[:place], *said, *others[place:]])[:LONGEST]
            label = LABELS.index("not enough" if silent else pair.label)
            yield Example(pair.statement, text, label, source)


def _same(sentence: str, evidence: str) -> bool:
    words = content_stems(sentence)
    return len(words & content_stems(evidence)) > SAME * max(1, len(words))


def readings_of(example: Example, verifier: Verifier, encoder: Encoder) -> list[ReadUnit]:
    """Read the page's sentences."""
    return read_units(
        verifier, encoder, example.statement, units_of([Passage(example.page, "", 0, 0)], example.statement)
    )


def fit(read_pages: Sequence[tuple[Example, Sequence[ReadUnit]]], strength: float = 1.0) -> Decision:
    """Fit the regression; every source counts the same."""
    matrix = np.array([features(readings) for _, readings in read_pages])
    labels = np.array([example.label for example, _ in read_pages])
    counts = {
        source: sum(one.source == source for one, _ in read_pages) for source in {one.source for one, _ in read_pages}
    }
    weights = np.array([len(read_pages) / len(counts) / counts[example.source] for example, _ in read_pages])
    center, scale = matrix.mean(axis=0), matrix.std(axis=0) + 1e-9
    model = LogisticRegression(C=strength, max_iter=2000).fit((matrix - center) / scale, labels, sample_weight=weights)
    slopes = model.coef_ / scale
    return Decision(slopes, model.intercept_ - slopes @ center)


def predicted(decision: Decision, read_pages: Sequence[tuple[Example, Sequence[ReadUnit]]]) -> NDArray[np.float64]:
    """Probabilities of the three labels for each page, (n, 3)."""
    return np.array([decision.of(readings).probabilities for _, readings in read_pages])


def read_all(
    found: Sequence[Example], verifier: Verifier, encoder: Encoder
) -> list[tuple[Example, Sequence[ReadUnit]]]:
    """Every page with what the verifier makes of it; pages without a sentence are left out."""
    pages = ((one, readings_of(one, verifier, encoder)) for one in tqdm(found, desc="reading", unit="page"))
    return [(one, readings) for one, readings in pages if readings]


WRONG = 0.05  # share of the pages of one side that may be called the other
STEPS = np.arange(0.4, 0.95, 0.05)
HALVES = (slice(0, None, 2), slice(1, None, 2))


def sure_from(probabilities: NDArray[np.float64], labels: NDArray[np.int64]) -> tuple[float, float]:
    """The probabilities from which a page supports and refutes: the least at which few pages take the wrong side.

    Args:
        probabilities: of the three labels for pages that the regression was not fitted on, (n, 3).
        labels: what the pages say, as indices of ``LABELS``, (n,).
    """
    likeliest, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)

    def least(side: int, other: int) -> float:
        opposed = labels == other
        wrong = (float(((likeliest == side) & (sure >= step))[opposed].mean()) for step in STEPS)
        return next((float(step) for step, share in zip(STEPS, wrong, strict=True) if share <= WRONG), float(STEPS[-1]))

    return round(least(0, 1), 2), round(least(1, 0), 2)


def decide(bundle: Path, held_out: Sequence[Pair]) -> Decision:
    """Fit the decision of a bundle on held-out pairs, and write it beside the verifier as ``decision.json``."""
    verifier, encoder = OpenVinoVerifier(bundle), SentenceEncoder.of(RetrievalSettings()).cached()
    short = [pair for pair in held_out if len(pair.evidence) < LONGEST and not pair.source.startswith(OTHER_FORMS)]
    pages = read_all(list(examples(sample(short, OF_EACH, seed=3), encoder)), verifier, encoder)
    Random(1).shuffle(pages)
    labels = np.array([example.label for example, _ in pages])
    probabilities = np.zeros((len(pages), len(LABELS)))
    for fitted, judged in (HALVES, HALVES[::-1]):
        probabilities[judged] = predicted(fit(pages[fitted]), pages[judged])
    decision = replace(fit(pages), sure=sure_from(probabilities, labels))
    tree = {
        "weights": decision.weights.round(4).tolist(),
        "bias": decision.bias.round(4).tolist(),
        "sure": decision.sure,
    }
    write_atomically(bundle / "decision.json", orjson.dumps(tree, option=orjson.OPT_INDENT_2))
    right = (probabilities.argmax(axis=1) == labels).mean()
    print(f"{len(pages):,} pages, {right:.3f} right by a regression fitted on the others; sure from {decision.sure}")
    return decision
