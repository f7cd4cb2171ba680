"""The extractive reader in debates, consultancies, teams and pairs."""

import asyncio

import pytest
from bridge import CLAIM, PAGES, BagOfWords, passage, plan_of

from system.models.base import Request
from system.models.extractive import ExtractiveModel
from system.models.extractive.roles import NOTHING, as_pairs, favoring, lean
from system.models.extractive.similarity import Similarity
from system.records import Label
from system.strategies import STRATEGIES
from system.tasks.baselines import VerifyClaim
from system.tasks.carp import DecideBetweenTeamsInTwoLabels, PlanVerification, StateCase
from system.tasks.debate import GO_ON, Argue, CloseDebate, Moderate
from system.thoughts import Argument, Speaker

FOR = passage("Yes, it is true: the Aster bridge opened in 1932.", page=1)
AGAINST = passage("It is false that the Aster bridge opened in 1932, fact-checkers say, it did not.", page=2)
OTHER = passage("Tolls are collected on Sundays.", page=3)
EVIDENCE = (OTHER, AGAINST, FOR)


@pytest.fixture
def model():
    return ExtractiveModel(BagOfWords())


def ask(model, kind, **fields):
    task = kind(claim=CLAIM, pairs=as_pairs(CLAIM, EVIDENCE), evidence=EVIDENCE, **fields)
    (result,) = asyncio.run(model.generate([Request(task)]))
    return result.reply


def said(speaker, *passages, number=1):
    return Argument(speaker=speaker, round=number, text="So it is.", passages=passages)


def test_a_passage_leans_to_one_side():
    similarity = Similarity(BagOfWords())
    assert lean(CLAIM, FOR, similarity) > 0 == lean(CLAIM, OTHER, similarity) > lean(CLAIM, AGAINST, similarity)
    sides = [favoring(CLAIM, EVIDENCE, affirmative, similarity) for affirmative in (True, False)]
    assert sides == [[FOR], [AGAINST]]


def test_each_side_quotes_what_speaks_for_it_and_repeats_nothing(model):
    opening = ask(model, Argue, side=Speaker.NEGATIVE, transcript=())
    assert 2 in opening.citations and "false" in opening.argument
    cited = tuple(EVIDENCE[number - 1] for number in opening.citations)
    for earlier in (said(Speaker.NEGATIVE, *cited), said(Speaker.AFFIRMATIVE, *EVIDENCE)):
        later = ask(model, Argue, side=Speaker.NEGATIVE, transcript=(earlier,))
        assert not {EVIDENCE[number - 1] for number in later.citations} & set(earlier.passages)
    assert (later.argument, later.citations) == (NOTHING, [])


def test_the_moderator_goes_on_while_both_sides_find_something(model):
    both = (said(Speaker.AFFIRMATIVE, FOR), said(Speaker.NEGATIVE, AGAINST))
    assert ask(model, Moderate, transcript=both, rulings=()).decision == GO_ON
    silent = (*both, said(Speaker.AFFIRMATIVE, number=2), said(Speaker.NEGATIVE, OTHER, number=2))
    assert ask(model, Moderate, transcript=silent, rulings=()).decision in set(Label)


def test_what_is_not_cited_does_not_count_in_the_verdict(model):
    one = ask(model, CloseDebate, transcript=(said(Speaker.NEGATIVE, AGAINST),), rulings=())
    assert AGAINST.text[:40] in one.justification and FOR.text[:20] not in one.justification
    alone = ask(model, VerifyClaim, transcript=())
    assert alone.label in set(Label)


def test_agents_of_a_team_bring_different_passages(model):
    phase = plan_of([[1]]).phases[0]
    evidence = tuple(passage(f"{AGAINST.text} So says report {n}.", page=n) for n in range(4))
    cited = []
    for agent in (0, 1):
        task = StateCase(
            claim=CLAIM,
            pairs=(),
            evidence=evidence,
            agent=agent,
            team="refutation",
            subclaims=(CLAIM.text,),
            phase=phase,
            said=(),
        )
        (result,) = asyncio.run(model.generate([Request(task)]))
        cited.append(set(result.reply.citations))
    assert cited[0] and not cited[0] & cited[1]


def test_a_plan_covers_all_subclaims(model):
    task = PlanVerification(claim=CLAIM, subclaims=("One.", "Two."), graph={"entities": [], "relations": []})
    (result,) = asyncio.run(model.generate([Request(task)]))
    assert result.reply.covers(2)


def test_two_labels_are_two(model):
    fields = {"subclaims": (CLAIM.text,), "resolution": "", "statements": ()}
    assert ask(model, DecideBetweenTeamsInTwoLabels, **fields).label is Label.REFUTED  # nothing was shown


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_runs_on_the_reader_and_twice_alike(make_case, strategy):
    outcomes = []
    for _ in range(2):
        case = make_case(PAGES, graph__debate=True)
        case.model = ExtractiveModel(BagOfWords())
        outcomes.append(asyncio.run(STRATEGIES[strategy](case)))
        assert not case.failures
    assert outcomes[0] == outcomes[1] and outcomes[0].pairs
