"""The official scorer's way with a file, up to its metrics: pandas reads it, as it does there."""

import csv
import json
from pathlib import Path

import pandas as pd

Scored = list[tuple[str, list[tuple[str, str]], bool]]


def official_run(submission: Path, gold: Path) -> Scored:
    """The parts that each gold row is scored with: predicted claim, its pairs, and whether the label is right.

    Raises whatever stops the scorer.
    """
    solution, table = pd.read_csv(gold), pd.read_csv(submission)
    wanted = solution.loc[solution["split"] == "gold", "id"].to_numpy()
    solution = solution[solution["id"].isin(wanted)].sort_values("id").reset_index(drop=True)
    table = table[table["id"].isin(wanted)].sort_values("id").reset_index(drop=True)
    table = table[["id", "claim", "evi", "label"]]
    table.iloc[0]  # the Ev2R half takes the first prediction, whatever there is
    scored = []
    for position in range(len(table)):
        row, gold_row = table.iloc[position], solution.iloc[position]
        pairs = []
        for piece in row["evi"].split("\t\t\n\n"):
            if piece != "":
                question, answer = piece.split("\t\t\n")
                pairs.append((question, answer))
        scored.append((row["claim"], pairs, row["label"] == gold_row["label"]))
    return scored


def official_convert(predictions: Path, target: Path) -> None:
    """Turn predictions in JSON into a submission: by position, with the four fields that the converter reads."""
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "claim", "evi", "label", "split"])
        for number, entry in enumerate(json.loads(predictions.read_text(encoding="utf-8"))):
            cell = ""
            for pair in entry["evidence"]:
                cell += pair["question"] + "\t\t\n" + pair["answer"] + "\t\t\n\n"
            writer.writerow([number, entry["claim"], cell, entry["pred_label"], "pred"])
