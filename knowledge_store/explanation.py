"""Why BM25 ranks a passage where it does: what each word of the query counts."""

from collections import Counter
from collections.abc import Sequence

from knowledge_store.bm25 import Bm25
from knowledge_store.tokenization import tokenize


def contributions(texts: Sequence[str], query: str) -> list[dict[str, float]]:
    """What each word of a query counts in each text; for a text, the sum is its BM25 score among the texts.

    BM25 is a sum over the words of the query, so a word's part is the score of a query of that word, as often as it
    is asked for.

    Returns:
        For each text, the words that it contains, the weightiest first; equally weighty ones as the query has them.
    """
    lexical = Bm25(texts)
    parts: list[dict[str, float]] = [{} for _ in texts]
    for word, count in Counter(tokenize(query)).items():
        ranking = lexical.rank(word, len(texts))
        for position, score in zip(ranking.positions, ranking.scores, strict=True):
            if score:
                parts[position][word] = count * float(score)
    return [dict(sorted(part.items(), key=lambda item: -item[1])) for part in parts]


def explain(part: dict[str, float]) -> str:
    """Contributions on one line.

    >>> explain({"fish": 1.25, "may": 0.5}), explain({})
    ('BM25 1.75 = fish 1.25 + may 0.50', 'BM25 0.00: no word of the question')
    """
    if not part:
        return "BM25 0.00: no word of the question"
    return f"BM25 {sum(part.values()):.2f} = " + " + ".join(f"{word} {score:.2f}" for word, score in part.items())
