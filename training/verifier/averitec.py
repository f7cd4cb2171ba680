"""AVeriTeC's claims against the answers of their annotators, with the questions."""

import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

from system.averitec.gold import GoldClaim, read_gold
from system.graph.records import Label
from training.verifier.contrast import wording
from training.verifier.contrast.groups import content
from training.verifier.contrast.wordnet import Thesaurus
from training.verifier.pairs import Pair, Verdict

_VERDICTS: dict[Label, Verdict] = {
    Label.SUPPORTED: "supported",
    Label.REFUTED: "refuted",
    Label.NOT_ENOUGH_EVIDENCE: "not enough",
}
_SOURCE = "averitec"
HELD_OUT_CLAIMS = 300
_LONGEST = 900


def averitec_pairs(train: Path, words: Thesaurus, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs of the claims to train on, and of 300 held-out claims.

    Raises:
        ClaimsError: the file is no annotated split.
    """
    claims = read_gold(train)
    order = sorted(
        range(len(claims)), key=lambda index: zlib.crc32(claims[index].claim.text.encode("utf-8", "replace"))
    )
    parts = [[claims[index] for index in order[HELD_OUT_CLAIMS:]], [claims[index] for index in order[:HELD_OUT_CLAIMS]]]
    kept, held_out = (list(_pairs(part, words, Random(seed))) for part in parts)
    return kept, held_out


def _pairs(claims: list[GoldClaim], words: Thesaurus, rng: Random) -> Iterator[Pair]:
    """For each claim its answers together, a denial of it, one answer that does not decide, and another claim's."""
    near = _Neighbours(claims)
    for gold in claims:
        text = gold.claim.text.strip()
        told = [_told(answer.question, answer.full) for answer in gold.answers if answer.answered]
        passage = _join(told)
        label = _VERDICTS.get(gold.label)
        if not passage or not label:
            continue
        yield Pair(passage, text, label, _SOURCE, "answers", text)
        if label != "not enough":
            denied = wording.negate(text, rng, words) if len(text) < 160 else None
            if denied:
                other: Verdict = "refuted" if label == "supported" else "supported"
                yield Pair(passage, denied, other, _SOURCE, "denied claim", text)
            least = min(told, key=lambda one: len(content(one) & content(text)))
            if len(told) > 1 and len(content(least) & content(text)) <= len(content(text)) // 4:
                yield Pair(least[:_LONGEST], text, "not enough", _SOURCE, "background", text)
        stranger = near.of(gold, rng)
        if stranger is not None:
            yield Pair(stranger, text, "not enough", _SOURCE, "other claim", text)


class _Neighbours:
    """Answers to other claims that share a rare word with a claim."""

    def __init__(self, claims: list[GoldClaim]) -> None:
        self._claims = claims
        self._with: dict[str, list[int]] = defaultdict(list)
        for index, gold in enumerate(claims):
            for word in content(gold.claim.text):
                self._with[word].append(index)

    def of(self, gold: GoldClaim, rng: Random) -> str | None:
        mine = content(gold.claim.text)
        rare = [word for word in mine if 2 <= len(self._with[word]) <= 60]
        options = {index for word in rare for index in self._with[word]}
        for index in rng.sample(sorted(options), len(options)):
            other = self._claims[index]
            shared = mine & content(other.claim.text)
            told = [_told(answer.question, answer.full) for answer in other.answers if answer.answered]
            if told and other is not gold and len(shared) <= len(mine) // 3:
                return _join(rng.sample(told, min(2, len(told))))
        return None


def _told(question: str, answer: str) -> str:
    return " ".join(f"{question.strip().rstrip('?')}? {answer}".split())


def _join(told: list[str]) -> str:
    """As many answers as fit, the first ones first; one alone is cut."""
    joined = told[0][:_LONGEST] if told else ""
    for one in told[1:]:
        if len(joined) + len(one) < _LONGEST:
            joined += " " + one
    return joined
