"""How judges' beliefs moved and how speakers persuaded, from the graphs of runs (AI Debate, Rahman et al., 2025).

python -m system.strategies.consultancy.beliefs OUTPUT ... --gold dev.json
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
from rich.console import Console
from rich.table import Table

from system.averitec.claims import ClaimsError
from system.averitec.results import scored_results
from system.files.journal import JournalError, read_identity
from system.graph.graph import Graph
from system.graph.records import TWO_LABELS, Label
from system.graph.thoughts import Speaker
from system.strategies.consultancy.records import LEVELS, Belief, Persuasion, Ratings


def print_tables(outputs: Sequence[Path], gold: Path) -> None:
    """Print what runs with the options beliefs or persuasion measured about claims that are Supported or Refuted.

    Raises:
        ClaimsError: a graph or the gold file cannot be read.
        JournalError: see ``scored_results``.
    """
    moves = defaultdict[tuple[str, str], list[tuple[float, float, float]]](list)  # in percent; towards the truth
    turns: dict[bool, list[Ratings]] = {True: [], False: []}  # of speakers whose side was right, and wrong
    for output in outputs:
        strategy = read_identity(output / "journal.jsonl").get("strategy", "")
        for result, label in scored_results(output, gold):
            if label not in TWO_LABELS:
                continue
            true, contents = label is Label.SUPPORTED, _contents(output / "graphs" / f"{result.claim.id}.json")
            before, after = (
                {one.persona: one.percent for one in contents if isinstance(one, Belief) and one.after is late}
                for late in (False, True)
            )
            for persona in before.keys() & after.keys():
                move = after[persona] - before[persona]
                moves[strategy, persona].append((before[persona], after[persona], move if true else -move))
            for turn in (one for one in contents if isinstance(one, Persuasion)):
                turns[(turn.side is Speaker.AFFIRMATIVE) is true].append(turn.ratings)
    beliefs = Table("strategy", "judge", "claims", "before", "after", "towards the truth", title="belief, in %")
    for (strategy, persona), moved in sorted(moves.items()):
        before, after, shift = np.mean(moved, axis=0)
        means = (f"{before:.1f}", f"{after:.1f}", f"{shift:+.1f}")
        beliefs.add_row(strategy, persona or "without a persona", str(len(moved)), *means)
    title = f"persuasion, from 0 (none) to {len(LEVELS) - 1} (high)"
    persuasion = Table("strategy", *(f"{'right' if side else 'wrong'} ({len(turns[side])} turns)" for side in turns))
    persuasion.title = title
    for name in Ratings.model_fields:
        rated = ([getattr(one, name) for one in turns[side]] for side in turns)
        persuasion.add_row(name, *(f"{np.mean(levels):.2f}" if levels else "–" for levels in rated))
    Console().print(beliefs, persuasion)


def _contents(path: Path) -> list[object]:
    try:
        return [thought.content for thought in Graph.from_json(orjson.loads(path.read_bytes()))]
    except (OSError, ValueError, KeyError) as error:
        raise ClaimsError(f"{path}: expected the graph of a claim ({error})") from error


def main(argv: Sequence[str] | None = None) -> int:
    """Print how beliefs moved, and how speakers persuaded."""
    parser = argparse.ArgumentParser(prog="python -m system.strategies.consultancy.beliefs", description=__doc__)
    parser.add_argument("outputs", type=Path, nargs="+", metavar="OUTPUT", help="output folders of runs")
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="claims with labels")
    arguments = parser.parse_args(argv)
    try:
        print_tables(arguments.outputs, arguments.gold)
    except (ClaimsError, JournalError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
