"""Pairs of evidence and a statement: read from public sets, put into windows, with edited twins beside them.

A row of a set is ``{"evidence", "claim", "label", "source"}`` in JSON Lines; ``"two_way": true`` marks a set that does
not tell refuted from not enough. ``mixture`` takes from each set as many rows as ``ROWS`` says:

    train, held_out = mixture(Path("nli"), seed=0)
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import orjson
from tqdm import tqdm

from training import TrainingError

LABELS = ("supported", "refuted", "not enough")
SUPPORTED, REFUTED, NOT_ENOUGH = range(3)

ROWS = {
    "fever_eraser": 9000, "fever_symmetric": 1400, "fever_athnlp": 830, "feverous_sent": 2900, "fm2": 2500,
    "vitaminc_sample": 400, "te_new_protocols": 18_000, "number_edits": 8000, "synth_quant": 2500, "wice": 500,
    "semiauto_nli_wiki": 2500, "wikifactcheck_edits": 2500, "paws": 5000, "mrpc_paraphrases": 1200,
    "mnli": 8000, "mnli_more": 4000, "xnli_en": 4000, "lingnli": 10_000, "snli_dev": 2000, "snli_counterfactual": 4000,
    "anli": 3000, "anli_r1_train": 1500, "sick": 2000, "rte": 2700, "scitail": 1500, "cb": 300, "control_nli": 300,
    "breaking_nli": 1500, "conj_nli": 2500, "glue_ax": 1000, "nan_nli": 250, "neg_nli": 2000, "scone": 1500, "med": 800,
    "function_words_nli": 1200, "nope": 600, "semantoneg": 1200, "fracas": 300, "hans_train": 500, "tracie": 300,
    "tabfact_rows": 2500, "tabfact_tables": 800, "infotabs": 2500, "scitab": 400, "pubhealthtab": 300,
    "factscore": 3000, "factcheck_bench": 1000, "attributionbench_dev": 400, "factcg_doc": 1500, "begin": 600,
    "q2_wow": 500, "qags": 400, "summedits": 600, "scifact_rte": 700, "check_covid": 1400, "covid_fact": 1500,
    "healthver": 600, "nli4ct": 400,
}  # fmt: skip
"""Rows of each set that an epoch takes at most; sets that are noisy or stilted are not named."""

ONE_SIDED = {"wikifactcheck_edits": SUPPORTED, "mrpc_paraphrases": REFUTED}
"""Sets with one label, and the label of the twins that must stand beside their rows."""

FACTUAL = frozenset({
    "fever_eraser", "fever_symmetric", "fever_athnlp", "feverous_sent", "fm2", "vitaminc_sample", "te_new_protocols",
    "semiauto_nli_wiki", "mrpc_paraphrases", "paws", "rte", "factscore", "factcg_doc", "q2_wow", "check_covid",
    "xnli_en",
})  # fmt: skip
"""Sets whose statements name facts that can be edited."""

_PAGES = ("fever_eraser", "te_new_protocols", "feverous_sent", "wikifactcheck_edits", "semiauto_nli_wiki", "fm2")
_SHORT = 55  # words of evidence that other sentences may be put around


@dataclass(frozen=True, slots=True)
class Pair:
    """Evidence and a statement.

    Attributes:
        label: index in ``LABELS``.
        two_way: whether *not enough* may also mean refuted; the loss then adds both probabilities.
    """

    evidence: str
    statement: str
    label: int
    source: str
    two_way: bool = False


def held_out(text: str, one_in: int = 30) -> bool:
    """Return whether what is made of this text is held out, the same on any machine and in any order."""
    return zlib.crc32(" ".join(text.lower().split()).encode("utf-8", "replace")) % one_in == 0


def read_pairs(file: Path) -> list[Pair]:
    """Read the labelled rows of a JSON Lines file; questions with answers are skipped.

    Raises:
        TrainingError: a line is not an object with evidence, claim and label; the message names file and line.
    """
    found = []
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            row = orjson.loads(line)
            if "question" in row:
                continue
            label = LABELS.index(row["label"])
            found.append(
                Pair(row["evidence"].strip(), row["claim"].strip(), label, file.stem, bool(row.get("two_way")))
            )
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
            expected = f"expected texts 'evidence' and 'claim', and 'label' one of {', '.join(LABELS)}"
            raise TrainingError(f"{file}, line {number}: {expected} ({error})") from error
    return found


def sentences_of(text: str) -> list[str]:
    """Cut a text at sentence ends; rough, but it needs no model."""
    return [one for one in re.split(r"(?<=[.!?])\s+(?=[A-Z\"“(])", text.strip()) if one]


def mixture(sets: Path, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of one epoch in random order, and the pairs that are held out.

    Args:
        sets: folder of JSON Lines files; those that ``ROWS`` names and the folder lacks are skipped.

    Raises:
        TrainingError: the folder has none of the sets, or a row cannot be read.
    """
    from training.reader.edits import Editor

    rng = Random(seed)
    files = {name: sets / f"{name}.jsonl" for name in ROWS if (sets / f"{name}.jsonl").exists()}
    if not files:
        raise TrainingError(f"{sets}: expected files such as mnli.jsonl, found none of {len(ROWS)} known sets")
    read = {name: read_pairs(file) for name, file in tqdm(files.items(), unit="set", desc="reading")}
    strangers = _sentence_pool(read, rng)
    editor = Editor.of([pair.evidence for name in _PAGES for pair in read.get(name, ())], rng)
    train: list[Pair] = []
    apart: list[Pair] = []
    for name, pairs in tqdm(read.items(), unit="set", desc="windows"):
        pairs = [pair for pair in pairs if not (name == "semiauto_nli_wiki" and pair.label == REFUTED)]
        for pair in rng.sample(pairs, min(ROWS[name], len(pairs))):
            for one in [pair, *editor.twins(pair, rng)]:
                kept = apart if held_out(pair.evidence) else train
                kept.append(_windowed(one, pairs, strangers, rng))
    rng.shuffle(train)
    return train, apart


