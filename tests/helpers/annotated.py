"""Annotated claims of our own writing, in the form of AVeriTeC's files."""

import json
from pathlib import Path
from typing import Any


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


# Answers name who says so; without a name, retrieval takes them for nothing new.
OPENED = "The Aster bridge was opened to traffic in 1932, says Ann Berg."
MAYOR = "The mayor of Aster opened the bridge alone."
BRIDGE = claim(
    "The Aster bridge opened in 1932.",
    "Supported",
    ("When did the Aster bridge open?", answer(OPENED)),
    ("Did the king open it?", answer("No", "Boolean", MAYOR)),
    ("When was the claim made?", answer("3-5-2021", medium="Metadata")),
    ("Who paid for the bridge?", answer("No answer could be found.", "Unanswerable")),
)
RECORDS = [
    BRIDGE,
    claim(
        "The old mill in Aster burned down.",
        "Refuted",
        ("Did the old mill burn down?", answer("Reports that the old mill burned down are false, says Ann Berg.")),
    ),
    claim(
        "Tolls in Aster doubled last year.",
        "Conflicting Evidence/Cherrypicking",
        ("Did tolls double?", answer("Some tolls in Aster doubled, but most tolls fell, says Ann Berg.")),
    ),
    claim(
        "A ghost lives under the Aster bridge.",
        "Not Enough Evidence",
        ("Is there a ghost under it?", answer("Nobody has counted ghosts under the Aster bridge, says Ann Berg.")),
    ),
]


def write(path: Path, records: object = RECORDS) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path
