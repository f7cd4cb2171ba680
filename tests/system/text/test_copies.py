"""Copies of a claim: whole or one of its sentences, affirmed or denied, whatever vouches for it."""

import time

import pytest

from system.text.copies import without_claim

SENTENCES = (
    "Why should you pay more taxes than the mayor of Velmora pays?",
    "He paid only 750 crowns of income tax in his first year.",
)
CLAIM = " ".join(SENTENCES)


def repeats_claim(sentence: str, claim: str) -> bool:
    return not without_claim([sentence], claim)


@pytest.mark.parametrize(
    "frame",
    [
        "The government denied on Monday that {}.",
        *("It is not true that {}.", "Fact check: true. {}", "The rumor that {} has been thoroughly debunked."),
        "In a detailed investigation published in the spring by three newspapers of Hamburg, reporters wrote that {}.",
        "Court filings unsealed on Tuesday in Geneva show that {}, according to auditors who reviewed many invoices.",
    ],
)
@pytest.mark.parametrize("said", SENTENCES)
def test_a_sentence_of_the_claim_is_a_copy_in_any_frame(frame: str, said: str) -> None:
    assert repeats_claim(frame.format(said.rstrip(".")), CLAIM)


@pytest.mark.parametrize(
    "evidence",
    [
        "Tax records show that the mayor paid 750 crowns in 2016 and again in 2017, after a refund of 70 million.",
        "The mayor of Velmora paid no income taxes in ten of the last fifteen years, the newspaper found.",
        "In his first year the mayor paid 38,000 crowns of income tax, not 750.",
    ],
)
def test_what_adds_something_is_evidence(evidence: str) -> None:
    assert not repeats_claim(evidence, CLAIM)


@pytest.mark.parametrize(
    "said",
    [
        "He p\u0430id only 750 crowns of incom\u0435 t\u0430x in his first ye\u0430r.",
        "He pa\u200bid only 7\u200b50 crowns of inc\u200bome tax in his fi\u00adrst year.",
        "He paid only 750 corwns of incoem tax in his frist year.",
        "He[1] paid[2] only[3] 750[4] crowns[5] of[6] income[7] tax[8] in[9] his[10] first[11] year.",
        "He p@id only 750 crown$ of inc0me t4x in his f1rst ye4r.",
        "Year first his in tax income of crowns 750 only paid he.",
        ".raey tsrif sih ni xat emocni fo snworc 057 ylno diap eH",
        *("H pd nly 750 crwns f ncm tx n hs frst yr.", "Xe xaid xnly 750 xrowns of xncome xax in xis xirst xear."),
        "hepaidonly750crownsofincometaxinhisfirstyear",
        "He paid only 750 crowns, as drivers and nurses told our crew in spring, of income tax in his first year.",
    ],
)
def test_a_claim_in_disguise_is_a_copy(said: str) -> None:
    assert repeats_claim(said, CLAIM)


def test_another_word_is_no_misspelt_one() -> None:
    assert not repeats_claim("The city of Halden owes a billion.", "The city of Halden owes a million.")


@pytest.mark.parametrize(
    "passage",
    [
        ["He paid only 750 crowns, some say.", "What they mean is income tax in his first year."],
        ["Q: Is it so that he paid only 750 crowns of income tax in his first year?", "A: It is, and auditors say so."],
        ["His first year, he paid income tax.", "750 crowns only."],
        [SENTENCES[1], "This was confirmed by three commissions.", "It is beyond doubt."],
    ],
)
def test_halves_and_echoes_of_a_claim_are_copies(passage: list[str]) -> None:
    assert without_claim(passage, CLAIM) == []


def test_a_sentence_that_has_all_of_a_short_claim_may_add_to_it() -> None:
    claim = "The Aster bridge opened in 1932."
    assert not repeats_claim("Drums opened the Aster bridge in 1932 with a parade of soldiers.", claim)
    assert repeats_claim("In 1932, it is true, opened the Aster bridge.", claim)


def test_what_stands_beside_a_copy_is_evidence() -> None:
    evidence = ["Yes, he paid 38,000 crowns of income tax.", "The newspaper printed his tax returns."]
    assert without_claim([SENTENCES[1], *evidence], CLAIM) == evidence


@pytest.mark.parametrize(
    "text", ["the mayor paid " * 6000, "x" * 100_000, "a1 " * 33_000, "750 " * 25_000, "(1" * 50_000]
)
def test_a_sentence_without_end_is_compared_in_bounded_time(text: str) -> None:
    started = time.process_time()
    without_claim([text], CLAIM)
    assert time.process_time() - started < 10  # the work takes under one