def _sentence_pool(read: dict[str, list[Pair]], rng: Random) -> list[str]:
    """Sentences of encyclopedia pages, to be put around evidence."""
    texts = [
        pair.evidence for name in _PAGES for pair in rng.sample(read.get(name, []), min(1500, len(read.get(name, []))))
    ]
    pool = [one for text in texts for one in sentences_of(text) if 5 <= len(one.split()) <= 30]
    return pool or ["It rained."]


def _windowed(pair: Pair, others: Sequence[Pair], strangers: Sequence[str], rng: Random) -> Pair:
    """Vary what stands around the evidence, which changes no label; or take the evidence away (not enough)."""
    evidence, statement = pair.evidence, pair.statement
    if pair.label != NOT_ENOUGH and rng.random() < 0.05:
        other = rng.choice(others).evidence
        if other != evidence:
            return replace(pair, evidence=other, label=NOT_ENOUGH, two_way=False)
    if len(evidence.split()) < _SHORT and rng.random() < 0.4:
        near = [rng.choice(strangers) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))]
        if rng.random() < 0.4:
            near = [rng.choice(sentences_of(rng.choice(others).evidence) or list(strangers)) for _ in near[:2]]
        at = rng.randint(0, len(near))
        stop = "" if evidence.endswith((".", "!", "?", "”", '"', ";")) else "."
        evidence = " ".join([*near[:at], evidence + stop, *near[at:]])
    if rng.random() < 0.06:
        statement = f"[{rng.choice(strangers)}] {statement}"  # context that this statement does not need
    return replace(pair, evidence=evidence, statement=statement)


def each_set(folder: Path) -> Iterator[tuple[str, list[Pair]]]:
    """Yield name and pairs of each file of a folder.

    Raises:
        TrainingError: the folder has no such file.
    """
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise TrainingError(f"{folder}: no .jsonl files; expected lines with 'evidence', 'claim' and 'label'")
    for file in files:
        yield file.stem, read_pairs(file)
