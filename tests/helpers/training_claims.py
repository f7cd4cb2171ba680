"""An annotated split of our own writing for the tests of training."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

LABELS = ("Supported", "Refuted", "Not Enough Evidence", "Conflicting Evidence/Cherrypicking")


def answer(text: str, kind: str = "Extractive", explanation: str = "", medium: str = "Web text") -> dict[str, Any]:
    return {
        "answer": text,
        "answer_type": kind,
        "boolean_explanation": explanation,
        "source_url": "https://example.org/" + text[:4].strip().lower(),
        "source_medium": medium,
    }


def claim(text: str, label: str, *questions: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    asked = [{"question": question, "answers": [given]} for question, given in questions]
    return {"claim": text, "label": label, "claim_date": "3-5-2021", "speaker": None, "questions": asked}


BRIDGE = claim(
    "The Aster bridge opened in 1932.",
    "Supported",
    ("When did the Aster bridge open?", answer("The Aster bridge was opened to traffic in 1932.")),
    ("Did the king open it?", answer("No", "Boolean", "The mayor of Aster opened the bridge alone.")),
    ("When was the claim made?", answer("3-5-2021", medium="Metadata")),
    ("Who paid for the bridge?", answer("No answer could be found.", "Unanswerable")),
)
MILL = claim(
    "The old mill in Aster burned down.",
    "Refuted",
    ("Did the old mill burn down?", answer("Reports that the old mill burned down are false.")),
)
TOLLS = claim(
    "Tolls in Aster doubled last year.",
    "Conflicting Evidence/Cherrypicking",
    ("Did tolls double?", answer("Some tolls in Aster doubled, but most tolls fell.")),
)
GHOST = claim(
    "A ghost lives under the Aster bridge.",
    "Not Enough Evidence",
    ("Is there a ghost under the bridge?", answer("Nobody has counted ghosts under the Aster bridge.")),
)
RECORDS = [BRIDGE, MILL, TOLLS, GHOST]


def naming(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records whose answers name who says so; without a name, retrieval takes them for nothing new."""
    named = deepcopy(records)
    for given in (given for record in named for asked in record["questions"] for given in asked["answers"]):
        given["answer"] = given["answer"].replace(".", ", says Ann Berg.")
    return named


def write(path: Path, records: object = RECORDS) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path
