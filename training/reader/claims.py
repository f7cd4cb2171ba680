"""Claims with evidence, to train the head that gives the four labels.

They come from AVeriTeC, from public sets with several passages on a claim (``sets.toml``: ``claims``), and from
``claims.jsonl``: invented claims, each with evidence for every label. Evidence appears as it was annotated, and as a
search finds it, without questions among what was said on claims that resemble it. Often somebody only says the claim
again among it, which changes nothing. Beside supported claims stand edited ones, which the same evidence refutes.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import orjson

from knowledge_store.bm25.scoring import Bm25
from system.averitec.gold import read_gold
from system.graph.records import NO_ANSWER, Claim, Label
from system.reader.base import VERDICTS, claim_text, evidence_text
from training.reader.edits import refuted
from training.reader.pairs import NOT_ENOUGH, REFUTED, SETS, SUPPORTED, WORDS, Pair, held_out, read_pairs

_CLAIMS = Path(__file__).with_name("claims.jsonl")
_BY_SIDES = {(): Label.NOT_ENOUGH_EVIDENCE, (SUPPORTED,): Label.SUPPORTED, (REFUTED,): Label.REFUTED}
NEAR = 20  # answers to other claims from which those that a search finds are drawn


class Judged(NamedTuple):
    """A claim, questions with answers on it, and its label."""

    claim: Claim
    evidence: Sequence[tuple[str, str]]
    label: Label
    source: str


def labelled_claims(file: Path, seed: int, sets: Path | None = None) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs to train on, and those of the tenth of AVeriTeC's claims that is held out.

    The pairs are as the second head reads them; their labels are indices in ``VERDICTS``. Raises a ``ClaimsError`` if
    the file is no annotated split, a ``TrainingError`` if a set of the folder ``sets`` cannot be read.
    """
    rng, train, apart = Random(seed), list[Pair](), list[Pair]()
    judged = [*_annotated(file), *_invented(), *(_public(sets, rng) if sets else ())]
    near = _nearest(judged)
    names = [one.claim.speaker for one in judged if one.claim.speaker]
    for one in judged:
        kept = apart if one.source == "averitec" and held_out(one.claim.text, one_in=10) else train
        said = claim_text(one.claim)
        found = evidence_text(_found(one, near[one.claim.text], rng))
        for evidence in (evidence_text(one.evidence), found):
            kept.append(Pair(evidence, said, VERDICTS.index(one.label), one.source))
        pair = Pair(found, one.claim.text, SUPPORTED, one.source)
        if one.label is Label.SUPPORTED and one.source != "invented" and (twin := refuted(pair, names, rng)):
            edited = said.replace(one.claim.text, twin.statement)
            kept.append(replace(twin, statement=edited, label=VERDICTS.index(Label.REFUTED)))
    rng.shuffle(train)
    return train, apart


def _annotated(file: Path) -> Iterator[Judged]:
    for gold in read_gold(file):
        asked = [(one.question, one.full if one.answered else NO_ANSWER) for one in gold.answers]
        yield Judged(gold.claim, asked, gold.label, "averitec")


def _invented() -> Iterator[Judged]:
    for line in _CLAIMS.read_bytes().splitlines():
        one = orjson.loads(line)
        claim = Claim(one["claim"], speaker=one["speaker"], date=one["date"])
        for label, lists in one["evidence"].items():
            for evidence in lists:
                yield Judged(claim, evidence, Label(label), "invented")


def _public(sets: Path, rng: Random) -> Iterator[Judged]:
    """Claims of public sets with up to six of their passages; if these support and refute it, they conflict."""
    for file in (sets / f"{name}.jsonl" for name, one in SETS.items() if "claims" in one):
        passages = defaultdict[str, list[Pair]](list)
        for pair in read_pairs(file) if file.exists() else ():
            passages[pair.statement].append(pair)
        for statement, pairs in passages.items():
            chosen = rng.sample(pairs, min(6, len(pairs)))
            sides = tuple({pair.label for pair in chosen} - {NOT_ENOUGH})
            evidence = [("", pair.evidence) for pair in chosen]
            yield Judged(Claim(statement), evidence, _BY_SIDES.get(sides, Label.CONFLICTING), file.stem)


def _found(one: Judged, near: Sequence[str], rng: Random) -> list[tuple[str, str]]:
    """The answers among those to other claims, the nearest most often, and among rumours, which say the claim again."""
    others = [text for rank, text in enumerate(near) if rng.random() < 6 / (6 + rank)][: rng.randint(0, 6)]
    others += [rng.choice(WORDS["rumours"]).format(one.claim.text) for _ in range(rng.choice((0, 0, 1, 2)))]
    places = [(0.8 * rng.random(), text) for _, text in one.evidence if text != NO_ANSWER]
    places += [(0.25 + rng.random(), text) for text in others]  # what decides comes first, by and large
    return [("", text) for _, text in sorted(places)] or [("", NO_ANSWER)]


def _nearest(judged: Sequence[Judged]) -> dict[str, list[str]]:
    """For each claim's text, what BM25 ranks highest of the answers to others."""
    owners = {text: one.claim.text for one in judged for _, text in one.evidence if text != NO_ANSWER}
    texts, near = [*owners], dict[str, list[str]]()
    index = Bm25(texts)
    for claim in {one.claim.text: None for one in judged}:
        ranked = [texts[place] for place in index.rank(claim, 2 * NEAR).positions]
        near[claim] = [text for text in ranked if owners[text] != claim][:NEAR]
    return near
