"""AVeriTeC's claims with evidence, to train the head that gives the four labels.

Each claim appears five times an epoch: with the annotators' questions and answers; with their answers among answers to
claims that resemble it; with some of its answers removed; and twice as a search finds evidence, sentences without
questions, few of them the claim's own. Often somebody only says the claim again among them, which changes nothing. The
label stays that of the claim, because that is what a submission is scored by, whatever its search has found. Few real
claims have conflicting evidence, so invented ones stand beside them, each with evidence for every label
(``claims.jsonl``).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import orjson

from knowledge_store.bm25.scoring import Bm25
from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import NO_ANSWER, Claim, Label
from system.reader.base import VERDICTS, claim_text, evidence_text
from training.reader.pairs import WORDS, Pair, held_out, sentences_of

_CLAIMS = Path(__file__).with_name("claims.jsonl")
Asked = tuple[str, str]  # a question and its answer
DISTRACTORS = 20  # nearest answers to other claims, from which a variant draws


def labelled_claims(file: Path, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return the variants of the claims to train on, and those of the tenth that is held out.

    The pairs are as the second head reads them; their labels are indices in ``VERDICTS``. Raises a ``ClaimsError`` if
    the file is no annotated split.
    """
    rng, claims = Random(seed), read_gold(file)
    answers = [[(one.question, one.full if one.answered else NO_ANSWER) for one in gold.answers] for gold in claims]
    near = _nearest(claims, answers)
    train, apart = list[Pair](), list[Pair]()
    for gold, own, others in zip(claims, answers, near, strict=True):
        kept = apart if held_out(gold.claim.text, one_in=10) else train
        label = VERDICTS.index(gold.label)
        for found in _variants(gold.claim.text, own, others, rng):
            kept.append(Pair(evidence_text(found), claim_text(gold.claim), label, "averitec"))
    train += _invented()
    rng.shuffle(train)
    return train, apart


def _invented() -> Iterator[Pair]:
    for line in _CLAIMS.read_bytes().splitlines():
        one = orjson.loads(line)
        claim = claim_text(Claim(one["claim"], speaker=one["speaker"], date=one["date"]))
        for label, every in one["evidence"].items():
            for found in every:
                yield Pair(evidence_text(found), claim, VERDICTS.index(Label(label)), "invented")


def _variants(claim: str, own: Sequence[Asked], others: Sequence[str], rng: Random) -> list[list[Asked]]:
    """Questions with answers: all; among distractors and rumours, without questions; some of them; and as found."""
    gold = [*own]
    strangers = [("", one) for one in rng.sample(others, min(len(others), rng.randint(2, 9)))]
    rumours = [("", rng.choice(WORDS["rumours"]).format(claim)) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
    mixed = [("", answer) for _, answer in gold if answer != NO_ANSWER] + strangers + rumours
    rng.shuffle(mixed)
    left = [pair for pair in gold if rng.random() < 0.6]
    few = [*left, *strangers[: rng.randint(0, 3)]]
    rng.shuffle(few)
    rng.shuffle(gold)
    return [gold, mixed, few, *(_found(claim, gold, others, rng) for _ in range(2))]


def _found(claim: str, gold: Sequence[Asked], others: Sequence[str], rng: Random) -> list[Asked]:
    """Sentences of answers to other claims, the nearest most often, with at most two of the claim's own answers."""
    own = [answer for _, answer in gold if answer != NO_ANSWER and rng.random() < 0.3][:2]
    near = [answer for rank, answer in enumerate(others) if rng.random() < 8 / (8 + rank)]
    said = [one for answer in [*own, *near] for one in sentences_of(answer)[:3] if len(one.split()) > 3]
    said = said[: rng.randint(4, 14)]
    said += [rng.choice(WORDS["rumours"]).format(claim) for _ in range(rng.choice((0, 1, 1, 2)))]
    rng.shuffle(said)
    return [("", sentence) for sentence in said]


def _nearest(claims: Sequence[GoldClaim], answers: Sequence[Sequence[Asked]]) -> list[list[str]]:
    """For each claim the answers to other claims that BM25 ranks highest."""
    asked = [(owner, text) for owner, own in enumerate(answers) for _, text in own if text != NO_ANSWER]
    index = Bm25([text for _, text in asked])
    found = []
    for number, gold in enumerate(claims):
        ranked = [asked[place] for place in index.rank(gold.claim.text, 2 * DISTRACTORS).positions]
        found.append([text for owner, text in ranked if owner != number][:DISTRACTORS])
    return found
