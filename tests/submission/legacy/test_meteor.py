from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import single_meteor_score

from submission.legacy.meteor import Meteor

# Words that share stems, and synonyms of stems: of one another, chained, of nothing.
SYNONYMS = {
    "walk": {"walk", "stroll", "go"},
    "stroll": {"stroll", "walk"},
    "go": {"go", "run", "walk"},
    "citi": {"town"},
    "town": {"city", "town"},
}
WORDS = ["walk", "walks", "Walking", "stroll", "go", "Going", "run", "runs", "city", "cities", "town", "the", "."]


class Thesaurus:
    """The part of a WordNet reader that NLTK's METEOR asks."""

    def synsets(self, word: str) -> list[SimpleNamespace]:
        names = [SimpleNamespace(name=lambda name=name: name) for name in SYNONYMS.get(word, ())]
        return [SimpleNamespace(lemmas=lambda: names)]


@pytest.fixture(scope="module")
def meteor() -> Meteor:
    return Meteor(str.split, PorterStemmer().stem, lambda word: frozenset(SYNONYMS.get(word, ())))


def _score(meteor: Meteor, hypothesis: str, reference: str) -> float:
    return meteor.score(meteor.words(hypothesis), meteor.words(reference))


TEXTS = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


@given(TEXTS, TEXTS)
def test_a_score_is_that_of_nltk_to_the_last_bit(meteor: Meteor, hypothesis: str, reference: str) -> None:
    expected = single_meteor_score(reference.split(), hypothesis.split(), wordnet=Thesaurus())
    assert _score(meteor, hypothesis, reference) == expected


def test_comparing_a_text_does_not_change_it(meteor: Meteor) -> None:
    one, other = meteor.words("walk the stroll"), meteor.words("stroll walk go the")
    assert (
        meteor.score(one, other) == meteor.score(one, other) == _score(meteor, "walk the stroll", "stroll walk go the")
    )


def test_scores_are_those_worked_out_by_hand(meteor: Meteor) -> None:
    # Three of three words and three of four match, in two chunks.
    mean = 1 * 0.75 / (0.9 * 1 + 0.1 * 0.75)
    assert _score(meteor, "the walks run", "run the walking .") == pytest.approx((1 - 0.5 * (2 / 3) ** 3) * mean)


@pytest.mark.parametrize(("hypothesis", "reference"), [("", "run"), ("run", ""), ("", ""), ("the", "run")])
def test_nothing_in_common_is_zero(meteor: Meteor, hypothesis: str, reference: str) -> None:
    assert _score(meteor, hypothesis, reference) == 0


def test_each_word_is_stemmed_once() -> None:
    asked: list[str] = []

    def stem(word: str) -> str:
        asked.append(word)
        return word

    meteor = Meteor(str.split, stem, lambda word: frozenset())
    _score(meteor, "a b a", "b c")
    _score(meteor, "a c", "b")
    assert asked == ["a", "b", "c"]
