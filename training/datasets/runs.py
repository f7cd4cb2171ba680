"""What runs meet, for claims that come without a knowledge store: stores made of annotations, and what is judged there.

AVeriTeC's training split has no stores. Each claim is checked with the very strategy of a run on a store made of gold
answers; every judgment that a branch asks for is kept.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.page import Page
from knowledge_store.ranking import rank
from system.check import Engine, check
from system.gold import GoldAnswer, GoldClaim
from system.models.base import Completion, Model, Request, Result
from system.models.extractive.grammar import noun_phrases
from system.records import AnswerType, Claim, Label
from system.settings import RunSettings, Settings
from system.tasks.judge_claim import JudgeClaim, LabelClaim, LabelReply, VerdictReply
from training import TrainingError
from training.datasets.samples import falls

LOST = 0.35  # share of the questions of a claim whose own answers cannot be found
NEIGHBORS = 10  # claims of the same topic in a store
STRANGERS = 30  # claims of any topic in a store


def pseudo_stores(claims: Sequence[GoldClaim], encoder: Encoder, seed: int, lost: float = 0.0) -> list[list[Page]]:
    """A store for each claim: its own gold answers among those of other claims, as pages.

    AVeriTeC's training split comes without a knowledge store. What the annotators found stands in for the web: a
    claim's own answers, those of the claims nearest to it (the topic) and those of claims at random (the noise).
    Unanswerable questions leave no page, so a claim without evidence has none here either.

    Args:
        lost: share of a claim's own questions whose answers its store lacks, as the web does not have them all.
    """
    generator = np.random.default_rng(seed)
    vectors = encoder.encode([one.claim.text for one in claims])
    known = [pages(one) for one in claims]
    stores = []
    for i in range(len(claims)):
        neighbors = np.argsort(-(vectors @ vectors[i]).round(4), kind="stable")
        strangers = generator.permutation(len(claims))
        members = [i, *_first_others(neighbors, i, NEIGHBORS), *_first_others(strangers, i, STRANGERS)]
        found = [page for member in dict.fromkeys(members[1:]) for page in known[member]]
        texts = dict.fromkeys([*pages(claims[i], lost), *found])
        order = generator.permutation(len(texts))
        items = list(texts)
        stores.append([Page(number, items[j][0], (items[j][1],)) for number, j in enumerate(order)])
    return stores


def _first_others(order: NDArray[np.int64], own: int, limit: int) -> list[int]:
    return [int(other) for other in order[: limit + 1] if other != own][:limit]


def pages(annotated: GoldClaim, lost: float = 0.0) -> list[tuple[str, str]]:
    """Address and text of the pages that a claim's gold answers make, but for a share of its questions."""
    kept = [one for one in annotated.answers if not falls(lost, f"{annotated.claim.text}\n{one.question}")]
    texts = ((answer.url or f"claim:{annotated.claim.id}", _page_text(answer)) for answer in kept)
    return [(url, text) for url, text in texts if text]


def _page_text(answer: GoldAnswer) -> str:
    """What a page says, or nothing where the answer stands on none.

    Annotators leave out what their question already says, web pages do not: what the question names comes first, as in
    a headline.
    """
    if answer.type is AnswerType.UNANSWERABLE or answer.medium == "Metadata":
        return ""
    return f"{', '.join(noun_phrases(answer.question))}: {answer.explanation or answer.text}"


class Recorder:
    """A model that reads like another but never concludes, so that each branch asks as often as it may."""

    def __init__(self, reader: Model) -> None:
        self._reader = reader
        self.judgments: list[JudgeClaim | LabelClaim] = []

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``; judgments are kept instead of made."""
        tasks = [request.task for request in requests]
        judged = [task for task in tasks if isinstance(task, JudgeClaim | LabelClaim)]
        if not judged:
            return await self._reader.generate(requests)
        self.judgments += judged
        reply = VerdictReply(justification="recorded", label=Label.NOT_ENOUGH_EVIDENCE)
        label = LabelReply(label=Label.NOT_ENOUGH_EVIDENCE)
        return [Completion(reply=reply if isinstance(task, JudgeClaim) else label) for task in judged]

    async def close(self) -> None:
        """See ``Model.close``."""
        await self._reader.close()


async def judgments(
    claim: Claim, store: Sequence[Page], encoder: Encoder, reader: Model, settings: Settings
) -> list[JudgeClaim | LabelClaim]:
    """What a run would have to judge about a claim, in its order: first what all branches ask for in their first round.

    Raises:
        TrainingError: the reader failed.
    """
    settings = settings.model_copy(update={"run": RunSettings(budget=3600.0)})
    recorder = Recorder(reader)
    ranked = rank(store, claim.text, settings.retrieval, name=f"claim {claim.id}")
    result, _ = await check(Engine(recorder, encoder, settings), claim, ranked)
    if result.failures:
        raise TrainingError(f"claim {claim.id}: {result.failures[0].operation} failed: {result.failures[0].message}")
    return recorder.judgments
