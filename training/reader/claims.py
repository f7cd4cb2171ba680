"""AVeriTeC's claims with evidence, to train the head that gives the four labels.

Each claim appears five times an epoch: with the annotators' questions and answers; with their answers among answers to
claims that resemble it; with some of its answers removed; and twice as a search finds evidence, sentences without
questions, few of them the claim's own. Often somebody only says the claim again among them, which changes nothing. The
label stays that of the claim, because that is what a submission is scored by, whatever its search has found.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np

from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import NO_ANSWER
from system.reader.base import VERDICTS, claim_text, evidence_text
from training.reader.pairs import WORDS, Pair, held_out, sentences_of

DISTRACTORS = 20  # nearest answers to other claims, from which a variant draws


def labelled_claims(file: Path, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return the variants of the claims to train on, and those of the tenth that is held out.

    The pairs are as the second head reads them; their labels are indices in ``VERDICTS``.

    Raises:
        ClaimsError: the file is no annotated split.
    """
    rng = Random(seed)
    claims = read_gold(file)
    answers = [
        [f"{one.question}\n{one.full if one.answered else NO_ANSWER}" for one in gold.answers] for gold in claims
    ]
    near = _nearest(claims, answers)
    train: list[Pair] = []
    apart: list[Pair] = []
    for gold, own, others in zip(claims, answers, near, strict=True):
        kept = apart if held_out(gold.claim.text, one_in=10) else train
        label = VERDICTS.index(gold.label)
        for found in _variants(gold.claim.text, own, others, rng):
            kept.append(Pair(evidence_text(found), claim_text(gold.claim), label, "averitec"))
    rng.shuffle(train)
    return train, apart


def _variants(claim: str, own: Sequence[str], others: Sequence[str], rng: Random) -> list[list[tuple[str, str]]]:
    """Questions with answers: all; among distractors and rumours, without questions; some of them; and as found."""
    gold = [_split(one) for one in own]
    strangers = [("", _split(one)[1]) for one in rng.sample(list(others), min(len(others), rng.randint(2, 9)))]
    rumours = [("", rng.choice(WORDS["rumours"]).format(claim)) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
    mixed = [("", answer) for _, answer in gold if answer != NO_ANSWER] + strangers + rumours
    rng.shuffle(mixed)
    left = [pair for pair in gold if rng.random() < 0.6]
    few = [*left, *strangers[: rng.randint(0, 3)]]
    rng.shuffle(few)
    rng.shuffle(gold)
    return [gold, mixed, few, *(_found(claim, gold, others, rng) for _ in range(2))]


def _found(claim: str, gold: list[tuple[str, str]], others: Sequence[str], rng: Random) -> list[tuple[str, str]]:
    """Sentences of answers to other claims, the nearest most often, with at most two of the claim's own answers."""
    own = [answer for _, answer in gold if answer != NO_ANSWER and rng.random() < 0.3][:2]
    near = [answer for rank, one in enumerate(others) if rng.random() < 8 / (8 + rank) and (answer := _split(one)[1])]
    said = [one for answer in [*own, *near] for one in sentences_of(answer)[:3] if len(one.split()) > 3]
    said = said[: rng.randint(4, 14)]
    said += [rng.choice(WORDS["rumours"]).format(claim) for _ in range(rng.choice((0, 1, 1, 2)))]
    rng.shuffle(said)
    return [("", sentence) for sentence in said]


def _split(told: str) -> tuple[str, str]:
    question, _, answer = told.partition("\n")
    return question, answer


def _nearest(claims: Sequence[GoldClaim], answers: Sequence[Sequence[str]]) -> list[list[str]]:
    """For each claim the answers to other claims that share most with it, by TF-IDF."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    owners = np.array([index for index, own in enumerate(answers) for _ in own])
    texts = [one for own in answers for one in own]
    silent = np.array([one.endswith(NO_ANSWER) for one in texts])
    vectorizer = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    among = vectorizer.fit_transform(texts)
    found = []
    for index, gold in enumerate(claims):
        scores = (among @ vectorizer.transform([gold.claim.text]).T).toarray().ravel()
        scores[(owners == index) | silent] = -1
        found.append([texts[place] for place in np.argsort(-scores)[:DISTRACTORS]])
    return found
