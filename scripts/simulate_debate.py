"""Where does a debate pay for its calls? Strategies on a noisy oracle, over the rates of its errors.

Each error rate is varied alone while the others stay at their base; all strategies see the same gold evidence.
Writes the figure and the numbers:

    python -m scripts.simulate_debate --claims data_store/averitec/dev.json --output docs
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import orjson
from sklearn.feature_extraction.text import HashingVectorizer
from tqdm import tqdm

from knowledge_store.dense.encoder import Vectors
from knowledge_store.ranking import RankedStore, rank
from scripts.oracle import OracleModel, Rates
from submission.report.charts import HEIGHT, LEFT, STAGE_COLORS, TOP, WIDTH, Frame, element, figure, text
from system.app.comparison import Scores, compare
from system.check import Engine, check
from system.claims import read_claims
from system.gold import GoldClaim, read_gold, write_gold_store
from system.records import Claim, ClaimResult
from system.settings import Settings, load

BASE = Rates(miss=0.2, overlook=0.2, flip=0.1, drift=0.1)
GRID = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
MEANING = {
    "miss": "answers that are not found",
    "overlook": "evidence that a reader passes over",
    "flip": "verdicts turned into their opposite",
    "drift": "rulings that drift to a neutral label",
}
STRATEGIES: dict[str, dict[str, object]] = {
    "got, vote": {"strategy": "got", "debate": False},
    "got, debate": {"strategy": "got", "debate": True},
    "debatecv": {"strategy": "debatecv"},
    "majority": {"strategy": "majority"},
    "single": {"strategy": "single"},
}
COLORS = (STAGE_COLORS[0], "#b0413e", STAGE_COLORS[3], STAGE_COLORS[7], STAGE_COLORS[5])


class HashedWords:
    """Texts as hashed bags of words: deterministic, no model, enough to tell annotated questions apart."""

    dimension = 1024

    def __init__(self) -> None:
        self._hashing = HashingVectorizer(n_features=self.dimension, alternate_sign=False)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, (texts, dimension) float32."""
        return np.asarray(self._hashing.transform(texts).todense(), dtype=np.float32)

    encode_queries = encode


def main() -> None:
    """Simulate and write ``debate_simulation.json`` and ``debate_simulation.svg``."""
    args = _parser().parse_args()
    claims, gold = read_claims(args.claims, 0, args.limit), read_gold(args.claims)
    variants = {name: load("server", changes) for name, changes in STRATEGIES.items()}
    with TemporaryDirectory() as folder:
        store = write_gold_store(args.claims, claims, Path(folder))
        retrieval = variants["single"].retrieval
        ranked = [rank(store / f"{claim.id}.json", claim.text, retrieval) for claim in claims]
    wanted = {replace(BASE, **{name: rate}) for name in MEANING for rate in GRID}
    scores = {
        rates: simulate(claims, gold, ranked, variants, rates)
        for rates in tqdm(sorted(wanted, key=str), desc="simulating", unit="setting")
    }
    args.output.mkdir(parents=True, exist_ok=True)
    rows = [{"rates": vars(rates), "scores": [s.model_dump(mode="json") for s in row]} for rates, row in scores.items()]
    (args.output / "debate_simulation.json").write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
    (args.output / "debate_simulation.svg").write_text(draw(scores), encoding="utf-8")


def simulate(
    claims: Sequence[Claim],
    gold: Sequence[GoldClaim],
    ranked: Sequence[RankedStore],
    variants: dict[str, Settings],
    rates: Rates,
) -> list[Scores]:
    """The scores of all strategies on an oracle with these error rates."""
    model, encoder = OracleModel(gold, rates), HashedWords()

    async def run(settings: Settings) -> list[ClaimResult]:
        engine = Engine(model, encoder, settings)
        return [(await check(engine, claim, store))[0] for claim, store in zip(claims, ranked, strict=True)]

    runs = {name: [asyncio.run(run(settings))] for name, settings in variants.items()}
    return compare([gold[claim.id].label for claim in claims], runs)


def draw(scores: dict[Rates, list[Scores]]) -> str:
    """One panel for each rate, one line for each strategy."""
    panels = [
        element("g", "".join(_panel(name, scores)), transform=f"translate({WIDTH * (i % 2)},{HEIGHT * (i // 2) + 20})")
        for i, name in enumerate(MEANING)
    ]
    legend = [
        text(LEFT + 130 * i, 18, f"{name} ({_calls(scores, name):.0f} calls)", fill=color, font_weight="bold")
        for i, (name, color) in enumerate(zip(STRATEGIES, COLORS, strict=True))
    ]
    return figure(2 * WIDTH, 2 * HEIGHT + 20, "Accuracy of strategies on a noisy oracle", [*legend, *panels])


def _panel(name: str, scores: dict[Rates, list[Scores]]) -> list[str]:
    frame = Frame(GRID, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    lines = []
    for number, color in enumerate(COLORS):
        points = [(rate, scores[replace(BASE, **{name: rate})][number].accuracy.value) for rate in GRID]
        path = " ".join(f"{frame.x(rate):.1f},{frame.y(value):.1f}" for rate, value in points)
        lines.append(element("polyline", points=path, fill="none", stroke=color, stroke_width=2))
    base = frame.mark(getattr(BASE, name), "base", "#6a6f76", "muted", 1)
    title = text(LEFT + 70, TOP - 12, f"{name}: {MEANING[name]}", font_weight="bold")
    return [*frame.grid("rate", "accuracy"), base, title, *lines]


def _calls(scores: dict[Rates, list[Scores]], name: str) -> float:
    return next(row.calls for row in scores[BASE] if row.strategy == name)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=Path, required=True, help="annotated AVeriTeC claims, such as dev.json")
    parser.add_argument("--limit", type=int, help="number of claims (default: all)")
    parser.add_argument(
        "--output", type=Path, default=Path("docs"), help="folder of figure and numbers (default: docs)"
    )
    return parser


if __name__ == "__main__":
    main()
