"""The legacy half of the organizers' scorer, run as their ``compute`` runs it; the other half asks a paid service.

Runs in an environment of its own, see ``official_score.sh``.

Usage: official_legacy.py REPOSITORY SUBMISSION.csv GOLD.csv
"""

import os
import sys
from pathlib import Path

import pandas as pd


def main() -> None:
    """Print the three scores."""
    repository, submission, gold = map(Path, sys.argv[1:])
    sys.path.insert(0, str(repository))
    import averitec_evaluate

    for package in ("punkt", "punkt_tab", "wordnet"):
        averitec_evaluate.download_nltk_data(package, os.environ["NLTK_DATA"])
    predicted, wanted = both_sides(pd.read_csv(submission), pd.read_csv(gold))
    evaluator = averitec_evaluate.AVeriTeCEvaluator()
    questions, _ = evaluator.evaluate_questions_only(predicted, wanted)
    pairs, _ = evaluator.evaluate_questions_and_answers(predicted, wanted)
    averitec, _ = evaluator.evaluate_averitec_score(predicted, wanted)
    print(f"Q METEOR {questions:.6f}, Q+A METEOR {pairs:.6f}, legacy AVeriTeC @0.25 {averitec[0]:.6f}")


def both_sides(submission: pd.DataFrame, gold: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows with the gold ids on both sides, in the order of the ids."""
    ids = gold.loc[gold["split"] == "gold", "id"]
    predicted, wanted = (table[table["id"].isin(ids)].sort_values("id") for table in (submission, gold))
    return predicted.reset_index(drop=True), wanted.reset_index(drop=True)


if __name__ == "__main__":
    main()
