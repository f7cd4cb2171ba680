"""How judges' beliefs moved, from the graphs of runs (AI Debate, Rahman et al., 2025).

python -m system.strategies.consultancy.beliefs OUTPUT ... --gold dev.json
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
from rich.table import Table

from system.averitec.claims import ClaimsError
from system.averitec.results import print_table, scored_results
from system.files.journal import read_identity
from system.graph.graph import Graph
from system.graph.records import TWO_LABELS, Label
from system.strategies.consultancy.tasks import Belief


def main(argv: Sequence[str] | None = None) -> int:
    """Print how runs with the option beliefs moved them, for claims that are Supported or Refuted."""
    return print_table(__doc__, argv, _table)


def _table(outputs: Sequence[Path], gold: Path) -> Table:
    moves = defaultdict[tuple[str, str], list[tuple[float, float, float]]](list)  # in percent; towards the truth
    for output in outputs:
        strategy = read_identity(output / "journal.jsonl").get("strategy", "")
        for result, label in scored_results(output, gold):
            held = _beliefs(output / "graphs" / f"{result.claim.id}.json") if label in TWO_LABELS else []
            before, after = ({b.persona: b.percent for b in held if b.after is late} for late in (False, True))
            for persona in before.keys() & after.keys():
                move = after[persona] - before[persona]
                towards = move if label is Label.SUPPORTED else -move
                moves[strategy, persona].append((before[persona], after[persona], towards))
    table = Table("strategy", "judge", "claims", "before", "after", "towards the truth", title="belief, in %")
    for (strategy, persona), moved in sorted(moves.items()):
        first, last, shift = np.mean(moved, axis=0)
        means = (f"{first:.1f}", f"{last:.1f}", f"{shift:+.1f}")
        table.add_row(strategy, persona or "without a persona", str(len(moved)), *means)
    return table


def _beliefs(path: Path) -> list[Belief]:
    try:
        return [thought.content for thought in Graph.from_json(orjson.loads(path.read_bytes())).holding(Belief)]
    except (OSError, ValueError, KeyError) as error:
        raise ClaimsError(f"{path}: expected the graph of a claim ({error})") from error


if __name__ == "__main__":
    sys.exit(main())
