"""All pairs of a training: public sets, AVeriTeC's answers and contrast groups, held-out ones apart."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from training.verifier.averitec import averitec_pairs
from training.verifier.contrast.groups import Base, ContrastGroups
from training.verifier.contrast.names import Names
from training.verifier.contrast.relations import relation_groups
from training.verifier.contrast.rows import row_groups
from training.verifier.contrast.sources import bases_of_pages, bases_of_pairs, bases_of_sentences
from training.verifier.contrast.wordnet import Thesaurus, thesaurus
from training.verifier.pairs import ONE_SIDED, Pair, read_sets, split
from training.verifier.questions import question_pairs

_PARAPHRASED = (
    "fever_eraser",
    "fever_symmetric_v0.2",
    "fm2",
    "vitaminc_sample",
    "mrpc",
    "semiauto_base_wiki",
    "semiauto_translate_wiki",
)
"""Sources whose supported statements say it in other words than their evidence, in whole sentences."""
_SENTENCES = ("wikifactcheck_edits", "semiauto_base_wiki", "vitaminc_sample", "mrpc")


SHARES = {
    "sick": 0.5,
    "conj_nli": 0.4,
    "breaking_nli": 0.5,
    "fever_symmetric_v0.2": 1.5,
    "vitaminc_sample": 3.0,
    "anli": 0.4,
    "semiauto_sim_wiki": 0.4,
    "averitec": 0.8,
    "contrast_rows": 0.5,
    "contrast_relations": 1.0,
    "questions_boolq": 0.5,
    "wice": 0.0,  # nearly all longer than a pair may be
} | {f"summedits_{part}": 0.25 for part in ("samsum", "scitldr", "ectsum", "news", "podcast", "qmsumm", "sales_call")}
"""How often an epoch takes each group of a source; once where none is named. Less of what is learned early."""

_RARE = {
    *(
        "number form",
        "number bound",
        "false bound",
        "vaguer number",
        "date form",
        "date",
        "coarser date",
        "vaguer date",
    ),
    *("false period", "other subject", "roles", "wider word"),
}
_BY_RARE = (0.15, 0.3, 0.9)
"""Share of a contrast group by how many of the kinds that few sentences allow it has: none, one, more."""


def mixture(sets: Path, claims: Path | None, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs to train on and pairs held out, each in whole groups.

    Args:
        sets: folder of public sets in JSON Lines.
        claims: AVeriTeC's train split; None to train without.

    Raises:
        TrainingError: a set cannot be read.
        ClaimsError: the claims cannot be read.
    """
    words, rng = thesaurus(), random.Random(seed)
    pairs = list(read_sets(sets))
    made = list(_contrast(sets, pairs, words, rng))
    train, held_out = split([*_balanced(pairs, rng), *made])
    if claims:
        for part, more in zip((train, held_out), averitec_pairs(claims, words, seed), strict=True):
            part += more
    return mix(train, seed), held_out


def mix(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """Whole groups of each source, as many times as its share says."""
    rng = random.Random(seed)
    rare: dict[tuple[str, str], set[str]] = defaultdict(set)
    for pair in pairs:
        rare[pair.source, pair.group].update(_RARE & {pair.kind})
    copies: dict[tuple[str, str], int] = {}
    for key, kinds in rare.items():
        share = SHARES.get(key[0], 1.0)
        if key[0].startswith("contrast_") and key[0] not in SHARES:
            share = _BY_RARE[min(len(kinds), 2)]
        copies[key] = int(share) + (rng.random() < share % 1)
    return [copy for pair in pairs for copy in [pair] * copies[pair.source, pair.group]]


def sample(pairs: Sequence[Pair], of_each: int, seed: int) -> list[Pair]:
    """At most so many pairs of each source."""
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_source[pair.source].append(pair)
    rng = random.Random(seed)
    return [pair for rows in by_source.values() for pair in rng.sample(rows, min(of_each, len(rows)))]


def _balanced(pairs: Iterable[Pair], rng: random.Random) -> Iterator[Pair]:
    """Without sources of one label; of ``breaking_nli``, whose pairs are mostly refuted, a fifth of these."""
    for pair in pairs:
        if pair.source in ONE_SIDED or (
            pair.source == "breaking_nli" and pair.label == "refuted" and rng.random() > 0.2
        ):
            continue
        yield pair


def _contrast(sets: Path, pairs: list[Pair], words: Thesaurus, rng: random.Random) -> Iterator[Pair]:
    names = Names.of((pair.evidence for pair in rng.sample(pairs, min(8000, len(pairs)))), words)
    groups = ContrastGroups(names, words)
    bases: list[Base] = [
        *bases_of_pairs(pair for pair in pairs if pair.source in _PARAPHRASED),
        *bases_of_sentences(pair for pair in pairs if pair.source in _SENTENCES),
        *bases_of_pages(sets),
    ]
    edits = {pair.evidence: pair for pair in pairs if pair.source == "wikifactcheck_edits"}
    for base in tqdm(bases, unit="sentence", desc="contrast groups"):
        group = groups.of(base, rng)
        yield from group
        edit = edits.get(base.decisive)
        if group and edit:  # the false edit by a person joins its paraphrases
            yield Pair(edit.evidence, edit.statement, "refuted", group[0].source, "edit by a person", group[0].group)
    for group in relation_groups(names, [base.decisive for base in bases if base.source == "sentences"], rng):
        yield from group
    yield from question_pairs(sets, rng)
    for group in row_groups((pair for pair in pairs if pair.source == "tabfact_rows"), rng):
        yield from group
